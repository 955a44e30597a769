//! Everything of a policy file but its rules: defaults, groups, people, trust, tools, secrets.

use super::{
    node::{PolicyFault, TableKeys, TomlEntry, TomlItem, TomlNode},
    selector::names,
    source::PolicyTables,
    verdict::verdict,
    zone,
};
use crate::{
    annotation::HintTrust,
    approvers::{ApproverDirectory, PolicyPerson},
    settings::PolicySettings,
    spelling::did_you_mean,
    tools::{OperandKind, OperandMapping},
    value::JsonPointer,
};
use countersign_events::{Principal, id::MAX_NAME_BYTES, principal};
use countersign_redaction::{RedactionPatternError, Redactor};
use std::{collections::HashMap, time::Duration};

/// The longest they can be.
const REMEMBER_AT_MOST: Duration = Duration::from_hours(1);

/// Reads the settings, and the names that rules refer to.
pub(super) fn settings(keys: &mut TableKeys<'_>) -> Result<(PolicySettings, PolicyTables), PolicyFault> {
    let mut settings = PolicySettings::default();
    if let Some(node) = keys.take("default") {
        settings.default = verdict(node)?;
    }
    settings.expires = keys.take("expires").map(|node| node.span("expires")).transpose()?;
    settings.lapses = keys.take("lapses").map(|node| node.span("lapses")).transpose()?;
    if let Some(node) = keys.take("remember") {
        settings.remember = remember(node)?;
    }
    settings.approvers = approvers(keys.take("levels"), keys.take("approvers"))?;
    let groups = keys.take("groups").map(groups).transpose()?.unwrap_or_default();
    let zones = keys.take("zones").map(zone::roots).transpose()?.unwrap_or_default();
    let approvers = settings.approvers.clone();
    let mut book =
        PolicyTables { groups, approvers, zones, expires: settings.expires, operations: Vec::new() };
    if let Some(node) = keys.take("trust") {
        settings.trust = trust(node, &book)?;
    }
    if let Some(node) = keys.take("dangerous") {
        settings.dangerous = words(node)?;
    }
    if let Some(node) = keys.take("redact") {
        settings.redactor = redactor(node)?;
    }
    if let Some(node) = keys.take("tools") {
        let entries = node.keys("tools")?.entries();
        settings.tools = entries.iter().map(|entry| mapping(entry, &book)).collect::<Result<_, _>>()?;
        let said = entries.iter().zip(&settings.tools);
        let said = said.filter_map(|(entry, tool)| Some((entry.at, tool.operation.clone()?)));
        book.operations = said.collect();
    }
    Ok((settings, book))
}

fn remember(node: &TomlNode) -> Result<Duration, PolicyFault> {
    if node.text("remember")? == "0s" {
        return Ok(Duration::ZERO);
    }
    let span = node.span("remember")?;
    if span > REMEMBER_AT_MOST {
        return Err(node.fault("nothing is remembered for longer than an hour (\"1h\")"));
    }
    Ok(span)
}

fn groups(node: &TomlNode) -> Result<HashMap<String, Vec<String>>, PolicyFault> {
    let mut groups = HashMap::new();
    for entry in node.keys("groups")?.entries() {
        let tools = entry.value.texts("tools")?;
        if let Some((inner, at)) = tools.iter().find(|(tool, _)| tool.starts_with('@')) {
            return Err(at.fault(format!("{inner} cannot stand in a group; a group lists tools, not groups")));
        }
        let tools = tools.into_iter().map(|(tool, _)| tool.to_owned()).collect();
        groups.insert(entry.key.clone(), tools);
    }
    Ok(groups)
}

fn approvers(levels: Option<&TomlNode>, people: Option<&TomlNode>) -> Result<ApproverDirectory, PolicyFault> {
    let levels: Vec<String> = match levels {
        Some(node) => {
            let levels: Vec<_> = node.texts("levels")?;
            for (index, (level, at)) in levels.iter().enumerate() {
                if levels[..index].iter().any(|(before, _)| before == level) {
                    return Err(at.fault(format!("there are two levels named {level:?}")));
                }
                if level.is_empty() || level.len() > MAX_NAME_BYTES || level.contains(char::is_control) {
                    return Err(at.fault("a level has a name without control characters"));
                }
            }
            levels.into_iter().map(|(level, _)| level.to_owned()).collect()
        }
        None => ApproverDirectory::default().levels().to_vec(),
    };
    let mut named = HashMap::new();
    let entries = people.map(|node| node.keys("approvers")).transpose()?;
    for entry in entries.iter().flat_map(TableKeys::entries) {
        let who: Principal = entry.key.parse().map_err(|e| PolicyFault {
            at: entry.at,
            why: format!("an approver is named as \"user:ada\" is: {e}"),
        })?;
        if who.kind() != principal::PrincipalKind::User {
            return Err(PolicyFault {
                at: entry.at,
                why: "only people approve, so name a \"user:…\"".to_owned(),
            });
        }
        named.insert(entry.key.clone(), person(&entry.value, &levels)?);
    }
    Ok(ApproverDirectory::new(levels, named))
}

fn person(node: &TomlNode, levels: &[String]) -> Result<PolicyPerson, PolicyFault> {
    let mut keys = node.keys("an approver")?;
    let level = keys.take("level").map(|node| level(node, levels)).transpose()?;
    let groups = keys.take("groups").map(|node| node.texts("groups")).transpose()?.unwrap_or_default();
    let groups = groups.into_iter().map(|(group, _)| group.trim_start_matches('@').to_owned()).collect();
    keys.done()?;
    Ok(PolicyPerson { level: level.or_else(|| levels.first().cloned()).unwrap_or_default(), groups })
}

/// One of the levels.
pub(super) fn level(node: &TomlNode, levels: &[String]) -> Result<String, PolicyFault> {
    let text = node.text("a level")?;
    if levels.iter().any(|level| level == text) {
        return Ok(text.to_owned());
    }
    Err(node.fault(format!("there is no level {text:?}{}", did_you_mean(text, levels))))
}

fn trust(node: &TomlNode, book: &PolicyTables) -> Result<HintTrust, PolicyFault> {
    let mut keys = node.keys("trust")?;
    let not_empty = |node: &&TomlNode| !matches!(&node.item, TomlItem::List(nodes) if nodes.is_empty());
    let tools =
        keys.take("tools").filter(not_empty).map(|node| names(node, "tools", Some(book))).transpose()?;
    let principals = keys.take("principals").map(|node| names(node, "principals", None)).transpose()?;
    keys.done()?;
    Ok(HintTrust { tools, principals })
}

fn words(node: &TomlNode) -> Result<Vec<String>, PolicyFault> {
    let mut keys = node.keys("dangerous")?;
    let list = keys.need("words")?;
    keys.done()?;
    match &list.item {
        TomlItem::List(nodes) => nodes
            .iter()
            .map(|node| match node.text("a dangerous word")? {
                "" => Err(node.fault("an empty word would stand in every name")),
                word => Ok(word.to_lowercase()),
            })
            .collect(),
        _ => Err(list.fault("words takes a list of strings; an empty one looks for none")),
    }
}

fn redactor(node: &TomlNode) -> Result<Redactor, PolicyFault> {
    let mut keys = node.keys("redact")?;
    let mut list = |key| -> Result<(Vec<String>, Vec<&TomlNode>), PolicyFault> {
        let texts = keys.take(key).map(|node| node.texts(key)).transpose()?.unwrap_or_default();
        Ok(texts.into_iter().map(|(text, node)| (text.to_owned(), node)).unzip())
    };
    let ((names, of_names), (values, of_values)) = (list("keys")?, list("values")?);
    keys.done()?;
    Redactor::new(&names, &values).map_err(|why| {
        let at = match &why {
            RedactionPatternError::Key { index, .. } => of_names.get(*index),
            RedactionPatternError::Value { index, .. } => of_values.get(*index),
        };
        at.map_or(node, |at| *at).fault(why.to_string())
    })
}

fn mapping(entry: &TomlEntry, book: &PolicyTables) -> Result<OperandMapping, PolicyFault> {
    let mut keys = entry.value.keys("a tool")?;
    let mut pointers = |kind: OperandKind| -> Result<Vec<JsonPointer>, PolicyFault> {
        let texts = keys.take(kind.as_str()).map(|node| node.texts("pointers")).transpose()?;
        let pointer =
            |(text, node): (&str, &TomlNode)| JsonPointer::read(text).map_err(|why| node.fault(why));
        texts.unwrap_or_default().into_iter().map(pointer).collect()
    };
    let (commands, urls, paths) =
        (pointers(OperandKind::Command)?, pointers(OperandKind::Url)?, pointers(OperandKind::Path)?);
    let operation = keys.take("operation").map(|node| node.text("operation")).transpose()?;
    let idempotent = keys.take("idempotent").map(|node| node.flag("idempotent")).transpose()?;
    keys.done()?;
    Ok(OperandMapping {
        tools: names(&entry.name(), "tools", Some(book))?,
        operation: operation.map(str::to_owned),
        commands,
        urls,
        paths,
        idempotent,
    })
}
