//! The operands of a call: the commands, addresses and paths among its arguments.

use crate::{
    outcome::{RuleEffect, SelectorHit},
    tools::OperandKind,
    value::{JsonPointer, OrderedValue},
};
use countersign_patterns::{ParsedPath, ParsedScript, ParsedUrl};

/// The pointers at which a call may have operands of one kind.
pub(crate) struct OperandSources<'a> {
    /// The arguments, or `None` if they cannot be read.
    pub(crate) args: Option<&'a OrderedValue>,
    /// Pointers to the masked values.
    pub(crate) masked: &'a [JsonPointer],
    pub(crate) pointers: Vec<JsonPointer>,
    /// True if the policy names the pointers.
    pub(crate) mapped: bool,
}

/// The operands of one kind that a call has.
#[derive(Debug)]
pub(crate) struct CallOperands<T> {
    pub(crate) found: Vec<T>,
    /// The reason why an operand is unknown, if one is.
    pub(crate) gap: Option<SelectorHit>,
    /// True if the policy names their pointers.
    pub(crate) mapped: bool,
}

impl<T> CallOperands<T> {
    /// Finds the operands, and parses each with `parse`.
    pub(crate) fn find(
        sources: OperandSources<'_>,
        kind: OperandKind,
        parse: impl Fn(&OrderedValue) -> Option<T>,
    ) -> Self {
        let OperandSources { args, masked, pointers, mapped } = sources;
        let mut operands = Self { found: Vec::new(), gap: None, mapped };
        let Some(args) = args else {
            operands.gap = Some(SelectorHit::Unclear("the arguments cannot be read".to_owned()));
            return operands;
        };
        for pointer in pointers {
            if masked.iter().any(|masked| masked.touches(&pointer)) {
                operands.gap = Some(SelectorHit::Unclear(format!("{} is masked", pointer.as_str())));
            }
            if pointer.meets_wrong_type(args) {
                let why = format!("{} passes through a value of another type", pointer.as_str());
                operands.gap.get_or_insert(SelectorHit::Failed(why));
            }
            for value in pointer.find_all(args).into_iter().filter(|value| **value != OrderedValue::Null) {
                operands.add(kind, value, &parse);
            }
        }
        operands
    }

    fn add(&mut self, kind: OperandKind, value: &OrderedValue, parse: &impl Fn(&OrderedValue) -> Option<T>) {
        match (kind, value) {
            // Each element of a list is an operand. A command that is a list is one command with its arguments.
            (OperandKind::Url | OperandKind::Path, OrderedValue::List(values)) if !values.is_empty() => {
                for value in values {
                    self.add_one(kind, value, parse);
                }
            }
            _ => self.add_one(kind, value, parse),
        }
    }

    fn add_one(
        &mut self,
        kind: OperandKind,
        value: &OrderedValue,
        parse: &impl Fn(&OrderedValue) -> Option<T>,
    ) {
        match parse(value) {
            Some(operand) => self.found.push(operand),
            None if self.gap.is_some() => {}
            None => {
                let why = format!("the {} must not be {}", kind.as_str(), value.kind());
                self.gap = Some(SelectorHit::Failed(why));
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

/// Parses a URL, which must be a string.
pub(crate) fn parse_url(value: &OrderedValue) -> Option<ParsedUrl> {
    value.text().map(ParsedUrl::parse)
}

/// Parses a path, which must be a string.
pub(crate) fn parse_path(value: &OrderedValue) -> Option<ParsedPath> {
    value.text().map(ParsedPath::parse)
}

/// Parses a script, which is a string, or one simple command, which is a list of words.
pub(crate) fn parse_command(value: &OrderedValue) -> Option<(String, ParsedScript)> {
    let text = match value {
        OrderedValue::Text(text) => text.clone(),
        OrderedValue::List(words) if !words.is_empty() => {
            let words: Option<Vec<_>> = words.iter().map(|word| word.text().map(quote_word)).collect();
            words?.join(" ")
        }
        _ => return None,
    };
    let script = ParsedScript::parse(&text);
    Some((text, script))
}

/// Quotes a word so that a shell reads it literally.
fn quote_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) && !word.contains('=') {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
