//! The arguments beside call operands. A rule that allows by command, address or path matches only if each of them is
//! known to have no effect on what runs, or the rule names it.

use crate::{
    facts::CallFacts,
    harmless::BesideArgument,
    tools::OperandKind,
    value::{JsonPointer, OrderedValue},
};
use std::borrow::Cow;

/// The arguments that a rule accounts for.
pub(crate) struct NamedArguments<'a> {
    kinds: Vec<OperandKind>,
    paths: Vec<&'a [String]>,
}

impl<'a> NamedArguments<'a> {
    /// The operands of these kinds, and the arguments that `[tools]` declares harmless.
    pub(crate) fn of_operands(kinds: Vec<OperandKind>, facts: &'a CallFacts<'_>) -> Self {
        let operands = kinds.iter().flat_map(|kind| facts.operand_pointers(*kind));
        let harmless = facts.mappings().iter().flat_map(|mapping| &mapping.harmless);
        let paths = operands.chain(harmless).map(JsonPointer::steps).collect();
        Self { kinds, paths }
    }

    /// Adds arguments by their paths.
    pub(crate) fn add(&mut self, paths: impl IntoIterator<Item = &'a [String]>) {
        self.paths.extend(paths);
    }

    /// Whether the argument, or a value that contains it, is named.
    fn names(&self, path: &[Cow<'_, str>]) -> bool {
        self.paths.iter().any(|named| named.len() <= path.len() && agree(named, path))
    }

    /// Whether the rule names something inside the value at the path.
    fn names_part(&self, path: &[Cow<'_, str>]) -> bool {
        self.paths.iter().any(|named| named.len() > path.len() && agree(named, path))
    }
}

/// Whether the steps are the same as far as both have them. `*` is any step only in `named`: an argument may have this name.
fn agree(named: &[String], path: &[Cow<'_, str>]) -> bool {
    named.iter().zip(path).all(|(named, step)| *named == **step || named == "*")
}

/// An argument that may have an effect and that no selector names.
pub(crate) struct UnnamedArgument<'a> {
    pub(crate) pointer: String,
    pub(crate) value: &'a OrderedValue,
}

impl CallFacts<'_> {
    /// The arguments that may have an effect and that are not named.
    pub(crate) fn unnamed_arguments(&self, named: &NamedArguments<'_>) -> Vec<UnnamedArgument<'_>> {
        let (mut found, mut path) = (Vec::new(), Vec::new());
        let children = self.args().into_iter().flat_map(OrderedValue::children);
        for ((key, value), is_harmless) in children.zip(self.harmless_beside(&named.kinds)) {
            path.push(key);
            if named.names_part(&path) && !named.names(&path) {
                collect_unnamed(value, &mut path, named, &mut found);
            } else if !is_harmless && !named.names(&path) {
                found.push(UnnamedArgument { pointer: JsonPointer::write(&path), value });
            }
            path.pop();
        }
        found
    }

    /// Whether each of the arguments has no effect beside operands of these kinds.
    pub(crate) fn find_harmless(&self, kinds: &[OperandKind]) -> Vec<bool> {
        let tool = self.subject.tool.as_str();
        let folder = self.subject.place.and_then(|place| place.folder.as_deref());
        let children = self.args().into_iter().flat_map(OrderedValue::children);
        children
            .map(|(key, value)| BesideArgument { tool, kinds, folder, key: &key, value }.is_harmless())
            .collect()
    }
}

/// Collects what is not named inside of an argument of which a part is.
fn collect_unnamed<'a>(
    value: &'a OrderedValue,
    path: &mut Vec<Cow<'a, str>>,
    named: &NamedArguments<'_>,
    found: &mut Vec<UnnamedArgument<'a>>,
) {
    for (key, value) in value.children() {
        path.push(key);
        if named.names_part(path) && !named.names(path) {
            collect_unnamed(value, path, named, found);
        } else if !named.names(path) {
            found.push(UnnamedArgument { pointer: JsonPointer::write(path), value });
        }
        path.pop();
    }
}
