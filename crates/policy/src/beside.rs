//! The arguments beside call operands. A rule that allows by command, address or path matches only if each of them is
//! known to have no effect on what runs, or the rule names it.

use crate::{
    facts::CallFacts,
    harmless::BesideArgument,
    tools::OperandKind,
    value::{JsonPointer, OrderedValue},
};

/// The arguments that a rule accounts for.
pub(crate) struct NamedArguments {
    kinds: Vec<OperandKind>,
    paths: Vec<Vec<String>>,
}

impl NamedArguments {
    /// The operands of these kinds, and the arguments that `[tools]` declares harmless.
    pub(crate) fn of_operands(kinds: Vec<OperandKind>, facts: &CallFacts<'_>) -> Self {
        let mut pointers: Vec<JsonPointer> = Vec::new();
        for kind in &kinds {
            pointers.extend(facts.operand_pointers(*kind));
        }
        pointers.extend(facts.mappings().iter().flat_map(|mapping| &mapping.harmless).cloned());
        Self { kinds, paths: pointers.iter().map(|pointer| pointer.steps().to_vec()).collect() }
    }

    /// Adds arguments by their paths.
    pub(crate) fn add(&mut self, paths: impl IntoIterator<Item = Vec<String>>) {
        self.paths.extend(paths);
    }

    /// Whether the argument, or a value that contains it, is named.
    fn names(&self, path: &[String]) -> bool {
        self.paths.iter().any(|named| named.len() <= path.len() && agree(named, path))
    }

    /// Whether the rule names something inside the value at the path.
    fn names_part(&self, path: &[String]) -> bool {
        self.paths.iter().any(|named| named.len() > path.len() && agree(named, path))
    }
}

/// Whether the steps are the same as far as both have them. `*` is any step only in `named`: an argument may have this name.
fn agree(named: &[String], path: &[String]) -> bool {
    named.iter().zip(path).all(|(named, step)| named == step || named == "*")
}

/// An argument that may have an effect and that no selector names.
pub(crate) struct UnnamedArgument<'a> {
    pub(crate) pointer: String,
    pub(crate) value: &'a OrderedValue,
}

impl CallFacts<'_> {
    /// The arguments that may have an effect and that are not named.
    pub(crate) fn unnamed_arguments(&self, named: &NamedArguments) -> Vec<UnnamedArgument<'_>> {
        let mut found = Vec::new();
        if let Some(args) = self.args() {
            self.collect_unnamed(args, &mut Vec::new(), named, &mut found);
        }
        found
    }

    fn collect_unnamed<'a>(
        &self,
        value: &'a OrderedValue,
        path: &mut Vec<String>,
        named: &NamedArguments,
        found: &mut Vec<UnnamedArgument<'a>>,
    ) {
        for (key, value) in value.children() {
            path.push(key);
            if named.names_part(path) && !named.names(path) {
                self.collect_unnamed(value, path, named, found);
            } else if !named.names(path) && !self.is_harmless(path, value, named) {
                found.push(UnnamedArgument { pointer: JsonPointer::write(path), value });
            }
            path.pop();
        }
    }

    fn is_harmless(&self, path: &[String], value: &OrderedValue, named: &NamedArguments) -> bool {
        let [key] = path else { return false };
        let tool = self.subject.tool.as_str();
        let folder = self.subject.place.and_then(|place| place.folder.as_deref());
        BesideArgument { tool, kinds: &named.kinds, folder, key, value }.is_harmless()
    }
}
