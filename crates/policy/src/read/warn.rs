//! What reads well and is probably not meant: rules that say nothing, or two things at once.

use super::{
    place::place,
    source::{PolicyTables, SourcePosition},
};
use crate::{
    names::{NameGlobs, is_literal},
    rule::PolicyRule,
    selector::{ArgumentPredicate, RuleSelectors},
    spelling::did_you_mean,
    warning::PolicyWarning,
};
use countersign_events::event::Verdict;
use countersign_patterns::{CommandPattern, MatchAnswer};

/// Looks through all rules, in the order they stand.
pub(super) fn warnings(
    rules: &[PolicyRule],
    places: &[SourcePosition<'_>],
    book: &PolicyTables,
    text: &str,
) -> Vec<PolicyWarning> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let all: Vec<_> = rules.iter().zip(places).filter(|(rule, _)| !rule.shadow && !rule.is_zone).collect();
    // Only a rule that looks at nothing but the tool can cover another one whole.
    let broad: Vec<_> =
        all.iter().filter(|(rule, _)| rule.unless.is_none() && rule.matching.only_tools()).collect();
    for (index, (rule, at)) in all.iter().enumerate() {
        if let Some((other, _)) = broad.iter().find(|(other, _)| covers(other, rule)) {
            found.push((at.at, dead(rule, other)));
        }
        let twin = all[..index]
            .iter()
            .find(|(other, before)| before.selectors == at.selectors && other.verdict != rule.verdict);
        if let Some((twin, _)) = twin {
            found.push((
                at.at,
                format!(
                    "rules {:?} and {:?} match the same and say different things; the stricter holds",
                    twin.name, rule.name
                ),
            ));
        }
        let odd = odd(rule).into_iter().chain(undecided(rule, book));
        found.extend(odd.map(|text| (at.at, text)));
    }
    found.extend(zones(rules, places, book));
    found.extend(operations(rules, places, book));
    found.sort();
    found.dedup();
    let warning = |(at, what): (usize, String)| {
        let (line, column) = place(text, at);
        PolicyWarning { line, column, text: what }
    };
    found.into_iter().map(warning).collect()
}

fn dead(rule: &PolicyRule, other: &PolicyRule) -> String {
    let fate = if other.verdict == Verdict::Block { "blocked" } else { "asked" };
    format!(
        "rule {:?} never decides: whatever it matches is {fate} by rule {:?}, and the strictest wins; narrow {:?}, or take calls out of it with `unless`",
        rule.name, other.name, other.name
    )
}

/// Whether the other rule is stricter and matches everything that the rule matches.
fn covers(other: &PolicyRule, rule: &PolicyRule) -> bool {
    let (Some(wide), Some(narrow)) = (&other.matching.tools, &rule.matching.tools) else {
        let everything = |names: &NameGlobs| names.patterns.iter().any(|pattern| pattern == "*");
        return other.verdict > rule.verdict && other.matching.tools.as_ref().is_some_and(everything);
    };
    let covered = |pattern: &String| {
        wide.patterns.iter().any(|wide| wide == "*" || wide == pattern)
            || is_literal(pattern) && wide.is_match(pattern)
    };
    other.verdict > rule.verdict && narrow.patterns.iter().all(covered)
}

/// What is odd about one rule alone.
fn odd(rule: &PolicyRule) -> Vec<String> {
    let mut found = Vec::new();
    let RuleSelectors { tools, args, .. } = &rule.matching;
    let speaks = |predicates: &[ArgumentPredicate]| {
        predicates.iter().any(|p| matches!(p, ArgumentPredicate::Exists(_)))
    };
    if let (None, true, Some((pointer, _))) =
        (tools, rule.verdict != Verdict::Allow, args.iter().find(|(_, predicates)| !speaks(predicates)))
    {
        found.push(format!(
            "rule {:?} names no tool, so it matches every call that has no {} at all; name the tools, or add `exists = true`",
            rule.name,
            pointer.as_str()
        ));
    }
    let loose = |predicate: &ArgumentPredicate| match predicate {
        ArgumentPredicate::Regex(regex) => {
            !(regex.as_str().starts_with('^') && regex.as_str().ends_with('$'))
        }
        _ => false,
    };
    if rule.verdict == Verdict::Allow && args.iter().flat_map(|(_, predicates)| predicates).any(loose) {
        found.push(format!(
            "rule {:?} allows whatever holds a match of its `regex` anywhere; begin it with ^ and end it with $",
            rule.name
        ));
    }
    let several = |pattern: &&CommandPattern| pattern.has_command_separator();
    if let (Verdict::Allow, Some(pattern)) = (rule.verdict, rule.matching.commands.iter().find(several)) {
        found.push(format!(
            "rule {:?} allows nothing by `{}`: each command of a line is looked at by itself, so give each a pattern of its own",
            rule.name,
            pattern.as_str()
        ));
    }
    found
}

/// What people are asked and may never come to.
fn undecided(rule: &PolicyRule, book: &PolicyTables) -> Vec<String> {
    let mut found = Vec::new();
    let (name, terms) = (&rule.name, &rule.terms);
    if let Some(end) = terms.expires.or(book.expires) {
        let late =
            [("remindAfter", terms.remind_after), ("escalateAfter", terms.escalate.as_ref().map(|to| to.0))];
        for (key, _) in late.into_iter().filter(|(_, after)| after.is_some_and(|after| after >= end)) {
            found.push(format!("what rule {name:?} asks is over before its `{key}` comes; say a shorter time, or a longer `expires`"));
        }
    }
    let (allow, deny) = (terms.quorum.unwrap_or(1), terms.denials.unwrap_or(1));
    let people = book.approvers.count(&terms.approvers);
    let enough = u64::from(allow) + u64::from(deny) <= people as u64 + 1;
    if !terms.approvers.is_empty() && !enough {
        found.push(format!(
            "rule {name:?} takes {allow} to allow and {deny} to deny, and `approvers` means {people}: if they disagree, nobody decides; name more of them, or lower `denials`"
        ));
    }
    found
}

/// The operations that a rule speaks of.
fn spoken(rule: &PolicyRule) -> impl Iterator<Item = &str> {
    let selectors = rule.unless.iter().chain([&rule.matching]);
    selectors.flat_map(|selectors| &selectors.operations).map(String::as_str)
}

/// Operations that only one side speaks of: the rules and zones, or [tools].
fn operations(
    rules: &[PolicyRule],
    places: &[SourcePosition<'_>],
    book: &PolicyTables,
) -> Vec<(usize, String)> {
    let usual = ["read", "write", "delete"];
    let done: Vec<&str> = book.operations.iter().map(|(_, operation)| operation.as_str()).collect();
    let wanted: Vec<&str> = rules.iter().flat_map(spoken).collect();
    let mut found = Vec::new();
    for (rule, at) in rules.iter().zip(places) {
        let known = [usual.as_slice(), done.as_slice()].concat();
        for operation in spoken(rule).filter(|operation| !known.contains(operation)) {
            let hint = did_you_mean(operation, &known);
            found.push((
                at.at,
                format!(
                    "rule {:?} speaks of the operation {operation:?}, and no [tools] entry does{hint}",
                    rule.name
                ),
            ));
        }
    }
    let known = [usual.as_slice(), wanted.as_slice()].concat();
    for (at, operation) in
        book.operations.iter().filter(|(_, operation)| !known.contains(&operation.as_str()))
    {
        let hint = did_you_mean(operation, &known);
        found.push((*at, format!("no zone and no rule speaks of the operation {operation:?}{hint}")));
    }
    found
}

/// Zones that lie in each other, of which the stricter holds.
fn zones(rules: &[PolicyRule], places: &[SourcePosition<'_>], book: &PolicyTables) -> Vec<(usize, String)> {
    let named = |rule: &PolicyRule| {
        rule.matching.zone.as_ref().filter(|_| rule.is_zone).map(|zone| zone.name.clone())
    };
    let mut found = Vec::new();
    for (rule, at) in rules.iter().zip(places) {
        let Some(inner) = named(rule) else { continue };
        let Some(root) = book.zones.get(&inner) else { continue };
        let mut outer: Vec<_> = book
            .zones
            .iter()
            .filter(|(name, wide)| **name != inner && root.is_within(wide) == MatchAnswer::Yes)
            .collect();
        outer.sort_by_key(|(name, _)| *name);
        for (outer, _) in outer {
            found.push((at.at, format!("zone {inner:?} lies in zone {outer:?}; where both speak of an operation the stricter holds")));
        }
    }
    found
}
