//! Reading rules: those written out, those of the short form, and those that zones stand for.

use super::{
    node::{PolicyFault, TableKeys, TomlItem, TomlNode},
    selector::{self, SelectorOwner},
    settings,
    source::{ParsedRule, PolicyTables, SourcePosition},
    verdict::verdict as read_verdict,
    zone,
};
use crate::{judgement::OwnTerms, rule::PolicyRule, selector::RuleSelectors};
use countersign_events::{event::Verdict, id::MAX_NAME_BYTES};
use std::collections::HashSet;

/// Names that stand for something else where a rule's name can stand.
const TAKEN: &[&str] = &["default", "tool", "thread", "mode", "grant"];

pub(super) fn rules<'a>(
    keys: &mut TableKeys<'a>,
    book: &PolicyTables,
) -> Result<Vec<ParsedRule<'a>>, PolicyFault> {
    let mut rules = Vec::new();
    match keys.take("rule").map(|node| (node, &node.item)) {
        None => {}
        Some((_, TomlItem::List(nodes))) => {
            for node in nodes {
                rules.push(rule(node, book)?);
            }
        }
        Some((node, _)) => return Err(node.fault("rules are written as [[rule]], with two brackets")),
    }
    for entry in keys
        .take("patterns")
        .map(|node| node.keys("patterns"))
        .transpose()?
        .iter()
        .flat_map(TableKeys::entries)
    {
        rules.push(short(&entry.name(), &entry.value, book)?);
    }
    unique(&rules)?;
    if let Some(node) = keys.take("zones") {
        rules.extend(zone::rules(node)?);
    }
    Ok(rules)
}

fn unique(rules: &[ParsedRule<'_>]) -> Result<(), PolicyFault> {
    let mut names = HashSet::new();
    match rules.iter().find(|(rule, _)| !names.insert(rule.name.as_str())) {
        None => Ok(()),
        Some((rule, place)) => {
            let why = format!("there are two rules named {:?}; give each its own", rule.name);
            Err(PolicyFault { at: place.at, why })
        }
    }
}

fn rule<'a>(node: &'a TomlNode, book: &PolicyTables) -> Result<ParsedRule<'a>, PolicyFault> {
    let mut keys = node.keys("a rule")?;
    let at = keys.need("name")?;
    let name = name(at)?;
    let verdict = read_verdict(keys.need("verdict")?)?;
    let reason = keys.take("reason").map(|node| node.text("reason")).transpose()?.map(str::to_owned);
    let shadow = keys.take("shadow").map(|node| node.flag("shadow")).transpose()?.unwrap_or(false);
    let terms = terms(&mut keys, verdict, book)?;
    let examples = keys.take("examples");
    let unless = keys.take("unless");
    let plain = selector::plain(keys.entries(), unless);
    let unless = unless.map(|node| exception(node, verdict, book)).transpose()?;
    let matching = selector::selectors(&mut keys, SelectorOwner::rule(verdict), Some(book))?;
    keys.done()?;
    if matching.is_empty() {
        let why = "the rule names nothing that it matches; give it a `tool`, or say `tool = \"*\"` if every call is meant";
        return Err(node.fault(why));
    }
    let rule = PolicyRule { name, verdict, reason, shadow, is_zone: false, matching, unless, terms };
    Ok((rule, SourcePosition { at: at.at, examples, selectors: plain }))
}

/// `"tool:pattern" = "verdict"`.
fn short<'a>(key: &TomlNode, value: &TomlNode, book: &PolicyTables) -> Result<ParsedRule<'a>, PolicyFault> {
    let text = key.text("a pattern")?;
    let verdict = read_verdict(value)?;
    let (tool, pattern) = text.split_once(':').map_or((text, None), |(tool, pattern)| (tool, Some(pattern)));
    let mut matching =
        RuleSelectors { tools: Some(selector::tools(tool, key, book)?), ..RuleSelectors::default() };
    if let Some(pattern) = pattern {
        selector::operand(pattern, key, &mut matching)?;
    }
    let name = name(key)?;
    let terms = OwnTerms::default();
    let rule = PolicyRule {
        name,
        verdict,
        reason: None,
        shadow: false,
        is_zone: false,
        matching,
        unless: None,
        terms,
    };
    Ok((rule, SourcePosition { at: key.at, examples: None, selectors: text.to_owned() }))
}

fn name(node: &TomlNode) -> Result<String, PolicyFault> {
    let name = node.text("name")?;
    if name.is_empty() || name.len() > MAX_NAME_BYTES - "policy:".len() || name.contains(char::is_control) {
        return Err(node.fault("a rule's name has 1 to 505 bytes and no control characters"));
    }
    if TAKEN.contains(&name) || name.starts_with("zone-") {
        return Err(
            node.fault(format!("{name:?} means something else in the log; give the rule another name"))
        );
    }
    Ok(name.to_owned())
}

fn exception(node: &TomlNode, verdict: Verdict, book: &PolicyTables) -> Result<RuleSelectors, PolicyFault> {
    let mut keys = node.keys("unless")?;
    let selectors = selector::selectors(&mut keys, SelectorOwner::exception(verdict), Some(book))?;
    keys.done()?;
    if selectors.is_empty() {
        return Err(node.fault("an empty `unless` takes nothing out of the rule; leave it out"));
    }
    Ok(selectors)
}

/// The keys that say how people are asked.
const TERMS: &[&str] = &[
    "expires",
    "onExpiry",
    "level",
    "defaultLevel",
    "quorum",
    "denials",
    "approvers",
    "remindAfter",
    "escalateAfter",
    "escalateTo",
];

fn terms(keys: &mut TableKeys<'_>, verdict: Verdict, book: &PolicyTables) -> Result<OwnTerms, PolicyFault> {
    if verdict != Verdict::Ask {
        for key in TERMS {
            if let Some(node) = keys.take(key) {
                let why = format!(
                    "`{key}` says how people are asked, and a rule that says {} asks nobody",
                    verdict.as_str()
                );
                return Err(node.fault(why));
            }
        }
        return Ok(OwnTerms::default());
    }
    let levels = book.approvers.levels();
    let mut level =
        |key| keys.take(key).map(|node| settings::level(node, levels).map(|level| (level, node))).transpose();
    let (needed, offered, escalate_to) = (level("level")?, level("defaultLevel")?, level("escalateTo")?);
    for (other, node) in [&offered, &escalate_to].into_iter().flatten() {
        let lower = needed
            .as_ref()
            .is_some_and(|(needed, _)| book.approvers.rank(other) < book.approvers.rank(needed));
        if lower {
            return Err(node.fault(format!("level {other:?} is lower than the one the rule needs")));
        }
    }
    let mut span = |key| keys.take(key).map(|node| node.span(key)).transpose();
    let (expires, remind_after, escalate_after) =
        (span("expires")?, span("remindAfter")?, span("escalateAfter")?);
    let escalate = match (escalate_after, escalate_to) {
        (Some(after), Some((to, _))) => Some((after, to)),
        (None, None) => None,
        _ => return Err(keys.fault("`escalateAfter` and `escalateTo` stand together")),
    };
    let quorum =
        keys.take("quorum").map(|node| node.count("quorum").map(|count| (count, node))).transpose()?;
    let approvers = keys.take("approvers").map(|node| approvers(node, book)).transpose()?.unwrap_or_default();
    if let Some((count, node)) = quorum.filter(|_| !approvers.is_empty()) {
        reachable(count, node, &approvers, book)?;
    }
    Ok(OwnTerms {
        expires,
        allow_on_expiry: on_expiry(keys.take("onExpiry"), expires.or(book.expires).is_some())?,
        level: needed.map(|(level, _)| level),
        default_level: offered.map(|(level, _)| level),
        quorum: quorum.map(|(count, _)| count),
        denials: keys.take("denials").map(|node| node.count("denials")).transpose()?,
        approvers,
        remind_after,
        escalate,
    })
}

fn reachable(
    quorum: u32,
    node: &TomlNode,
    approvers: &[String],
    book: &PolicyTables,
) -> Result<(), PolicyFault> {
    let people = book.approvers.count(approvers);
    if usize::try_from(quorum).is_ok_and(|quorum| quorum <= people) {
        return Ok(());
    }
    Err(node.fault(format!("it takes {quorum} approvers, and `approvers` means {people}")))
}

fn on_expiry(node: Option<&TomlNode>, expires: bool) -> Result<bool, PolicyFault> {
    let Some(node) = node else { return Ok(false) };
    match node.text("onExpiry")? {
        "deny" => Ok(false),
        "allow" if expires => Ok(true),
        "allow" => Err(node.fault("`onExpiry = \"allow\"` needs an `expires`, or it never comes to that")),
        other => Err(node.fault(format!("onExpiry is \"deny\" or \"allow\", not {other:?}"))),
    }
}

fn approvers(node: &TomlNode, book: &PolicyTables) -> Result<Vec<String>, PolicyFault> {
    let entry = |(text, node): (&str, &TomlNode)| match text.strip_prefix('@') {
        Some(group) if book.approvers.has_group(group) => Ok(text.to_owned()),
        Some(group) => {
            let why = format!("nobody in [approvers] is in the group {group:?}, so nobody could approve");
            Err(node.fault(why))
        }
        None if text.starts_with("user:") && text.len() > "user:".len() => Ok(text.to_owned()),
        None => {
            Err(node.fault(format!("an approver is \"user:ada\" or a group such as \"@ops\", not {text:?}")))
        }
    };
    node.texts("approvers")?.into_iter().map(entry).collect()
}
