//! Reads policy settings: defaults, limits, groups, people, trust, tools and secrets.

use super::{
    files::PolicyFiles,
    known_words,
    merge::MergedPolicy,
    node::{PolicyFault, TableKeys, TomlEntry, TomlItem, TomlNode},
    selector::{read_folder, read_names},
    source::PolicyTables,
    verdict::read_verdict,
    zone,
};
use crate::{
    ApproverDirectory, KeyRegistrars, MismatchAction, PendingLimits,
    annotation::HintTrust,
    approvers::PolicyPerson,
    settings::{PolicySettings, SHORTEST_WITHDRAWAL},
    spelling::did_you_mean,
    tools::{OperandKind, OperandMapping},
    value::JsonPointer,
};
use countersign_events::{Principal, RiskLevel, Verdict, id::MAX_NAME_BYTES, principal};
use countersign_redaction::{RedactionPatternError, Redactor};
use std::{collections::HashMap, time::Duration};

/// The longest time that a denial or an unused approval can be remembered.
const MAX_REMEMBER: Duration = Duration::from_hours(1);

/// Reads the settings, and the tables to which rules refer.
pub(super) fn read_settings(
    keys: &mut TableKeys<'_>,
    merged: &MergedPolicy,
    files: &PolicyFiles<'_>,
) -> Result<(PolicySettings, PolicyTables), PolicyFault> {
    let mut settings = PolicySettings::default();
    if let Some(node) = keys.optional("default") {
        settings.default = read_verdict(node)?;
    }
    read_times(keys, &mut settings)?;
    if let Some(node) = keys.optional("approverKeys") {
        settings.key_registrars = read_key_registrars(node)?;
    }
    if let Some(node) = keys.optional("onMismatch") {
        settings.on_mismatch = match node.text("onMismatch")? {
            "record" => MismatchAction::Record,
            "stop" => MismatchAction::Stop,
            _ => return Err(node.fault("`onMismatch` is \"record\" or \"stop\"")),
        };
    }
    if let Some(node) = keys.optional("changedTools") {
        settings.asks_changed_tools = match read_verdict(node)? {
            Verdict::Allow => false,
            Verdict::Ask => true,
            Verdict::Block => {
                return Err(node
                    .fault("`changedTools` is \"allow\" or \"ask\"; a person may always accept the change"));
            }
        };
    }
    read_project(keys, &mut settings)?;
    if let Some(node) = keys.optional("limits") {
        settings.pending_limits = read_limits(node)?;
    }
    if let Some(node) = keys.optional("notify") {
        settings.notified_allow = read_notified(node)?;
    }
    settings.approvers = read_approvers(keys.optional("levels"), keys.optional("approvers"))?;
    let groups = keys.optional("groups").map(read_groups).transpose()?.unwrap_or_default();
    let zones = keys.optional("zones").map(zone::read_roots).transpose()?.unwrap_or_default();
    let approvers = settings.approvers.clone();
    let mut tables = PolicyTables {
        groups,
        approvers,
        zones,
        expires: settings.expires,
        layer_expires: merged.layer_expires,
        layers_start: files.layers_start(),
        advisors: Vec::new(),
        operations: Vec::new(),
    };
    if let Some(node) = keys.optional("trust") {
        settings.trust = read_trust(node, &tables)?;
    }
    if let Some(node) = keys.optional("dangerous") {
        settings.dangerous = read_words(node)?;
    }
    if let Some(node) = keys.optional("redact") {
        settings.redactor = read_redactor(node)?;
    }
    if let Some(node) = keys.optional("tools") {
        let entries = node.keys("tools")?.entries();
        settings.tools =
            entries.iter().map(|entry| read_mapping(entry, &tables)).collect::<Result<_, _>>()?;
        let operations = entries.iter().zip(&settings.tools);
        let operations = operations.filter_map(|(entry, tool)| Some((entry.at, tool.operation.clone()?)));
        tables.operations = operations.collect();
    }
    Ok((settings, tables))
}

fn read_times(keys: &mut TableKeys<'_>, settings: &mut PolicySettings) -> Result<(), PolicyFault> {
    settings.expires = keys.optional("expires").map(|node| node.duration("expires")).transpose()?;
    settings.lapses = keys.optional("lapses").map(|node| node.duration("lapses")).transpose()?;
    if let Some(node) = keys.optional("remember") {
        settings.remember = read_remember(node)?;
    }
    if let Some(node) = keys.optional("withdrawAfter") {
        settings.withdraw_after = read_withdraw_after(node)?;
    }
    Ok(())
}

/// Reads what a policy for coding agents says besides its rules.
fn read_project(keys: &mut TableKeys<'_>, settings: &mut PolicySettings) -> Result<(), PolicyFault> {
    if let Some(node) = keys.optional("observe") {
        settings.observes = node.flag("observe")?;
    }
    if let Some(node) = keys.optional("projectFolders") {
        let folders = node.texts("projectFolders")?.into_iter();
        settings.project_folders =
            folders.map(|(text, node)| read_folder(text, node)).collect::<Result<_, _>>()?;
    }
    Ok(())
}

fn read_remember(node: &TomlNode) -> Result<Duration, PolicyFault> {
    if node.text("remember")? == "0s" {
        return Ok(Duration::ZERO);
    }
    let span = node.duration("remember")?;
    if span > MAX_REMEMBER {
        return Err(node.fault("remember must be at most an hour (\"1h\")"));
    }
    Ok(span)
}

fn read_withdraw_after(node: &TomlNode) -> Result<Option<Duration>, PolicyFault> {
    if node.text("withdrawAfter")? == "0s" {
        return Ok(None);
    }
    let span = node.duration("withdrawAfter")?;
    if span < SHORTEST_WITHDRAWAL {
        return Err(node.fault("withdrawAfter must be at least a minute (\"1m\"), or \"0s\" for never"));
    }
    Ok(Some(span))
}

fn read_key_registrars(node: &TomlNode) -> Result<KeyRegistrars, PolicyFault> {
    match node.text("approverKeys")? {
        "self" => Ok(KeyRegistrars::Approvers),
        "admin" => Ok(KeyRegistrars::Admins),
        other => Err(node.fault(format!("approverKeys must be \"self\" or \"admin\", not {other:?}"))),
    }
}

fn read_limits(node: &TomlNode) -> Result<PendingLimits, PolicyFault> {
    let mut keys = node.keys("limits")?;
    let defaults = PendingLimits::default();
    let mut limit = |key, default| keys.optional(key).map_or(Ok(default), |node| node.count(key));
    let limits = PendingLimits {
        per_thread: limit("pendingPerThread", defaults.per_thread)?,
        per_agent: limit("pendingPerAgent", defaults.per_agent)?,
    };
    keys.reject_unknown()?;
    Ok(limits)
}

/// Reads the risks of calls that a notification may allow.
fn read_notified(node: &TomlNode) -> Result<Vec<RiskLevel>, PolicyFault> {
    let mut keys = node.keys("notify")?;
    let known: Vec<_> = RiskLevel::ALL.iter().map(|risk| (risk.as_str(), *risk)).collect();
    let allow = keys.optional("allow").map(|node| known_words::read_words(node, "risk levels", &known));
    keys.reject_unknown()?;
    Ok(allow.transpose()?.unwrap_or_default())
}

fn read_groups(node: &TomlNode) -> Result<HashMap<String, Vec<String>>, PolicyFault> {
    let mut groups = HashMap::new();
    for entry in node.keys("groups")?.entries() {
        let tools = entry.value.texts("tools")?;
        if let Some((inner, at)) = tools.iter().find(|(tool, _)| tool.starts_with('@')) {
            return Err(at.fault(format!("a group cannot contain the group {inner}; list its tools")));
        }
        let tools = tools.into_iter().map(|(tool, _)| tool.to_owned()).collect();
        groups.insert(entry.key.clone(), tools);
    }
    Ok(groups)
}

fn read_approvers(
    levels: Option<&TomlNode>,
    people: Option<&TomlNode>,
) -> Result<ApproverDirectory, PolicyFault> {
    let levels: Vec<String> = match levels {
        Some(node) => {
            let levels: Vec<_> = node.texts("levels")?;
            for (index, (level, at)) in levels.iter().enumerate() {
                if levels[..index].iter().any(|(before, _)| before == level) {
                    return Err(at.fault(format!("two levels are named {level:?}; remove one")));
                }
                if level.is_empty() || level.len() > MAX_NAME_BYTES || level.contains(char::is_control) {
                    return Err(at.fault(
                        "the name of a level must not be empty, too long or contain control characters",
                    ));
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
            why: format!("name an approver like \"user:ada\": {e}"),
        })?;
        if who.kind() != principal::PrincipalKind::User {
            return Err(PolicyFault {
                at: entry.at,
                why: "only people can approve; name a user such as \"user:ada\"".to_owned(),
            });
        }
        named.insert(entry.key.clone(), read_person(&entry.value, &levels)?);
    }
    Ok(ApproverDirectory::new(levels, named))
}

fn read_person(node: &TomlNode, levels: &[String]) -> Result<PolicyPerson, PolicyFault> {
    let mut keys = node.keys("an approver")?;
    let level = keys.optional("level").map(|node| read_level(node, levels)).transpose()?;
    let groups = keys.optional("groups").map(|node| node.texts("groups")).transpose()?.unwrap_or_default();
    let groups = groups.into_iter().map(|(group, _)| group.trim_start_matches('@').to_owned()).collect();
    keys.reject_unknown()?;
    Ok(PolicyPerson { level: level.or_else(|| levels.first().cloned()).unwrap_or_default(), groups })
}

/// Reads an existing level name.
pub(super) fn read_level(node: &TomlNode, levels: &[String]) -> Result<String, PolicyFault> {
    let text = node.text("a level")?;
    if levels.iter().any(|level| level == text) {
        return Ok(text.to_owned());
    }
    Err(node.fault(format!("unknown level {text:?}{}", did_you_mean(text, levels))))
}

fn read_trust(node: &TomlNode, tables: &PolicyTables) -> Result<HintTrust, PolicyFault> {
    let mut keys = node.keys("trust")?;
    let not_empty = |node: &&TomlNode| !matches!(&node.item, TomlItem::List(nodes) if nodes.is_empty());
    let tools = keys
        .optional("tools")
        .filter(not_empty)
        .map(|node| read_names(node, "tools", Some(tables)))
        .transpose()?;
    let principals =
        keys.optional("principals").map(|node| read_names(node, "principals", None)).transpose()?;
    keys.reject_unknown()?;
    Ok(HintTrust { tools, principals })
}

fn read_words(node: &TomlNode) -> Result<Vec<String>, PolicyFault> {
    let mut keys = node.keys("dangerous")?;
    let list = keys.required("words")?;
    keys.reject_unknown()?;
    match &list.item {
        TomlItem::List(nodes) => nodes
            .iter()
            .map(|node| match node.text("a dangerous word")? {
                "" => Err(node.fault("a dangerous word must not be empty, because every name contains it")),
                word => Ok(word.to_lowercase()),
            })
            .collect(),
        _ => Err(list.fault("words must be a list of strings; write [] to look for none")),
    }
}

fn read_redactor(node: &TomlNode) -> Result<Redactor, PolicyFault> {
    let mut keys = node.keys("redact")?;
    let mut list = |key| -> Result<(Vec<String>, Vec<&TomlNode>), PolicyFault> {
        let texts = keys.optional(key).map(|node| node.texts(key)).transpose()?.unwrap_or_default();
        Ok(texts.into_iter().map(|(text, node)| (text.to_owned(), node)).unzip())
    };
    let ((key_patterns, key_nodes), (values, value_nodes)) = (list("keys")?, list("values")?);
    keys.reject_unknown()?;
    Redactor::new(&key_patterns, &values).map_err(|why| {
        let at = match &why {
            RedactionPatternError::Key { index, .. } => key_nodes.get(*index),
            RedactionPatternError::Value { index, .. } => value_nodes.get(*index),
        };
        at.map_or(node, |at| *at).fault(why.to_string())
    })
}

fn read_mapping(entry: &TomlEntry, tables: &PolicyTables) -> Result<OperandMapping, PolicyFault> {
    let mut keys = entry.value.keys("a tool")?;
    let mut pointers = |key: &'static str| -> Result<Vec<JsonPointer>, PolicyFault> {
        let texts = keys.optional(key).map(|node| node.texts("pointers")).transpose()?;
        let pointer =
            |(text, node): (&str, &TomlNode)| JsonPointer::read(text).map_err(|why| node.fault(why));
        texts.unwrap_or_default().into_iter().map(pointer).collect()
    };
    let mut operands = |kind: OperandKind| pointers(kind.as_str());
    let (commands, urls, paths) =
        (operands(OperandKind::Command)?, operands(OperandKind::Url)?, operands(OperandKind::Path)?);
    let harmless = pointers("harmless")?;
    // It would let a layer widen the exceptions from the blocks of another file.
    let is_layer = entry.at >= tables.layers_start;
    if is_layer && !harmless.is_empty() {
        return Err(entry
            .value
            .fault("only the main file says which arguments are `harmless`; move it there"));
    }
    let operation = keys.optional("operation").map(|node| node.text("operation")).transpose()?;
    let idempotent = keys.optional("idempotent").map(|node| node.flag("idempotent")).transpose()?;
    let argv = keys.optional("argv").map(|node| node.flag("argv")).transpose()?;
    keys.reject_unknown()?;
    Ok(OperandMapping {
        tools: read_names(&entry.key_node(), "tools", Some(tables))?,
        operation: operation.map(str::to_owned),
        commands,
        urls,
        paths,
        idempotent,
        argv,
        harmless,
        is_layer,
    })
}
