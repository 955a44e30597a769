//! Reads the selectors of rules, exceptions and the patterns of grants.

use super::{
    node::{PolicyFault, TableKeys, TomlEntry, TomlItem, TomlNode},
    predicate::read_arguments,
    source::PolicyTables,
};
use crate::{
    annotation::{ExpectedHint, ToolHint},
    condition::CompiledCondition,
    harmless::ToolKind,
    names::NameGlobs,
    selector::{ClaimedImpact, InsideSelector, PathZone, PlaceSelector, RuleSelectors},
    spelling::did_you_mean,
    value::OrderedValue,
};
use countersign_events::{RiskLevel, Verdict};
use countersign_patterns::{CommandPattern, Glob, PathPattern, UrlPattern, command::PathAccess, path};

/// The rule or exception that has the selectors.
#[derive(Clone, Copy)]
pub(super) struct SelectorOwner {
    /// Whether a match allows more.
    widens: bool,
}

impl SelectorOwner {
    pub(super) fn rule(verdict: Verdict) -> Self {
        Self { widens: verdict == Verdict::Allow }
    }

    /// The owner of selectors by which an advisor may allow more or less.
    pub(super) const fn advisor() -> Self {
        Self { widens: true }
    }

    pub(super) fn exception(verdict: Verdict) -> Self {
        Self { widens: verdict != Verdict::Allow }
    }
}

/// The error for a rule that would let an agent's own claim allow a call.
const CLAIM_CANNOT_ALLOW: &str =
    "`impact` is a claim of the agent, so it cannot allow a call; use it to ask or block";

/// The error for a rule that would allow a call because of what it does not show.
const EFFECTS_CANNOT_ALLOW: &str =
    "`effects` may lack what a call does not show, so it cannot allow a call; use it to ask or block";

/// Reads the selectors in a table.
pub(super) fn read_selectors(
    keys: &mut TableKeys<'_>,
    owner: SelectorOwner,
    tables: Option<&PolicyTables>,
) -> Result<RuleSelectors, PolicyFault> {
    let mut read = RuleSelectors {
        tools: keys.optional("tool").map(|node| read_names(node, "tools", tables)).transpose()?,
        threads: keys.optional("thread").map(|node| read_names(node, "threads", None)).transpose()?,
        principals: keys
            .optional("principal")
            .map(|node| read_names(node, "principals", None))
            .transpose()?,
        annotations: keys.optional("annotations").map(read_annotations).transpose()?.unwrap_or_default(),
        kinds: keys.optional("kind").map(read_kinds).transpose()?.unwrap_or_default(),
        place: keys.optional("place").map(read_place).transpose()?,
        zone: keys.optional("zone").map(|node| read_zone(node, tables)).transpose()?,
        inside: keys.optional("inside").map(read_inside).transpose()?,
        ..RuleSelectors::default()
    };
    if let Some(node) = keys.optional("impact") {
        if owner.widens {
            return Err(node.fault(CLAIM_CANNOT_ALLOW));
        }
        read.impact = Some(read_impact(node)?);
    }
    if let Some(node) = keys.optional("operation") {
        read.operations = node.texts("operations")?.into_iter().map(|(text, _)| text.to_owned()).collect();
    }
    read_operands(keys, &mut read)?;
    if let Some(node) = keys.optional("access") {
        read.accesses = read_accesses(node)?;
        let is_useful = if owner.widens {
            read.inside.is_some() && read.accesses == [PathAccess::Read, PathAccess::List]
        } else {
            !read.paths.is_empty()
        };
        if !is_useful {
            let why = "`access` says which paths a rule asks about or blocks, so it needs `path`; a rule that allows takes \
                       only `access = \"read\"`, with `inside`: its commands then write no file by a redirection";
            return Err(node.fault(why));
        }
    }
    if let Some(node) = keys.optional("when") {
        let condition = CompiledCondition::compile(node.text("when")?).map_err(|why| node.fault(why))?;
        if owner.widens && condition.uses_impact {
            return Err(node.fault(CLAIM_CANNOT_ALLOW));
        }
        if owner.widens && !condition.effects.is_empty() {
            return Err(node.fault(EFFECTS_CANNOT_ALLOW));
        }
        read.when = Some(condition);
    }
    Ok(read)
}

/// Reads the selectors that the patterns of grants and remembered denials can also have.
fn read_operands(keys: &mut TableKeys<'_>, read: &mut RuleSelectors) -> Result<(), PolicyFault> {
    if let Some(node) = keys.optional("args") {
        read.args = read_arguments(node)?;
    }
    read.commands = parse_texts(keys.optional("command"), "commands", CommandPattern::new)?;
    read.urls = parse_texts(keys.optional("url"), "URLs", UrlPattern::new)?;
    read.paths = parse_texts(keys.optional("path"), "paths", PathPattern::new)?;
    Ok(())
}

/// Reads a grant pattern.
pub(crate) fn read_patterns(node: &TomlNode) -> Result<RuleSelectors, PolicyFault> {
    let mut keys = node.keys("a pattern")?;
    let mut read = RuleSelectors::default();
    read_operands(&mut keys, &mut read)?;
    keys.reject_unknown()?;
    if read.is_empty() {
        return Err(node.fault("a pattern needs `command`, `url`, `path` or `args`"));
    }
    Ok(read)
}

fn parse_texts<T, E: ToString>(
    node: Option<&TomlNode>,
    what: &str,
    parse: impl Fn(&str) -> Result<T, E>,
) -> Result<Vec<T>, PolicyFault> {
    let texts = node.map(|node| node.texts(what)).transpose()?.unwrap_or_default();
    texts.into_iter().map(|(text, node)| parse(text).map_err(|e| node.fault(e.to_string()))).collect()
}

/// Reads globs over names. In a policy, `@group` is replaced by the group's tools.
pub(super) fn read_names(
    node: &TomlNode,
    what: &str,
    tables: Option<&PolicyTables>,
) -> Result<NameGlobs, PolicyFault> {
    let mut patterns = Vec::new();
    for (text, node) in node.texts(what)? {
        match (text.strip_prefix('@'), tables) {
            (Some(group), Some(tables)) => {
                patterns.extend(group_members(group, node, tables)?.iter().map(|tool| (tool.as_str(), node)));
            }
            _ => patterns.push((text, node)),
        }
    }
    for (pattern, node) in &patterns {
        if pattern.is_empty() {
            return Err(node.fault("an empty pattern matches nothing"));
        }
        Glob::name(pattern).map_err(|e| node.fault(e.to_string()))?;
    }
    NameGlobs::new(patterns.into_iter().map(|(pattern, _)| pattern.to_owned()).collect())
        .map_err(|e| node.fault(e.to_string()))
}

fn group_members<'a>(
    group: &str,
    node: &TomlNode,
    tables: &'a PolicyTables,
) -> Result<&'a [String], PolicyFault> {
    tables.groups.get(group).map(Vec::as_slice).ok_or_else(|| {
        let mut known: Vec<_> = tables.groups.keys().map(|group| format!("@{group}")).collect();
        known.sort();
        node.fault(format!(
            "unknown group `@{group}` in [groups]{}",
            did_you_mean(&format!("@{group}"), &known)
        ))
    })
}

/// Reads the tool in the short form.
pub(super) fn read_short_tools(
    text: &str,
    node: &TomlNode,
    tables: &PolicyTables,
) -> Result<NameGlobs, PolicyFault> {
    read_names(
        &TomlNode { at: node.at, item: TomlItem::Plain(OrderedValue::Text(text.to_owned())) },
        "tools",
        Some(tables),
    )
}

/// Reads the pattern in the short form: a URL if it has a scheme, a path if it starts with `/`, otherwise a command.
pub(super) fn read_short_operand(
    text: &str,
    node: &TomlNode,
    read: &mut RuleSelectors,
) -> Result<(), PolicyFault> {
    let wrong = |e: countersign_patterns::PatternError| node.fault(e.to_string());
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    let is_scheme = |scheme: &str| {
        !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.*".contains(c))
    };
    if scheme.is_some_and(is_scheme) {
        read.urls.push(UrlPattern::new(text).map_err(wrong)?);
    } else if text.starts_with('/') {
        read.paths.push(PathPattern::new(text).map_err(wrong)?);
    } else {
        read.commands.push(CommandPattern::new(text).map_err(wrong)?);
    }
    Ok(())
}

fn read_zone(node: &TomlNode, tables: Option<&PolicyTables>) -> Result<PathZone, PolicyFault> {
    let name = node.text("zone")?;
    let zones = tables.map(|tables| &tables.zones);
    if let Some(root) = zones.and_then(|zones| zones.get(name)) {
        return Ok(PathZone { name: name.to_owned(), root: root.clone() });
    }
    let mut known: Vec<_> = zones.into_iter().flat_map(|zones| zones.keys()).collect();
    known.sort();
    Err(node.fault(format!("unknown zone [zones.{name}]{}", did_you_mean(name, &known))))
}

/// Reads the folders in which all paths of a call must be.
fn read_inside(node: &TomlNode) -> Result<InsideSelector, PolicyFault> {
    let mut inside = InsideSelector::default();
    for (text, node) in node.texts("inside")? {
        match text {
            "project" => inside.project = true,
            _ => inside.folders.push(read_folder(text, node)?),
        }
    }
    Ok(inside)
}

/// Reads an absolute folder in normal form.
pub(super) fn read_folder(text: &str, node: &TomlNode) -> Result<String, PolicyFault> {
    let normal =
        path::normalise(text).filter(|normal| text.starts_with('/') && normal == text && text != "/");
    normal.ok_or_else(|| {
        node.fault(format!(
            "{text:?} is no folder: write \"project\", or an absolute path in normal form, other than \"/\""
        ))
    })
}

fn read_accesses(node: &TomlNode) -> Result<Vec<PathAccess>, PolicyFault> {
    let read = |(text, node): (&str, &TomlNode)| match text {
        "read" => Ok([PathAccess::Read, PathAccess::List]),
        "write" => Ok([PathAccess::Write, PathAccess::Delete]),
        _ => Err(node.fault(format!("unknown access {text:?}{}", did_you_mean(text, &["read", "write"])))),
    };
    let accesses = node.texts("accesses")?.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
    Ok(accesses.concat())
}

fn read_kinds(node: &TomlNode) -> Result<Vec<ToolKind>, PolicyFault> {
    let known = ToolKind::ALL.map(ToolKind::as_str);
    let read = |(text, node): (&str, &TomlNode)| {
        let found = ToolKind::ALL.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| node.fault(format!("unknown kind {text:?}{}", did_you_mean(text, &known))))
    };
    node.texts("kinds")?.into_iter().map(read).collect()
}

fn read_place(node: &TomlNode) -> Result<PlaceSelector, PolicyFault> {
    let mut keys = node.keys("place")?;
    if keys.entries().is_empty() {
        let why = "`place` is empty; add `server`, `address`, `program`, `folder`, `project`, `host` or `agent`, or remove it";
        return Err(node.fault(why));
    }
    let mut names =
        |key: &'static str| keys.optional(key).map(|node| read_names(node, key, None)).transpose();
    let (server, address, program) = (names("server")?, names("address")?, names("program")?);
    let (host, agent) = (names("host")?, names("agent")?);
    let folders = parse_texts(keys.optional("folder"), "folders", PathPattern::new)?;
    let projects = parse_texts(keys.optional("project"), "projects", PathPattern::new)?;
    keys.reject_unknown()?;
    Ok(PlaceSelector { server, address, program, host, agent, folders, projects })
}

fn read_annotations(node: &TomlNode) -> Result<Vec<ExpectedHint>, PolicyFault> {
    let known = ToolHint::ALL.map(ToolHint::as_str);
    let expected = |entry: &TomlEntry| {
        let Some(hint) = ToolHint::ALL.into_iter().find(|hint| hint.as_str() == entry.key) else {
            let why = format!("unknown annotation `{}`{}", entry.key, did_you_mean(&entry.key, &known));
            return Err(PolicyFault { at: entry.at, why });
        };
        Ok(ExpectedHint { hint, value: entry.value.flag(hint.as_str())? })
    };
    let keys = node.keys("annotations")?;
    match keys.entries() {
        [] => Err(node.fault("`annotations` is empty; add a hint, or remove it")),
        entries => entries.iter().map(expected).collect(),
    }
}

fn read_impact(node: &TomlNode) -> Result<ClaimedImpact, PolicyFault> {
    let mut keys = node.keys("impact")?;
    let levels =
        keys.optional("riskLevel").map(|node| node.texts("risk levels")).transpose()?.unwrap_or_default();
    let reversible = keys.optional("reversible").map(|node| node.flag("reversible")).transpose()?;
    keys.reject_unknown()?;
    let known: Vec<_> = RiskLevel::ALL.iter().map(|level| level.as_str()).collect();
    let mut risk_levels = Vec::new();
    for (level, node) in levels {
        if !known.contains(&level) {
            return Err(node.fault(format!("unknown risk level {level:?}{}", did_you_mean(level, &known))));
        }
        risk_levels.push(level.to_owned());
    }
    if risk_levels.is_empty() && reversible.is_none() {
        return Err(node.fault("`impact` is empty; add `riskLevel` or `reversible`"));
    }
    Ok(ClaimedImpact { risk_levels, reversible })
}

/// A string that is equal for selectors with the same meaning.
pub(super) fn canonical_text(entries: &[TomlEntry], unless: Option<&TomlNode>) -> String {
    const SELECTORS: &[&str] = &[
        "tool",
        "kind",
        "thread",
        "principal",
        "place",
        "annotations",
        "impact",
        "operation",
        "zone",
        "inside",
        "args",
        "command",
        "url",
        "path",
        "access",
        "when",
    ];
    let mut texts: Vec<_> = entries
        .iter()
        .filter(|entry| SELECTORS.contains(&entry.key.as_str()))
        .map(|entry| format!("{}={}", entry.key, entry.value.canonical_text()))
        .collect();
    texts.sort();
    format!("{} unless {}", texts.join(" "), unless.map(TomlNode::canonical_text).unwrap_or_default())
}
