//! Reading selectors: of a rule, of an exception from one, and of the patterns that grants stand on.

use super::{
    node::{PolicyFault, TableKeys, TomlEntry, TomlItem, TomlNode},
    source::PolicyTables,
};
use crate::{
    annotation::{ExpectedHint, ToolHint},
    condition::CompiledCondition,
    names::NameGlobs,
    selector::{ArgumentPredicate, ClaimedImpact, PathZone, RuleSelectors, contradiction},
    spelling::{did_you_mean, last_line},
    value::{JsonPointer, OrderedValue},
};
use countersign_events::event::{RiskLevel, Verdict};
use countersign_patterns::{CommandPattern, Glob, PathPattern, UrlPattern};
use regex::RegexBuilder;

/// The most memory that a pattern in the file may take once it is compiled.
const REGEX_LIMIT: usize = 1024 * 1024;

/// Whose selectors they are.
#[derive(Clone, Copy)]
pub(super) struct SelectorOwner {
    /// Whether the more they match, the more is allowed.
    widens: bool,
}

impl SelectorOwner {
    pub(super) fn rule(verdict: Verdict) -> Self {
        Self { widens: verdict == Verdict::Allow }
    }

    pub(super) fn exception(verdict: Verdict) -> Self {
        Self { widens: verdict != Verdict::Allow }
    }
}

/// What an agent's own word can never do.
const AGENTS_WORD: &str =
    "`impact` is the agent's own word, which only ever makes stricter; it cannot widen what is allowed";

/// Takes the selectors out of a table.
pub(super) fn selectors(
    keys: &mut TableKeys<'_>,
    owner: SelectorOwner,
    book: Option<&PolicyTables>,
) -> Result<RuleSelectors, PolicyFault> {
    let mut read = RuleSelectors {
        tools: keys.take("tool").map(|node| names(node, "tools", book)).transpose()?,
        threads: keys.take("thread").map(|node| names(node, "threads", None)).transpose()?,
        principals: keys.take("principal").map(|node| names(node, "principals", None)).transpose()?,
        annotations: keys.take("annotations").map(annotations).transpose()?.unwrap_or_default(),
        zone: keys.take("zone").map(|node| zone(node, book)).transpose()?,
        ..RuleSelectors::default()
    };
    if let Some(node) = keys.take("impact") {
        if owner.widens {
            return Err(node.fault(AGENTS_WORD));
        }
        read.impact = Some(impact(node)?);
    }
    if let Some(node) = keys.take("operation") {
        read.operations = node.texts("operations")?.into_iter().map(|(text, _)| text.to_owned()).collect();
    }
    operands(keys, &mut read)?;
    if let Some(node) = keys.take("when") {
        let condition = CompiledCondition::compile(node.text("when")?).map_err(|why| node.fault(why))?;
        if owner.widens && condition.uses_impact {
            return Err(node.fault(AGENTS_WORD));
        }
        read.when = Some(condition);
    }
    Ok(read)
}

/// Those that grants and remembered denials may stand on, too.
fn operands(keys: &mut TableKeys<'_>, read: &mut RuleSelectors) -> Result<(), PolicyFault> {
    if let Some(node) = keys.take("args") {
        read.args = arguments(node)?;
    }
    read.commands = list(keys.take("command"), "commands", CommandPattern::new)?;
    read.urls = list(keys.take("url"), "addresses", UrlPattern::new)?;
    read.paths = list(keys.take("path"), "paths", PathPattern::new)?;
    Ok(())
}

/// Reads the pattern of a grant.
pub(crate) fn read_patterns(node: &TomlNode) -> Result<RuleSelectors, PolicyFault> {
    let mut keys = node.keys("a pattern")?;
    let mut read = RuleSelectors::default();
    operands(&mut keys, &mut read)?;
    keys.done()?;
    if read.is_empty() {
        return Err(node.fault("a pattern says `command`, `url`, `path` or `args`"));
    }
    Ok(read)
}

fn list<T, E: ToString>(
    node: Option<&TomlNode>,
    what: &str,
    make: impl Fn(&str) -> Result<T, E>,
) -> Result<Vec<T>, PolicyFault> {
    let texts = node.map(|node| node.texts(what)).transpose()?.unwrap_or_default();
    texts.into_iter().map(|(text, node)| make(text).map_err(|e| node.fault(e.to_string()))).collect()
}

/// Globs over names; `@group` stands for its tools where there are groups.
pub(super) fn names(
    node: &TomlNode,
    what: &str,
    book: Option<&PolicyTables>,
) -> Result<NameGlobs, PolicyFault> {
    let mut patterns = Vec::new();
    for (text, node) in node.texts(what)? {
        match (text.strip_prefix('@'), book) {
            (Some(group), Some(book)) => {
                patterns.extend(members(group, node, book)?.iter().map(|tool| (tool.as_str(), node)));
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

fn members<'a>(group: &str, node: &TomlNode, book: &'a PolicyTables) -> Result<&'a [String], PolicyFault> {
    book.groups.get(group).map(Vec::as_slice).ok_or_else(|| {
        let mut known: Vec<_> = book.groups.keys().map(|group| format!("@{group}")).collect();
        known.sort();
        node.fault(format!(
            "there is no group `@{group}` in [groups]{}",
            did_you_mean(&format!("@{group}"), &known)
        ))
    })
}

/// The tool of the short form.
pub(super) fn tools(text: &str, node: &TomlNode, book: &PolicyTables) -> Result<NameGlobs, PolicyFault> {
    names(
        &TomlNode { at: node.at, item: TomlItem::Plain(OrderedValue::Text(text.to_owned())) },
        "tools",
        Some(book),
    )
}

/// The pattern of the short form: an address if it has a scheme, a path if it begins with `/`, else a command.
pub(super) fn operand(text: &str, node: &TomlNode, read: &mut RuleSelectors) -> Result<(), PolicyFault> {
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

fn zone(node: &TomlNode, book: Option<&PolicyTables>) -> Result<PathZone, PolicyFault> {
    let name = node.text("zone")?;
    let zones = book.map(|book| &book.zones);
    if let Some(root) = zones.and_then(|zones| zones.get(name)) {
        return Ok(PathZone { name: name.to_owned(), root: root.clone() });
    }
    let mut known: Vec<_> = zones.into_iter().flat_map(|zones| zones.keys()).collect();
    known.sort();
    Err(node.fault(format!("there is no [zones.{name}]{}", did_you_mean(name, &known))))
}

fn annotations(node: &TomlNode) -> Result<Vec<ExpectedHint>, PolicyFault> {
    let known = ToolHint::ALL.map(ToolHint::as_str);
    let wanted = |entry: &TomlEntry| {
        let Some(hint) = ToolHint::ALL.into_iter().find(|hint| hint.as_str() == entry.key) else {
            let why = format!("there is no annotation `{}`{}", entry.key, did_you_mean(&entry.key, &known));
            return Err(PolicyFault { at: entry.at, why });
        };
        Ok(ExpectedHint { hint, value: entry.value.flag(hint.as_str())? })
    };
    let keys = node.keys("annotations")?;
    match keys.entries() {
        [] => Err(node.fault("`annotations` names no hint; leave it out")),
        entries => entries.iter().map(wanted).collect(),
    }
}

fn impact(node: &TomlNode) -> Result<ClaimedImpact, PolicyFault> {
    let mut keys = node.keys("impact")?;
    let levels =
        keys.take("riskLevel").map(|node| node.texts("risk levels")).transpose()?.unwrap_or_default();
    let reversible = keys.take("reversible").map(|node| node.flag("reversible")).transpose()?;
    keys.done()?;
    let known: Vec<_> = RiskLevel::ALL.iter().map(|level| level.as_str()).collect();
    let mut risk_levels = Vec::new();
    for (level, node) in levels {
        if !known.contains(&level) {
            return Err(
                node.fault(format!("there is no risk level {level:?}{}", did_you_mean(level, &known)))
            );
        }
        risk_levels.push(level.to_owned());
    }
    if risk_levels.is_empty() && reversible.is_none() {
        return Err(node.fault("`impact` says `riskLevel` or `reversible`"));
    }
    Ok(ClaimedImpact { risk_levels, reversible })
}

fn arguments(node: &TomlNode) -> Result<Vec<(JsonPointer, Vec<ArgumentPredicate>)>, PolicyFault> {
    let argument = |entry: &TomlEntry| {
        let pointer = JsonPointer::read(&entry.key).map_err(|why| PolicyFault { at: entry.at, why })?;
        Ok((pointer, predicates(&entry.value)?))
    };
    match node.keys("args")?.entries() {
        [] => Err(node.fault("`args` names no argument; leave it out")),
        entries => entries.iter().map(argument).collect(),
    }
}

/// What must hold of one argument: a table of predicates, or the value itself.
fn predicates(node: &TomlNode) -> Result<Vec<ArgumentPredicate>, PolicyFault> {
    let TomlItem::Table(entries) = &node.item else {
        return Ok(vec![ArgumentPredicate::Eq(node.to_value()?)]);
    };
    let predicates: Vec<_> = entries.iter().map(predicate).collect::<Result<_, _>>()?;
    if predicates.is_empty() {
        return Err(node.fault("nothing is said of the argument; `exists = true` says that it is there"));
    }
    match contradiction(&predicates) {
        Some(why) => Err(node.fault(format!("this can never match: {why}"))),
        None => Ok(predicates),
    }
}

fn predicate(entry: &TomlEntry) -> Result<ArgumentPredicate, PolicyFault> {
    let node = &entry.value;
    let known = ["eq", "in", "glob", "prefix", "regex", "lt", "gt", "exists", "size"];
    Ok(match entry.key.as_str() {
        "eq" => ArgumentPredicate::Eq(node.to_value()?),
        "in" => match &node.item {
            TomlItem::List(_) => ArgumentPredicate::In(
                node.one_or_more("values")?.iter().map(TomlNode::to_value).collect::<Result<_, _>>()?,
            ),
            _ => return Err(node.fault("`in` takes a list of values")),
        },
        "glob" => {
            ArgumentPredicate::Glob(Glob::new(node.text("glob")?).map_err(|e| node.fault(e.to_string()))?)
        }
        "prefix" => ArgumentPredicate::Prefix(node.text("prefix")?.to_owned()),
        "regex" => {
            let regex = RegexBuilder::new(node.text("regex")?).size_limit(REGEX_LIMIT).build();
            ArgumentPredicate::Regex(
                regex.map_err(|e| node.fault(format!("the regex is wrong: {}", last_line(&e))))?,
            )
        }
        "lt" => ArgumentPredicate::Lt(node.number("lt")?),
        "gt" => ArgumentPredicate::Gt(node.number("gt")?),
        "exists" => ArgumentPredicate::Exists(node.flag("exists")?),
        "size" => ArgumentPredicate::Size(size(node)?),
        other => {
            let why = format!("there is no predicate `{other}`{}", did_you_mean(other, &known));
            return Err(PolicyFault { at: entry.at, why });
        }
    })
}

fn size(node: &TomlNode) -> Result<Vec<ArgumentPredicate>, PolicyFault> {
    if let TomlItem::Plain(OrderedValue::Number(_)) = &node.item {
        return Ok(vec![ArgumentPredicate::Eq(node.to_value()?)]);
    }
    if !matches!(node.item, TomlItem::Table(_)) {
        return Err(
            node.fault(format!("`size` takes a number, or `eq`, `lt` and `gt`, and not {}", node.kind()))
        );
    }
    let mut keys = node.keys("size")?;
    let (eq, lt, gt) = (keys.take("eq"), keys.take("lt"), keys.take("gt"));
    keys.done()?;
    let mut predicates = Vec::new();
    if let Some(node) = eq {
        predicates.push(ArgumentPredicate::Eq(OrderedValue::Number(node.number("eq")?)));
    }
    if let Some(node) = lt {
        predicates.push(ArgumentPredicate::Lt(node.number("lt")?));
    }
    if let Some(node) = gt {
        predicates.push(ArgumentPredicate::Gt(node.number("gt")?));
    }
    if predicates.is_empty() {
        return Err(node.fault("`size` takes a number, or `eq`, `lt` and `gt`"));
    }
    Ok(predicates)
}

/// The same text for selectors that mean the same.
pub(super) fn plain(entries: &[TomlEntry], unless: Option<&TomlNode>) -> String {
    const SELECTORS: &[&str] = &[
        "tool",
        "thread",
        "principal",
        "annotations",
        "impact",
        "operation",
        "zone",
        "args",
        "command",
        "url",
        "path",
        "when",
    ];
    let mut said: Vec<_> = entries
        .iter()
        .filter(|entry| SELECTORS.contains(&entry.key.as_str()))
        .map(|entry| format!("{}={}", entry.key, entry.value.plain()))
        .collect();
    said.sort();
    format!("{} unless {}", said.join(" "), unless.map(TomlNode::plain).unwrap_or_default())
}
