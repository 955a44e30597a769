//! The pattern in a grant or a remembered denial: the rule selectors that match arguments, as JSON.

use crate::{
    CallReading, RuleEffect,
    beside::NamedArguments,
    command_operand::CommandOperand,
    facts::CallFacts,
    outcome::SelectorHit,
    read::{TomlNode, read_patterns},
    selector::RuleSelectors,
    tools::OperandKind,
    value::{JsonPointer, OrderedValue},
};
use countersign_events::Json;
use countersign_patterns as pattern;
use countersign_patterns::{ParsedPath, ParsedUrl};
use std::{fmt, sync::Arc};

/// The longest pattern, in bytes of JSON. An approver should not grant a pattern that is too long to read.
const MAX_BYTES: usize = 4 * 1024;

/// The longest value of another argument in a suggested pattern, in bytes.
const MAX_SHOWN_BYTES: usize = 120;

/// The pattern that call arguments must match for a grant or a denial to apply:
/// `{"command": …, "url": …, "path": …, "args": {"/pointer": …}}`. All parts must match.
#[derive(Debug, Clone)]
pub struct ScopePattern {
    json: Json,
    selectors: Arc<RuleSelectors>,
}

impl ScopePattern {
    /// Reads a pattern, or describes the error.
    pub fn read(json: &Json) -> Result<Self, String> {
        if json.as_str().len() > MAX_BYTES {
            return Err(format!("a pattern may have at most {MAX_BYTES} bytes"));
        }
        let value = OrderedValue::read(json.as_str()).ok_or("the pattern cannot be read")?;
        let selectors = read_patterns(&TomlNode::from_json(&value)).map_err(|fault| fault.why)?;
        Ok(Self { json: json.clone(), selectors: Arc::new(selectors) })
    }

    /// The pattern as JSON, exactly as it was written.
    #[must_use]
    pub fn json(&self) -> Json {
        self.json.clone()
    }

    /// Returns true if the pattern matches the call.
    #[must_use]
    pub fn matches(&self, reading: &CallReading<'_>, effect: RuleEffect) -> bool {
        if reading.facts.settings.is_recorded {
            return true;
        }
        let hit = self.selectors.match_call(effect, &reading.facts);
        match effect {
            RuleEffect::Widen => matches!(hit, SelectorHit::Yes(_)),
            RuleEffect::Restrict => hit != SelectorHit::No,
        }
    }

    /// Suggests patterns that match the call and similar calls.
    #[must_use]
    pub fn suggest(reading: &CallReading<'_>) -> Vec<Self> {
        let facts = &reading.facts;
        let commands = facts.commands().found.iter().map(CommandOperand::suggest);
        let urls = facts.urls().found.iter().map(ParsedUrl::suggest);
        let paths = facts.paths().found.iter().map(ParsedPath::suggest);
        let suggest = |kind, patterns| Self::from_operands(kind, patterns, &shown_beside(facts, kind)?);
        let found = [
            suggest(OperandKind::Command, commands.collect()),
            suggest(OperandKind::Url, urls.collect()),
            suggest(OperandKind::Path, paths.collect()),
        ];
        found.into_iter().flatten().filter(|pattern| pattern.matches(reading, RuleEffect::Widen)).collect()
    }

    /// The kind of the call's only operand, and the pattern that matches exactly this operand. `None` for a call with
    /// other operands, and for a line with several commands.
    #[must_use]
    pub fn suggest_exact(reading: &CallReading<'_>) -> Option<(&'static str, String)> {
        let facts = &reading.facts;
        let (commands, urls, paths) = (facts.commands(), facts.urls(), facts.paths());
        let kind_and_text = match (&*commands.found, &*urls.found, &*paths.found) {
            ([command], [], []) => ("command", command.only_command()?.to_owned()),
            ([], [], [path]) => ("path", path.normal()?.to_owned()),
            _ => return None,
        };
        let (kind, pattern) = (kind_and_text.0, escape_pattern(&kind_and_text.1));
        let exact = Self::of_operands(kind, vec![pattern.clone()])?;
        exact.matches(reading, RuleEffect::Widen).then_some((kind, pattern))
    }

    /// The arguments that alone keep the pattern from allowing the call, as text; `None` if there are none, or something
    /// else does not match.
    #[must_use]
    pub fn find_hindrance(&self, reading: &CallReading<'_>) -> Option<String> {
        self.selectors.match_call(RuleEffect::Widen, &reading.facts);
        reading.facts.take_hindrance()
    }

    /// A pattern for operands of one kind (`command`, `url` or `path`) that match one of `patterns`.
    #[must_use]
    pub fn of_operands(kind: &str, patterns: Vec<String>) -> Option<Self> {
        let kind = OperandKind::ALL.into_iter().find(|known| known.as_str() == kind)?;
        Self::from_operands(kind, Some(patterns), &[])
    }

    /// Builds a pattern for the operands of one kind and for the arguments beside them, or `None` if an operand has no
    /// suggestion.
    fn from_operands(
        kind: OperandKind,
        suggested: Option<Vec<String>>,
        beside: &[(String, OrderedValue)],
    ) -> Option<Self> {
        let mut suggested = suggested.filter(|patterns| !patterns.is_empty())?;
        suggested.sort();
        suggested.dedup();
        let value = match suggested.as_slice() {
            [one] => OrderedValue::Text(one.clone()),
            more => OrderedValue::List(more.iter().cloned().map(OrderedValue::Text).collect()),
        };
        let args = (!beside.is_empty()).then(|| ("args".to_owned(), OrderedValue::Map(beside.to_vec())));
        let members = [(kind.as_str().to_owned(), value)].into_iter().chain(args).collect();
        let json = Json::stored(OrderedValue::Map(members).render()).ok()?;
        Self::read(&json).ok()
    }
}

/// The arguments beside the operands of one kind that a suggested pattern must show, with their values. `None` if one of
/// them is masked or too large to be read in a list of suggestions.
fn shown_beside(facts: &CallFacts<'_>, kind: OperandKind) -> Option<Vec<(String, OrderedValue)>> {
    let named = NamedArguments::of_operands(vec![kind], facts);
    let unnamed = facts.unnamed_arguments(&named).into_iter();
    unnamed
        .map(|argument| {
            let is_plain =
                JsonPointer::read(&argument.pointer).is_ok_and(|pointer| !facts.is_masked(&pointer));
            let is_short = match argument.value {
                OrderedValue::Text(text) => text.len() <= MAX_SHOWN_BYTES,
                OrderedValue::Bool(_) | OrderedValue::Number(_) => true,
                OrderedValue::Null | OrderedValue::List(_) | OrderedValue::Map(_) => false,
            };
            (is_short && is_plain).then(|| (argument.pointer, argument.value.clone()))
        })
        .collect()
}

/// Escapes a string to a pattern that matches only this string.
fn escape_pattern(text: &str) -> String {
    let escape =
        |c| matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\').then_some('\\').into_iter().chain([c]);
    text.chars().flat_map(escape).collect()
}

impl PartialEq for ScopePattern {
    fn eq(&self, other: &Self) -> bool {
        self.json == other.json
    }
}

impl Eq for ScopePattern {}

impl fmt::Display for ScopePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RuleSelectors { commands, urls, paths, args, .. } = &*self.selectors;
        let list = |what: &str, patterns: Vec<&str>| {
            let shown: Vec<_> = patterns.iter().map(|pattern| format!("`{pattern}`")).collect();
            (!shown.is_empty()).then(|| format!("{what} {}", shown.join(" or ")))
        };
        let mut parts: Vec<String> = [
            list("command", commands.iter().map(pattern::CommandPattern::as_str).collect()),
            list("url", urls.iter().map(pattern::UrlPattern::as_str).collect()),
            list("path", paths.iter().map(pattern::PathPattern::as_str).collect()),
        ]
        .into_iter()
        .flatten()
        .collect();
        for (pointer, predicates) in args {
            let shown: Vec<_> = predicates.iter().map(ToString::to_string).collect();
            parts.push(format!("{} {}", pointer.as_str(), shown.join(" and ")));
        }
        f.write_str(&parts.join(", "))
    }
}
