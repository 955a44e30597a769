//! Reading zones: each stands for one rule per operation.

use super::{
    node::{Fault, Node},
    source::{Place, Read},
    verdict::verdict,
};
use crate::{
    judgement::OwnTerms,
    rule::Rule,
    selector::{Selectors, Zone},
};
use countersign_patterns as pattern;
use std::collections::HashMap;

/// The root of each zone.
pub(super) fn roots(node: &Node) -> Result<HashMap<String, pattern::Place>, Fault> {
    let mut roots = HashMap::new();
    for entry in node.keys("zones")?.entries() {
        let mut keys = entry.value.keys("a zone")?;
        roots.insert(entry.key.clone(), root(keys.need("root")?)?);
    }
    Ok(roots)
}

fn root(node: &Node) -> Result<pattern::Place, Fault> {
    let text = node.text("root")?;
    if !text.starts_with('/') {
        return Err(node.fault(format!("the root of a zone is an absolute path, and {text:?} is not")));
    }
    let root = pattern::Place::read(text);
    match root.normal() {
        Some(plain) if plain == text => Ok(root),
        Some(plain) => Err(node.fault(format!("write the root as it is meant: {plain:?}"))),
        None => Err(node.fault(format!("nobody can say where {text:?} leads"))),
    }
}

/// What the zones say, as rules.
pub(super) fn rules(node: &Node) -> Result<Vec<Read<'_>>, Fault> {
    let mut rules = Vec::new();
    for entry in node.keys("zones")?.entries() {
        let mut keys = entry.value.keys("a zone")?;
        let zone = Zone { name: entry.key.clone(), root: root(keys.need("root")?)? };
        let reason = keys.take("reason").map(|node| node.text("reason")).transpose()?;
        let before = rules.len();
        for operation in
            keys.entries().iter().filter(|entry| !["root", "reason"].contains(&entry.key.as_str()))
        {
            let matching = Selectors {
                zone: Some(zone.clone()),
                operations: vec![operation.key.clone()],
                ..Selectors::default()
            };
            let rule = Rule {
                name: format!("zone-{}", zone.name),
                verdict: verdict(&operation.value)?,
                reason: reason.map(str::to_owned),
                shadow: false,
                is_zone: true,
                matching,
                unless: None,
                terms: OwnTerms::default(),
            };
            rules.push((rule, Place { at: entry.at, examples: None, selectors: String::new() }));
        }
        if rules.len() == before {
            return Err(Fault {
                at: entry.at,
                why: "the zone says nothing of any operation; give it a `read`, `write` or `delete`"
                    .to_owned(),
            });
        }
    }
    Ok(rules)
}
