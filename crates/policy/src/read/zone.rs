//! Reading zones: each stands for one rule per operation.

use super::{
    node::{PolicyFault, TomlNode},
    source::{ParsedRule, SourcePosition},
    verdict::verdict,
};
use crate::{
    judgement::OwnTerms,
    rule::PolicyRule,
    selector::{PathZone, RuleSelectors},
};
use countersign_patterns as pattern;
use std::collections::HashMap;

/// The root of each zone.
pub(super) fn roots(node: &TomlNode) -> Result<HashMap<String, pattern::ParsedPath>, PolicyFault> {
    let mut roots = HashMap::new();
    for entry in node.keys("zones")?.entries() {
        let mut keys = entry.value.keys("a zone")?;
        roots.insert(entry.key.clone(), root(keys.need("root")?)?);
    }
    Ok(roots)
}

fn root(node: &TomlNode) -> Result<pattern::ParsedPath, PolicyFault> {
    let text = node.text("root")?;
    if !text.starts_with('/') {
        return Err(node.fault(format!("the root of a zone is an absolute path, and {text:?} is not")));
    }
    let root = pattern::ParsedPath::parse(text);
    match root.normal() {
        Some(plain) if plain == text => Ok(root),
        Some(plain) => Err(node.fault(format!("write the root as it is meant: {plain:?}"))),
        None => Err(node.fault(format!("nobody can say where {text:?} leads"))),
    }
}

/// What the zones say, as rules.
pub(super) fn rules(node: &TomlNode) -> Result<Vec<ParsedRule<'_>>, PolicyFault> {
    let mut rules = Vec::new();
    for entry in node.keys("zones")?.entries() {
        let mut keys = entry.value.keys("a zone")?;
        let zone = PathZone { name: entry.key.clone(), root: root(keys.need("root")?)? };
        let reason = keys.take("reason").map(|node| node.text("reason")).transpose()?;
        let before = rules.len();
        for operation in
            keys.entries().iter().filter(|entry| !["root", "reason"].contains(&entry.key.as_str()))
        {
            let matching = RuleSelectors {
                zone: Some(zone.clone()),
                operations: vec![operation.key.clone()],
                ..RuleSelectors::default()
            };
            let rule = PolicyRule {
                name: format!("zone-{}", zone.name),
                verdict: verdict(&operation.value)?,
                reason: reason.map(str::to_owned),
                shadow: false,
                is_zone: true,
                matching,
                unless: None,
                terms: OwnTerms::default(),
            };
            rules.push((rule, SourcePosition { at: entry.at, examples: None, selectors: String::new() }));
        }
        if rules.len() == before {
            return Err(PolicyFault {
                at: entry.at,
                why: "the zone says nothing of any operation; give it a `read`, `write` or `delete`"
                    .to_owned(),
            });
        }
    }
    Ok(rules)
}
