//! Reads rules: full rules, rules in the short form, and the rules that zones define.

use super::{
    advisor,
    files::PolicyFiles,
    known_words,
    never::is_always_excepted,
    node::{PolicyFault, TableKeys, TomlItem, TomlNode},
    selector::{self, SelectorOwner},
    settings,
    source::{ParsedRule, PolicyTables, SourcePosition},
    verdict::{ADVISED, read_rule_verdict, read_verdict},
    zone,
};
use crate::{
    LAYER_FOLDER, judgement::OwnTerms, policy_text::qualify_rule_name, rule::PolicyRule,
    selector::RuleSelectors, spelling::did_you_mean,
};
use countersign_events::{
    DecisionChannel, Principal, ProofRequirement, Verdict, id::MAX_NAME_BYTES, principal::PrincipalKind,
};
use std::{collections::HashSet, sync::Arc, time::Duration};

/// The maximum number of rules. Finding mistakes compares every rule with every other.
const MAX_RULES: usize = 2_000;

/// Names that have another meaning in the log, where rule names are recorded.
const RESERVED_NAMES: &[&str] = &["default", "tool", "thread", "mode", "grant", "observe"];

/// Reads all rules. `protections` are those of the policy.
pub(super) fn read_rules<'a>(
    keys: &mut TableKeys<'a>,
    protections: Vec<ParsedRule<'a>>,
    tables: &PolicyTables,
    files: &PolicyFiles<'_>,
) -> Result<Vec<ParsedRule<'a>>, PolicyFault> {
    let mut rules = Vec::new();
    match keys.optional("rule").map(|node| (node, &node.item)) {
        None => {}
        Some((_, TomlItem::List(nodes))) => {
            for node in nodes {
                rules.push(read_rule(node, tables)?);
            }
        }
        Some((node, _)) => return Err(node.fault("write rules as [[rule]], with two brackets")),
    }
    for entry in keys
        .optional("patterns")
        .map(|node| node.keys("patterns"))
        .transpose()?
        .iter()
        .flat_map(TableKeys::entries)
    {
        rules.push(read_short_rule(&entry.key_node(), &entry.value, tables)?);
    }
    if let Some((_, place)) = rules.get(MAX_RULES) {
        let why = format!("a policy may have at most {MAX_RULES} rules");
        return Err(PolicyFault { at: place.at, why });
    }
    rules.extend(protections);
    name_files(&mut rules, files)?;
    check_unique_names(&rules)?;
    if let Some(node) = keys.optional("zones") {
        let mut zones = zone::read_rules(node)?;
        name_files(&mut zones, files)?;
        rules.extend(zones);
    }
    Ok(rules)
}

/// Adds the layer name to its rule names, so that two files may use the same name. Rules in the main file keep their
/// names, which then do not change when the first layer is added.
fn name_files(rules: &mut [ParsedRule<'_>], files: &PolicyFiles<'_>) -> Result<(), PolicyFault> {
    for (rule, place) in rules {
        rule.file = files.name_at(place.verdict_at).map(Arc::from);
        let Some(layer) = files.layer_at(place.verdict_at) else { continue };
        rule.name = qualify_rule_name(layer, &rule.name);
        if rule.name.len() > MAX_NAME_BYTES - "policy:".len() {
            let why =
                "the name of the rule is too long together with the name of its file; shorten one of them";
            return Err(PolicyFault { at: place.at, why: why.to_owned() });
        }
    }
    Ok(())
}

fn check_unique_names(rules: &[ParsedRule<'_>]) -> Result<(), PolicyFault> {
    let mut names = HashSet::new();
    match rules.iter().find(|(rule, _)| !names.insert(rule.name.as_str())) {
        None => Ok(()),
        Some((rule, place)) => {
            let why = format!("two rules are named {:?}; give each a unique name", rule.name);
            Err(PolicyFault { at: place.at, why })
        }
    }
}

fn read_rule<'a>(node: &'a TomlNode, tables: &PolicyTables) -> Result<ParsedRule<'a>, PolicyFault> {
    let mut keys = node.keys("a rule")?;
    let at = keys.required("name")?;
    let name = read_name(at)?;
    let (verdict, is_advised) = read_rule_verdict(keys.required("verdict")?)?;
    let owners = if is_advised {
        (SelectorOwner::advisor(), SelectorOwner::advisor())
    } else {
        (SelectorOwner::rule(verdict), SelectorOwner::exception(verdict))
    };
    let advisor = read_advisor(&mut keys, is_advised, tables)?;
    let reason = keys.optional("reason").map(|node| node.text("reason")).transpose()?.map(str::to_owned);
    let shadow = keys.optional("shadow").map(|node| node.flag("shadow")).transpose()?.unwrap_or(false);
    let terms = OwnTerms { advisor, ..read_terms(&mut keys, verdict, tables)? };
    let examples = keys.optional("examples");
    let unless = keys.optional("unless");
    let canonical = selector::canonical_text(keys.entries(), unless);
    let is_always_excepted = is_always_excepted(keys.entries(), unless, verdict);
    let unless = unless.map(|node| read_exception(node, owners.1, tables)).transpose()?;
    let matching = selector::read_selectors(&mut keys, owners.0, Some(tables))?;
    keys.reject_unknown()?;
    if matching.is_empty() {
        let why = "the rule has no selector; add a `tool`, or write `tool = \"*\"` to match every call";
        return Err(node.fault(why));
    }
    let rule = PolicyRule { reason, shadow, unless, terms, ..PolicyRule::new(name, verdict, matching) };
    let position =
        SourcePosition { at: at.at, verdict_at: at.at, examples, selectors: canonical, is_always_excepted };
    Ok((rule, position))
}

/// Reads `"tool:pattern" = "verdict"`.
fn read_short_rule<'a>(
    key: &TomlNode,
    value: &TomlNode,
    tables: &PolicyTables,
) -> Result<ParsedRule<'a>, PolicyFault> {
    let text = key.text("a pattern")?;
    let verdict = read_verdict(value)?;
    let (tool, pattern) = text.split_once(':').map_or((text, None), |(tool, pattern)| (tool, Some(pattern)));
    let mut matching = RuleSelectors {
        tools: Some(selector::read_short_tools(tool, key, tables)?),
        ..RuleSelectors::default()
    };
    if let Some(pattern) = pattern {
        selector::read_short_operand(pattern, key, &mut matching)?;
    }
    let name = read_name(key)?;
    let rule = PolicyRule::new(name, verdict, matching);
    let position = SourcePosition {
        at: key.at,
        verdict_at: key.at,
        examples: None,
        selectors: text.to_owned(),
        is_always_excepted: false,
    };
    Ok((rule, position))
}

pub(super) fn read_name(node: &TomlNode) -> Result<String, PolicyFault> {
    let name = node.text("name")?;
    if name.is_empty() || name.len() > MAX_NAME_BYTES - "policy:".len() || name.contains(char::is_control) {
        return Err(node.fault("the name of a rule must have 1 to 505 bytes and no control characters"));
    }
    let is_reserved = RESERVED_NAMES.contains(&name) || name.starts_with("zone-");
    if is_reserved || name.starts_with(LAYER_FOLDER) {
        return Err(node.fault(format!("{name:?} is a reserved name; give the rule another name")));
    }
    Ok(name.to_owned())
}

pub(super) fn read_exception(
    node: &TomlNode,
    owner: SelectorOwner,
    tables: &PolicyTables,
) -> Result<RuleSelectors, PolicyFault> {
    let mut keys = node.keys("unless")?;
    let selectors = selector::read_selectors(&mut keys, owner, Some(tables))?;
    keys.reject_unknown()?;
    if selectors.is_empty() {
        return Err(node.fault("`unless` is empty; add a selector, or remove it"));
    }
    Ok(selectors)
}

/// The keys for the terms on which people are asked.
const TERMS: &[&str] = &[
    "expires",
    "onExpiry",
    "level",
    "defaultLevel",
    "quorum",
    "denials",
    "approvers",
    "proof",
    "decideIn",
    "remindAfter",
    "escalateAfter",
    "escalateTo",
];

/// The terms that an advisor cannot meet.
const TERMS_OF_PEOPLE: &[&str] = &["level", "quorum", "denials", "approvers", "proof", "decideIn"];

/// Reads the advisor for a rule with the verdict `advised`.
fn read_advisor(
    keys: &mut TableKeys<'_>,
    is_advised: bool,
    tables: &PolicyTables,
) -> Result<Option<String>, PolicyFault> {
    let node = keys.optional("advisor");
    if !is_advised {
        return node.map_or(Ok(None), |node| {
            Err(node
                .fault(format!("`advisor` needs `verdict = {ADVISED:?}`; change the verdict, or remove it")))
        });
    }
    for key in TERMS_OF_PEOPLE {
        if let Some(node) = keys.optional(key) {
            let why = format!("an advisor cannot meet `{key}`; remove it, or write `verdict = \"ask\"`");
            return Err(node.fault(why));
        }
    }
    let Some(node) = node else {
        return Err(keys.fault(format!("a rule with `verdict = {ADVISED:?}` needs an `advisor`")));
    };
    advisor::read_rule_advisor(node, tables).map(Some)
}

pub(super) fn read_terms(
    keys: &mut TableKeys<'_>,
    verdict: Verdict,
    tables: &PolicyTables,
) -> Result<OwnTerms, PolicyFault> {
    if verdict != Verdict::Ask {
        for key in TERMS {
            if let Some(node) = keys.optional(key) {
                let why = format!(
                    "`{key}` applies only to rules that ask, but the verdict of this rule is {}; remove it",
                    verdict.as_str()
                );
                return Err(node.fault(why));
            }
        }
        return Ok(OwnTerms::default());
    }
    let levels = tables.approvers.levels();
    let mut level = |key| {
        keys.optional(key)
            .map(|node| settings::read_level(node, levels).map(|level| (level, node)))
            .transpose()
    };
    let (needed, offered, escalate_to) = (level("level")?, level("defaultLevel")?, level("escalateTo")?);
    for (other, node) in [&offered, &escalate_to].into_iter().flatten() {
        let lower = needed
            .as_ref()
            .is_some_and(|(needed, _)| tables.approvers.rank(other) < tables.approvers.rank(needed));
        if lower {
            return Err(node.fault(format!("level {other:?} is lower than the `level` of the rule")));
        }
    }
    let mut duration = |key| keys.optional(key).map(|node| node.duration(key)).transpose();
    let (expires, remind_after, escalate_after) =
        (duration("expires")?, duration("remindAfter")?, duration("escalateAfter")?);
    let escalate = match (escalate_after, escalate_to) {
        (Some(after), Some((to, _))) => Some((after, to)),
        (None, None) => None,
        _ => return Err(keys.fault("`escalateAfter` and `escalateTo` need each other; set both or neither")),
    };
    let quorum =
        keys.optional("quorum").map(|node| node.count("quorum").map(|count| (count, node))).transpose()?;
    let approvers =
        keys.optional("approvers").map(|node| read_approvers(node, tables)).transpose()?.unwrap_or_default();
    if let Some((count, node)) = quorum.filter(|_| !approvers.is_empty()) {
        check_quorum(count, node, &approvers, tables)?;
    }
    let proof = keys.optional("proof").map(read_proof).transpose()?;
    let on_expiry = keys.optional("onExpiry");
    let allow_on_expiry = read_on_expiry(on_expiry, expires, tables)?;
    if let Some(node) = on_expiry.filter(|_| allow_on_expiry && proof.is_some()) {
        return Err(node.fault("nobody proves a decision by silence; remove `onExpiry` or `proof`"));
    }
    Ok(OwnTerms {
        expires,
        allow_on_expiry,
        level: needed.map(|(level, _)| level),
        default_level: offered.map(|(level, _)| level),
        quorum: quorum.map(|(count, _)| count),
        denials: keys.optional("denials").map(|node| node.count("denials")).transpose()?,
        approvers,
        proof,
        decide_in: keys.optional("decideIn").map(read_channels).transpose()?.unwrap_or_default(),
        advisor: None,
        remind_after,
        escalate,
    })
}

fn read_proof(node: &TomlNode) -> Result<ProofRequirement, PolicyFault> {
    let text = node.text("proof")?;
    text.parse().map_err(|_| {
        let known = ProofRequirement::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>();
        node.fault(format!(
            "proof must be {}, not {text:?}{}",
            list_words(&known),
            did_you_mean(text, &known)
        ))
    })
}

/// Reads the surfaces on which people may decide. Notifications are not among them: they show a part of a call, and
/// `[notify]` says what they allow.
fn read_channels(node: &TomlNode) -> Result<Vec<DecisionChannel>, PolicyFault> {
    let known = [(DecisionChannel::Chat.as_str(), DecisionChannel::Chat)];
    let mut channels = known_words::read_words(node, "surfaces", &known)?;
    channels.dedup();
    Ok(channels)
}

fn list_words(words: &[&str]) -> String {
    words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}

fn check_quorum(
    quorum: u32,
    node: &TomlNode,
    approvers: &[String],
    tables: &PolicyTables,
) -> Result<(), PolicyFault> {
    let people = tables.approvers.count_people(approvers);
    if usize::try_from(quorum).is_ok_and(|quorum| quorum <= people) {
        return Ok(());
    }
    Err(node.fault(format!(
        "`quorum` is {quorum}, but `approvers` names {people}; lower `quorum` or name more people"
    )))
}

fn read_on_expiry(
    node: Option<&TomlNode>,
    own: Option<Duration>,
    tables: &PolicyTables,
) -> Result<bool, PolicyFault> {
    let Some(node) = node else { return Ok(false) };
    match node.text("onExpiry")? {
        "deny" => Ok(false),
        // Another file must not be able to allow the calls of this rule earlier.
        "allow" if own.is_none() && tables.layer_expires => Err(node.fault(
            "a file in policy.d sets `expires`, so a rule with `onExpiry = \"allow\"` needs an `expires` of its own",
        )),
        "allow" if own.or(tables.expires).is_some() => Ok(true),
        "allow" => Err(node.fault("`onExpiry = \"allow\"` has no effect without `expires`; set `expires`")),
        other => Err(node.fault(format!("onExpiry must be \"deny\" or \"allow\", not {other:?}"))),
    }
}

fn is_person(text: &str) -> bool {
    text.parse::<Principal>().is_ok_and(|principal| principal.kind() == PrincipalKind::User)
}

fn read_approvers(node: &TomlNode, tables: &PolicyTables) -> Result<Vec<String>, PolicyFault> {
    let entry = |(text, node): (&str, &TomlNode)| match text.strip_prefix('@') {
        Some(group) if tables.approvers.has_group(group) => Ok(text.to_owned()),
        Some(group) => {
            let why = format!("the group {group:?} has no members in [approvers]; add one");
            Err(node.fault(why))
        }
        None if is_person(text) => Ok(text.to_owned()),
        None => Err(node.fault(format!(
            "an approver must be a user such as \"user:ada\" or a group such as \"@ops\", not {text:?}"
        ))),
    };
    node.texts("approvers")?.into_iter().map(entry).collect()
}
