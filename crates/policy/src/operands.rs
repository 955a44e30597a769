//! Call operands: the commands, addresses and paths among the arguments.

use crate::{
    RuleEffect,
    outcome::SelectorHit,
    tools::{ARGUMENT_KEYS, OperandKind},
    value::{JsonPointer, OrderedValue},
};
use countersign_patterns::{ParsedPath, ParsedUrl};

/// The pointers at which a call may have operands of one kind.
#[derive(Clone, Copy)]
pub(crate) struct OperandSources<'a> {
    /// The arguments, or `None` if they cannot be read.
    pub(crate) args: Option<&'a OrderedValue>,
    /// Pointers to the masked values.
    pub(crate) masked: &'a [JsonPointer],
    pub(crate) pointers: &'a [JsonPointer],
    /// Whether the policy names the pointers.
    pub(crate) mapped: bool,
}

/// The operands of one kind that a call has.
#[derive(Debug)]
pub(crate) struct CallOperands<T> {
    pub(crate) found: Vec<T>,
    /// The reason why an operand is unknown, if one is.
    pub(crate) gap: Option<SelectorHit>,
    /// Whether the policy names their pointers.
    pub(crate) mapped: bool,
}

impl<T> CallOperands<T> {
    /// Finds the operands, and reads each with `read`.
    pub(crate) fn find(
        sources: OperandSources<'_>,
        kind: OperandKind,
        read: impl Fn(OperandValue<'_>) -> Result<T, SelectorHit>,
    ) -> Self {
        let OperandSources { args, masked, pointers, mapped } = sources;
        let mut operands = Self { found: Vec::new(), gap: None, mapped };
        let Some(args) = args else {
            operands.gap = Some(SelectorHit::Unclear("the arguments cannot be read".to_owned()));
            return operands;
        };
        let has_mapped_arguments = has_mapped_arguments(pointers);
        for pointer in pointers {
            if let Some(source) = find_masked(pointer, kind, masked) {
                operands.gap = Some(SelectorHit::Unclear(format!("{} is masked", source.as_str())));
            }
            if pointer.meets_wrong_type(args) {
                let why = format!("{} passes through a value of another type", pointer.as_str());
                operands.gap.get_or_insert(SelectorHit::Failed(why));
            }
            for (parent, value) in pointer.find_with_parents(args) {
                operands.add(kind, OperandValue { pointer, parent, value, has_mapped_arguments }, &read);
            }
        }
        operands.add_misspelled(pointers, args, kind, &read);
        operands
    }

    /// Adds the values under another spelling of an operand key. Some tools read them as the operand, so they may be
    /// blocked, and nothing is allowed.
    fn add_misspelled(
        &mut self,
        pointers: &[JsonPointer],
        args: &OrderedValue,
        kind: OperandKind,
        read: &impl Fn(OperandValue<'_>) -> Result<T, SelectorHit>,
    ) {
        for pointer in pointers {
            for (other, value) in pointer.find_misspelled(args) {
                if pointers.iter().any(|known| known.touches(&other)) {
                    continue;
                }
                let why = format!("some programs read {} as {}", other.as_str(), pointer.as_str());
                self.gap.get_or_insert(SelectorHit::Unclear(why));
                let found = OperandValue { pointer: &other, parent: None, value, has_mapped_arguments: true };
                self.add(kind, found, read);
            }
        }
    }

    fn add(
        &mut self,
        kind: OperandKind,
        found: OperandValue<'_>,
        read: &impl Fn(OperandValue<'_>) -> Result<T, SelectorHit>,
    ) {
        let values = match (kind, found.value) {
            (_, OrderedValue::Null) => &[],
            // Each element of a list is an operand. A command that is a list is one command with its arguments.
            (OperandKind::Url | OperandKind::Path, OrderedValue::List(values)) if !values.is_empty() => {
                &**values
            }
            (_, value) => std::slice::from_ref(value),
        };
        for value in values {
            match read(OperandValue { value, ..found }) {
                Ok(operand) => self.found.push(operand),
                Err(gap) => {
                    self.gap.get_or_insert(gap);
                }
            }
        }
    }

    /// Matches a selector with the operands by calling `matches` for each. A rule that names no tools does
    /// not match a tool that has no such operand.
    pub(crate) fn match_all(
        &self,
        kind: OperandKind,
        effect: RuleEffect,
        named: bool,
        matches: impl Fn(&T) -> SelectorHit,
    ) -> SelectorHit {
        if self.found.is_empty() && self.gap.is_none() {
            let is_expected = named || self.mapped;
            let missing = || SelectorHit::Failed(format!("the call has no {}", kind.as_str()));
            return if is_expected { missing() } else { SelectorHit::No };
        }
        let mut worst = self.gap.clone();
        let mut last = SelectorHit::No;
        for operand in &self.found {
            match (matches(operand), effect) {
                (SelectorHit::Yes(why), RuleEffect::Restrict) => return SelectorHit::Yes(why),
                (SelectorHit::No, RuleEffect::Widen) => return SelectorHit::No,
                (SelectorHit::Unclear(why) | SelectorHit::Failed(why), _) => {
                    worst = worst.or(Some(SelectorHit::Unclear(why)));
                }
                (hit, _) => last = hit,
            }
        }
        worst.unwrap_or(last)
    }
}

/// The pointer to an operand, or to the arguments of a program, if its value is masked.
fn find_masked(pointer: &JsonPointer, kind: OperandKind, masked: &[JsonPointer]) -> Option<JsonPointer> {
    if masked.is_empty() {
        return None;
    }
    let beside = if kind == OperandKind::Command { ARGUMENT_KEYS } else { &[] };
    let beside = beside.iter().filter_map(|key| pointer.sibling(key));
    let is_masked = |source: &JsonPointer| masked.iter().any(|masked| masked.touches(source));
    beside.chain([pointer.clone()]).rfind(is_masked)
}

/// A value that may be an operand.
#[derive(Clone, Copy)]
pub(crate) struct OperandValue<'a> {
    pub(crate) pointer: &'a JsonPointer,
    /// The object or list that contains the value.
    pub(crate) parent: Option<&'a OrderedValue>,
    pub(crate) value: &'a OrderedValue,
    /// Whether the policy names program arguments as separate commands.
    pub(crate) has_mapped_arguments: bool,
}

/// Whether the policy names program arguments as separate commands.
pub(crate) fn has_mapped_arguments(pointers: &[JsonPointer]) -> bool {
    pointers.iter().any(|pointer| pointer.last_step().is_some_and(|step| ARGUMENT_KEYS.contains(&step)))
}

impl OperandValue<'_> {
    /// The error for a value whose type the operand cannot have.
    pub(crate) fn wrong_type(self, kind: OperandKind) -> SelectorHit {
        SelectorHit::Failed(format!("the {} must not be {}", kind.as_str(), self.value.kind()))
    }
}

/// Reads a URL, which must be a string.
pub(crate) fn read_url(found: OperandValue<'_>) -> Result<ParsedUrl, SelectorHit> {
    found.value.text().map(ParsedUrl::parse).ok_or_else(|| found.wrong_type(OperandKind::Url))
}

/// Reads a path, which must be a string. Unless the tool takes brackets as they are, it may expand them to other names.
pub(crate) fn read_path(found: OperandValue<'_>, takes_brackets: bool) -> Result<ParsedPath, SelectorHit> {
    let parse = |text: &str| {
        let is_literal = takes_brackets && !text.contains(['*', '?', '{', '}']);
        if is_literal { ParsedPath::parse_literal(text) } else { ParsedPath::parse(text) }
    };
    found.value.text().map(parse).ok_or_else(|| found.wrong_type(OperandKind::Path))
}
