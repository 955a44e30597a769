//! Finds rules, and patterns of rules, that can never match a call.

use super::{
    node::{TomlEntry, TomlNode},
    source::SourcePosition,
};
use crate::{RuleEffect, names::NameGlobs, rule::PolicyRule, selector::RuleSelectors};
use countersign_events::{Principal, ThreadId, ToolName, Verdict};
use countersign_patterns::{CommandPattern, PathPattern, command::DeadWord};

/// Why the rule, or a part of it, can never match, with the remedy.
pub(super) fn find_dead_parts(rule: &PolicyRule, position: &SourcePosition<'_>) -> Vec<String> {
    let RuleSelectors { when, commands, .. } = &rule.matching;
    let mut found = Vec::new();
    found.extend(find_bad_name(&rule.matching));
    found.extend(find_foreign_kind(&rule.matching, effect_of(rule)));
    if position.is_always_excepted {
        found.push(
            "its `unless` has only selectors of the rule itself; narrow `unless`, or remove the rule"
                .to_owned(),
        );
    }
    if let Some(why) = when.as_ref().and_then(|when| when.find_constant_failure(rule.verdict)) {
        found.push(format!(
            "its `when` {why} whatever the call is; compare something with `args`, `tool` or `place`"
        ));
    }
    let mut found: Vec<_> =
        found.into_iter().map(|why| format!("rule {:?} never matches: {why}", rule.name)).collect();
    if rule.verdict == Verdict::Allow {
        found.extend(commands.iter().filter_map(|pattern| describe_dead_pattern(rule, pattern)));
        found.extend(find_disjoint_path(rule));
    }
    found
}

fn effect_of(rule: &PolicyRule) -> RuleEffect {
    if rule.verdict == Verdict::Allow { RuleEffect::Widen } else { RuleEffect::Restrict }
}

/// Whether each selector of `unless` is one of the rule's own, so that it excepts each call that the rule matches. A rule that
/// restricts matches if one command matches, and its exception needs all: then only names count.
pub(super) fn is_always_excepted(entries: &[TomlEntry], unless: Option<&TomlNode>, verdict: Verdict) -> bool {
    const NAMES: &[&str] = &["tool", "thread"];
    let Some(keys) = unless.and_then(|node| node.keys("unless").ok()) else { return false };
    let has_same = |own: &TomlEntry| {
        let is_same = |entry: &&TomlEntry| {
            entry.key == own.key && entry.value.canonical_text() == own.value.canonical_text()
        };
        (verdict == Verdict::Allow || NAMES.contains(&own.key.as_str()))
            && entries.iter().any(|entry| is_same(&entry))
    };
    !keys.entries().is_empty() && keys.entries().iter().all(has_same)
}

/// A selector that only has names which nothing can have.
fn find_bad_name(selectors: &RuleSelectors) -> Option<String> {
    let find = |what: &str, names: &Option<NameGlobs>, fault: fn(&str) -> Option<String>| {
        let names = names.as_ref().filter(|names| names.is_literal())?;
        let faults: Option<Vec<_>> = names.literals().map(fault).collect();
        let first = faults?.into_iter().next()?;
        Some(format!("no {what} has this name ({first}); correct `{what}`"))
    };
    let RuleSelectors { tools, threads, principals, .. } = selectors;
    find("tool", tools, |name| Some(ToolName::new(name).err()?.to_string()))
        .or_else(|| find("thread", threads, |name| Some(ThreadId::new(name).err()?.to_string())))
        .or_else(|| find("principal", principals, |name| Some(name.parse::<Principal>().err()?.to_string())))
}

/// Tools of which none is of the rule's kinds.
fn find_foreign_kind(selectors: &RuleSelectors, effect: RuleEffect) -> Option<String> {
    let tools = selectors.tools.as_ref().filter(|tools| tools.is_literal() && !selectors.kinds.is_empty())?;
    let is_of_kind = |tool: &str| selectors.kinds.iter().any(|kind| kind.includes(tool, effect));
    let kinds: Vec<_> = selectors.kinds.iter().map(|kind| kind.as_str()).collect();
    (!tools.literals().any(is_of_kind)).then(|| {
        format!("no tool that it names is of the kind {}; remove `tool` or `kind`", kinds.join(" or "))
    })
}

fn describe_dead_pattern(rule: &PolicyRule, pattern: &CommandPattern) -> Option<String> {
    let head = format!("rule {:?} allows nothing with `{}`", rule.name, pattern.as_str());
    if pattern.has_command_separator() {
        return Some(format!(
            "{head}: each command of a line is matched separately, so write one pattern for each"
        ));
    }
    let DeadWord { word, remedy } = pattern.find_dead_word()?;
    if word.starts_with(['<', '>']) {
        return Some(format!(
            "{head}: a redirection is no word of a command; a rule with `inside` covers its file"
        ));
    }
    Some(match remedy {
        Some(remedy) => {
            format!("{head}: no command has the word `{word}`, which is shown as `{remedy}`")
        }
        None => format!(
            "{head}: no pattern shows the word `{word}`, whose value only the shell knows; write a wildcard"
        ),
    })
}

/// A path that is in none of the folders of `inside`.
fn find_disjoint_path(rule: &PolicyRule) -> Option<String> {
    let RuleSelectors { inside: Some(inside), paths, .. } = &rule.matching else { return None };
    if inside.project || paths.is_empty() {
        return None;
    }
    let is_outside = |pattern: &&PathPattern| {
        let start = pattern.as_str().split(['*', '?', '[', '{', '\\']).next().unwrap_or_default();
        let is_apart = |folder: &String| !folder.starts_with(start) && !start.starts_with(folder.as_str());
        start.starts_with('/') && inside.folders.iter().all(is_apart)
    };
    let path = paths.iter().find(is_outside).filter(|_| paths.iter().all(|path| is_outside(&path)))?;
    Some(format!(
        "rule {:?} never matches: `{}` is in no folder of `inside`; remove one of them",
        rule.name,
        path.as_str()
    ))
}
