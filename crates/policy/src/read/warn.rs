//! Finds rules that are valid and probably mistakes, such as rules without effect or with contradictions.

use super::{
    advisor::{find_unused_advisors, find_unused_attachments},
    files::{FilePosition, PolicyFiles},
    never::find_dead_parts,
    parts::PolicyParts,
    shipped::is_shipped_rule,
    source::{PolicyTables, SourcePosition},
};
use crate::{
    PolicyWarning,
    command_operand::names_other_shell,
    harmless::constant_effects,
    names::{NameGlobs, is_literal},
    rule::PolicyRule,
    selector::{ArgumentPredicate, RuleSelectors},
    spelling::did_you_mean,
};
use countersign_events::Verdict;
use countersign_patterns::MatchAnswer;

/// Checks all rules.
pub(super) fn find_warnings(parts: &PolicyParts<'_>, files: &PolicyFiles<'_>) -> Vec<PolicyWarning> {
    let PolicyParts { tables, advisors, rules, positions, .. } = parts;
    let mut found: Vec<(usize, String)> = Vec::new();
    let all: Vec<_> = rules.iter().zip(positions).filter(|(rule, _)| !rule.shadow && !rule.is_zone).collect();
    // Only a rule that has no selector besides the tool can match every call that another rule matches.
    let broad: Vec<_> =
        all.iter().filter(|(rule, _)| rule.unless.is_none() && rule.matching.only_tools()).collect();
    for (index, (rule, at)) in all.iter().enumerate() {
        if let Some((other, _)) = broad.iter().find(|(other, _)| covers(other, rule)) {
            found.push((at.at, describe_covered_rule(rule, other)));
        }
        let twin = all[..index].iter().find(|(other, before)| {
            before.selectors == at.selectors && strictness(other) != strictness(rule)
        });
        if let Some((twin, _)) = twin {
            found.push((
                at.at,
                format!(
                    "rules {:?} and {:?} match the same calls with different verdicts; the stricter applies",
                    twin.name, rule.name
                ),
            ));
        }
        let mistakes = find_mistakes(rule).into_iter().chain(find_unreachable_terms(rule, tables));
        let options = find_effect_options(rule).into_iter();
        let options = options.filter(|_| !is_shipped_rule(rule, at));
        let warnings = mistakes.chain(options).chain(find_unnamed_effects(rule));
        found.extend(warnings.map(|text| (at.at, text)));
    }
    let names_advisor = |name: &str| all.iter().any(|(rule, _)| rule.terms.advisor.as_deref() == Some(name));
    found.extend(find_unused_advisors(advisors, names_advisor));
    found.extend(find_unused_attachments(advisors, files));
    found.extend(find_nested_zones(rules, positions, tables));
    found.extend(find_unused_operations(rules, positions, tables));
    let dead = all
        .iter()
        .flat_map(|(rule, at)| find_dead_parts(rule, at).into_iter().map(|text| (at.at, text, true)));
    let mut found: Vec<_> = found.into_iter().map(|(at, text)| (at, text, false)).chain(dead).collect();
    found.sort();
    found.dedup();
    let warning = |(at, text, never_matches): (usize, String, bool)| {
        let FilePosition { file, line, column } = files.position(at);
        PolicyWarning { file, line, column, text, never_matches }
    };
    found.into_iter().map(warning).collect()
}

fn describe_covered_rule(rule: &PolicyRule, other: &PolicyRule) -> String {
    let outcome = if other.verdict == Verdict::Block { "blocks" } else { "asks about" };
    format!(
        "rule {:?} never decides: rule {:?} {outcome} every call that it matches, and the strictest wins; narrow {:?}, or exclude calls from it with `unless`",
        rule.name, other.name, other.name
    )
}

/// Rule strictness: `block`, `ask`, `advised`, `allow`.
fn strictness(rule: &PolicyRule) -> (Verdict, bool) {
    (rule.verdict, rule.terms.advisor.is_none())
}

/// Returns true if the other rule is stricter and matches every call that the rule matches.
fn covers(other: &PolicyRule, rule: &PolicyRule) -> bool {
    let (Some(wide), Some(narrow)) = (&other.matching.tools, &rule.matching.tools) else {
        let everything = |names: &NameGlobs| names.patterns.iter().any(|pattern| pattern == "*");
        return strictness(other) > strictness(rule) && other.matching.tools.as_ref().is_some_and(everything);
    };
    let covered = |pattern: &String| {
        wide.patterns.iter().any(|wide| wide == "*" || wide == pattern)
            || is_literal(pattern) && wide.is_match(pattern)
    };
    strictness(other) > strictness(rule) && narrow.patterns.iter().all(covered)
}

/// Finds probable mistakes in one rule.
fn find_mistakes(rule: &PolicyRule) -> Vec<String> {
    let mut found = Vec::new();
    let RuleSelectors { tools, args, .. } = &rule.matching;
    let checks_existence = |predicates: &[ArgumentPredicate]| {
        predicates.iter().any(|p| matches!(p, ArgumentPredicate::Exists(_)))
    };
    if let (None, true, Some((pointer, _))) = (
        tools,
        rule.verdict != Verdict::Allow,
        args.iter().find(|(_, predicates)| !checks_existence(predicates)),
    ) {
        found.push(format!(
            "rule {:?} names no tool, so it also matches every call without {}; name the tools, or add `exists = true`",
            rule.name,
            pointer.as_str()
        ));
    }
    let is_unanchored = |predicate: &ArgumentPredicate| match predicate {
        ArgumentPredicate::Regex(regex) => {
            !(regex.as_str().starts_with('^') && regex.as_str().ends_with('$'))
        }
        _ => false,
    };
    if rule.verdict == Verdict::Allow && args.iter().flat_map(|(_, predicates)| predicates).any(is_unanchored)
    {
        found.push(format!(
            "rule {:?} allows every value that contains a match of its `regex`; begin it with ^ and end it with $",
            rule.name
        ));
    }
    let shells = tools.iter().flat_map(|tools| &tools.patterns).find(|tool| names_other_shell(tool));
    if let (Verdict::Allow, Some(tool), false) = (rule.verdict, shells, rule.matching.commands.is_empty()) {
        found.push(format!(
            "rule {:?} allows nothing of `{tool}` by command, because only POSIX shells are read; allow the tool with other conditions, or not at all",
            rule.name
        ));
    }
    found
}

/// Finds patterns that allow an option with an effect and any value, or that seem to allow options that they do not
/// cover.
fn find_effect_options(rule: &PolicyRule) -> Vec<String> {
    let mut found = Vec::new();
    if rule.verdict != Verdict::Allow {
        return found;
    }
    for pattern in &rule.matching.commands {
        for (option, effect) in pattern.open_options() {
            found.push(format!(
                "rule {:?} allows `{}`: `{option}` {}, and the wildcard allows any argument; write out the arguments that you expect",
                rule.name,
                pattern.as_str(),
                effect.as_verb()
            ));
        }
        if let Some(program) = pattern.unknown_program() {
            found.push(format!(
                "rule {:?} covers no options with `{}`, because those of `{program}` are not known; write out the options that you allow, such as `{program} --option **`",
                rule.name,
                pattern.as_str()
            ));
        }
        let uncovered = pattern.uncovered_options();
        if !uncovered.is_empty() {
            let some: Vec<_> = uncovered.iter().take(3).map(|option| format!("`{option}`")).collect();
            found.push(format!(
                "rule {:?} does not cover options with an effect with `{}`, such as {}; name an option in a pattern to allow it",
                rule.name,
                pattern.as_str(),
                some.join(", ")
            ));
        }
    }
    found
}

/// Finds tools whose calls a rule can never allow, because each call has an argument with an effect that the rule does
/// not name.
fn find_unnamed_effects(rule: &PolicyRule) -> Vec<String> {
    let (selectors, kinds) = (&rule.matching, rule.matching.operand_kinds());
    let tools = selectors.tools.iter().flat_map(|tools| &tools.patterns).filter(|tool| is_literal(tool));
    if rule.verdict != Verdict::Allow || kinds.is_empty() || selectors.when.is_some() {
        return Vec::new();
    }
    let names = |key: &str| {
        selectors.args.iter().any(|(pointer, _)| pointer.steps().first().is_some_and(|step| step == key))
    };
    let unnamed = |tool: &String| {
        let effects = constant_effects(tool, &kinds).filter(|(key, _)| !names(key));
        effects.map(|(key, why)| format!(
            "rule {:?} allows no call of {tool:?}: each has the argument `{key}`, and {why}; name it in `args`, for example \"/{key}\" = {{ glob = \"…\" }}",
            rule.name
        )).collect::<Vec<_>>()
    };
    tools.flat_map(unnamed).collect()
}

/// Finds terms that can never take effect, or with which people may reach no decision.
fn find_unreachable_terms(rule: &PolicyRule, tables: &PolicyTables) -> Vec<String> {
    let mut found = Vec::new();
    let (name, terms) = (&rule.name, &rule.terms);
    if let Some(end) = terms.expires.or(tables.expires) {
        let late =
            [("remindAfter", terms.remind_after), ("escalateAfter", terms.escalate.as_ref().map(|to| to.0))];
        for (key, _) in late.into_iter().filter(|(_, after)| after.is_some_and(|after| after >= end)) {
            found.push(format!("a request of rule {name:?} expires before its `{key}`; set a shorter `{key}`, or a longer `expires`"));
        }
    }
    let (allow, deny) = (terms.quorum.unwrap_or(1), terms.denials.unwrap_or(1));
    let people = tables.approvers.count_people(&terms.approvers);
    let is_decidable = u64::from(allow) + u64::from(deny) <= people as u64 + 1;
    if !terms.approvers.is_empty() && !is_decidable {
        found.push(format!(
            "rule {name:?} needs {allow} to allow and {deny} to deny, but `approvers` names {people}: if they disagree, there is no decision; name more people, or lower `denials`"
        ));
    }
    found
}

/// The operations that a rule names.
fn named_operations(rule: &PolicyRule) -> impl Iterator<Item = &str> {
    let selectors = rule.unless.iter().chain([&rule.matching]);
    selectors.flat_map(|selectors| &selectors.operations).map(String::as_str)
}

/// Finds operations that only the rules and zones name, or only `[tools]`.
fn find_unused_operations(
    rules: &[PolicyRule],
    positions: &[SourcePosition<'_>],
    tables: &PolicyTables,
) -> Vec<(usize, String)> {
    let usual = ["read", "write", "delete"];
    let defined: Vec<&str> = tables.operations.iter().map(|(_, operation)| operation.as_str()).collect();
    let used: Vec<&str> = rules.iter().flat_map(named_operations).collect();
    let mut found = Vec::new();
    for (rule, at) in rules.iter().zip(positions) {
        let known = [usual.as_slice(), defined.as_slice()].concat();
        for operation in named_operations(rule).filter(|operation| !known.contains(operation)) {
            let hint = did_you_mean(operation, &known);
            found.push((
                at.at,
                format!(
                    "rule {:?} names the operation {operation:?}, but no [tools] entry has it{hint}",
                    rule.name
                ),
            ));
        }
    }
    let known = [usual.as_slice(), used.as_slice()].concat();
    for (at, operation) in
        tables.operations.iter().filter(|(_, operation)| !known.contains(&operation.as_str()))
    {
        let hint = did_you_mean(operation, &known);
        found.push((*at, format!("no zone and no rule names the operation {operation:?}{hint}")));
    }
    found
}

/// Finds zones inside other zones, where the stricter applies.
fn find_nested_zones(
    rules: &[PolicyRule],
    positions: &[SourcePosition<'_>],
    tables: &PolicyTables,
) -> Vec<(usize, String)> {
    let zone_name = |rule: &PolicyRule| {
        rule.matching.zone.as_ref().filter(|_| rule.is_zone).map(|zone| zone.name.clone())
    };
    let mut found = Vec::new();
    for (rule, at) in rules.iter().zip(positions) {
        let Some(inner) = zone_name(rule) else { continue };
        let Some(root) = tables.zones.get(&inner) else { continue };
        let mut outer: Vec<_> = tables
            .zones
            .iter()
            .filter(|(name, wide)| **name != inner && root.is_within(wide) == MatchAnswer::Yes)
            .collect();
        outer.sort_by_key(|(name, _)| *name);
        for (outer, _) in outer {
            found.push((
                at.at,
                format!(
                    "zone {inner:?} is inside zone {outer:?}; if both name an operation, the stricter applies"
                ),
            ));
        }
    }
    found
}
