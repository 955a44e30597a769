//! The operands of a call: the commands, addresses and paths among its arguments.

use crate::{
    outcome::{RuleEffect, SelectorHit},
    tools::OperandKind,
    value::{JsonPointer, OrderedValue},
};
use countersign_patterns::{ParsedPath, ParsedScript, ParsedUrl};

/// The places in which a call may have operands of one kind.
pub(crate) struct OperandSources<'a> {
    /// The arguments; none if they cannot be read.
    pub(crate) args: Option<&'a OrderedValue>,
    /// The places that are masked.
    pub(crate) masked: &'a [JsonPointer],
    pub(crate) pointers: Vec<JsonPointer>,
    /// True if the policy names the places.
    pub(crate) mapped: bool,
}

/// The operands of one kind that a call has.
#[derive(Debug)]
pub(crate) struct CallOperands<T> {
    pub(crate) found: Vec<T>,
    /// Why not all of them are known, if so.
    pub(crate) trouble: Option<SelectorHit>,
    /// Whether the policy says where they stand.
    pub(crate) mapped: bool,
}

impl<T> CallOperands<T> {
    /// Finds them, and makes of each text what matchers want.
    pub(crate) fn find(
        sources: OperandSources<'_>,
        kind: OperandKind,
        make: impl Fn(&OrderedValue) -> Option<T>,
    ) -> Self {
        let OperandSources { args, masked, pointers, mapped } = sources;
        let mut operands = Self { found: Vec::new(), trouble: None, mapped };
        let Some(args) = args else {
            operands.trouble = Some(SelectorHit::Unclear("the arguments cannot be read".to_owned()));
            return operands;
        };
        for pointer in pointers {
            if masked.iter().any(|masked| masked.touches(&pointer)) {
                operands.trouble = Some(SelectorHit::Unclear(format!("{} is masked", pointer.as_str())));
            }
            if pointer.strays(args) {
                let why = format!("something else stands where {} leads through", pointer.as_str());
                operands.trouble.get_or_insert(SelectorHit::Failed(why));
            }
            for value in pointer.find_all(args).into_iter().filter(|value| **value != OrderedValue::Null) {
                operands.add(kind, value, &make);
            }
        }
        operands
    }

    fn add(&mut self, kind: OperandKind, value: &OrderedValue, make: &impl Fn(&OrderedValue) -> Option<T>) {
        match (kind, value) {
            // Each element counts; but a command that is a list is one command and its arguments.
            (OperandKind::Url | OperandKind::Path, OrderedValue::List(values)) if !values.is_empty() => {
                for value in values {
                    self.add_one(kind, value, make);
                }
            }
            _ => self.add_one(kind, value, make),
        }
    }

    fn add_one(
        &mut self,
        kind: OperandKind,
        value: &OrderedValue,
        make: &impl Fn(&OrderedValue) -> Option<T>,
    ) {
        match make(value) {
            Some(operand) => self.found.push(operand),
            None if self.trouble.is_some() => {}
            None => {
                let why = format!("the {} is {}, which cannot be matched", kind.as_str(), value.kind());
                self.trouble = Some(SelectorHit::Failed(why));
            }
        }
    }

    /// What a selector says of them, which asks `matches` about each. A rule that names no tools has nothing
    /// to say of a tool that has no such operand.
    pub(crate) fn judge(
        &self,
        kind: OperandKind,
        effect: RuleEffect,
        named: bool,
        matches: impl Fn(&T) -> SelectorHit,
    ) -> SelectorHit {
        if self.found.is_empty() && self.trouble.is_none() {
            let spoken_of = named || self.mapped;
            let missing = || SelectorHit::Failed(format!("the call has no {}", kind.as_str()));
            return if spoken_of { missing() } else { SelectorHit::No };
        }
        let mut worst = self.trouble.clone();
        let mut last = SelectorHit::No;
        for operand in &self.found {
            match (matches(operand), effect) {
                (SelectorHit::Yes(why), RuleEffect::Restrict) => return SelectorHit::Yes(why),
                (SelectorHit::No, RuleEffect::Widen) => return SelectorHit::No,
                (SelectorHit::Unclear(why) | SelectorHit::Failed(why), _) => {
                    worst = worst.or(Some(SelectorHit::Unclear(why)))
                }
                (hit, _) => last = hit,
            }
        }
        worst.unwrap_or(last)
    }
}

/// A URL that is a string.
pub(crate) fn address(value: &OrderedValue) -> Option<ParsedUrl> {
    value.text().map(ParsedUrl::parse)
}

/// A path that is a string.
pub(crate) fn place(value: &OrderedValue) -> Option<ParsedPath> {
    value.text().map(ParsedPath::parse)
}

/// A script, or one simple command given word by word.
pub(crate) fn script(value: &OrderedValue) -> Option<(String, ParsedScript)> {
    let text = match value {
        OrderedValue::Text(text) => text.clone(),
        OrderedValue::List(words) if !words.is_empty() => {
            let words: Option<Vec<_>> = words.iter().map(|word| word.text().map(quoted)).collect();
            words?.join(" ")
        }
        _ => return None,
    };
    let script = ParsedScript::parse(&text);
    Some((text, script))
}

/// A word as a shell reads it, to the letter.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) && !word.contains('=') {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
