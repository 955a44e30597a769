//! Reads zones. A zone defines one rule for each of its operations.

use super::{
    node::{PolicyFault, TomlNode},
    source::{ParsedRule, SourcePosition},
    verdict::read_verdict,
};
use crate::{
    rule::PolicyRule,
    selector::{PathZone, RuleSelectors},
};
use countersign_events::Verdict;
use countersign_patterns as pattern;
use std::collections::HashMap;

/// Reads the root of each zone.
pub(super) fn read_roots(node: &TomlNode) -> Result<HashMap<String, pattern::ParsedPath>, PolicyFault> {
    let mut roots = HashMap::new();
    for entry in node.keys("zones")?.entries() {
        let mut keys = entry.value.keys("a zone")?;
        roots.insert(entry.key.clone(), read_root(keys.required("root")?)?);
    }
    Ok(roots)
}

fn read_root(node: &TomlNode) -> Result<pattern::ParsedPath, PolicyFault> {
    let text = node.text("root")?;
    if !text.starts_with('/') {
        return Err(node.fault(format!("the root of a zone must be an absolute path, but {text:?} is not")));
    }
    let root = pattern::ParsedPath::parse_literal(text);
    match root.normal() {
        Some(plain) if plain == text => Ok(root),
        Some(plain) => Err(node.fault(format!("the root of a zone must be in normal form; write {plain:?}"))),
        None => Err(node.fault(format!("the target of {text:?} is unknown; write a path without variables"))),
    }
}

/// Reads the rules that the zones define.
pub(super) fn read_rules(node: &TomlNode) -> Result<Vec<ParsedRule<'_>>, PolicyFault> {
    let mut rules = Vec::new();
    for entry in node.keys("zones")?.entries() {
        let mut keys = entry.value.keys("a zone")?;
        let zone = PathZone { name: entry.key.clone(), root: read_root(keys.required("root")?)? };
        let reason = keys.optional("reason").map(|node| node.text("reason")).transpose()?;
        let before = rules.len();
        for operation in
            keys.entries().iter().filter(|entry| !["root", "reason"].contains(&entry.key.as_str()))
        {
            let matching = RuleSelectors {
                zone: Some(zone.clone()),
                operations: vec![operation.key.clone()],
                ..RuleSelectors::default()
            };
            let (name, verdict) = (format!("zone-{}", zone.name), read_verdict(&operation.value)?);
            let rule = PolicyRule {
                reason: reason.map(str::to_owned),
                is_zone: true,
                ..PolicyRule::new(name, verdict, matching)
            };
            rules.push((
                rule,
                SourcePosition {
                    at: entry.at,
                    verdict_at: operation.at,
                    examples: None,
                    selectors: String::new(),
                    is_always_excepted: false,
                },
            ));
        }
        if rules.len() == before {
            return Err(PolicyFault {
                at: entry.at,
                why: "the zone has no operation; add `read`, `write` or `delete`".to_owned(),
            });
        }
    }
    Ok(rules)
}

/// One rule for each zone, which asks about operations that the zone has no verdict for.
pub(super) fn ask_about_other_operations(rules: &[PolicyRule]) -> Vec<PolicyRule> {
    let mut found: Vec<PolicyRule> = Vec::new();
    for rule in rules.iter().filter(|rule| rule.is_zone) {
        let Some(zone) =
            rule.matching.zone.as_ref().filter(|_| found.iter().all(|other| other.name != rule.name))
        else {
            continue;
        };
        let reason = format!("the path is in zone `{}`, which has no verdict for this operation", zone.name);
        let matching = RuleSelectors { zone: Some(zone.clone()), ..RuleSelectors::default() };
        found.push(PolicyRule { verdict: Verdict::Ask, reason: Some(reason), matching, ..rule.clone() });
    }
    found
}
