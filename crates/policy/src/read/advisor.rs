//! Reads policy advisors.

use super::{
    advisor_configuration::hash_configuration,
    files::PolicyFiles,
    node::{PolicyFault, TableKeys, TomlItem, TomlNode},
    selector::{self, SelectorOwner},
    source::PolicyTables,
};
use crate::{
    AdvisorSettings, AdvisorTarget, AdvisorThresholds, LAYER_FOLDER, QuestionFormat,
    policy_text::is_attachment, selector::RuleSelectors, spelling::did_you_mean,
};
use countersign_events::{AdviceVerdict, AdvisorMode, AdvisorProtocol, is_advisor_name};
use std::{str::FromStr, time::Duration};

/// The maximum number of advisors. Each is asked about every call to which it applies.
const MAX_ADVISORS: usize = 32;

/// The longest time to wait for an answer.
const MAX_TIMEOUT: Duration = Duration::from_mins(1);

/// The longest time for which an answer is kept.
const MAX_CACHE: Duration = Duration::from_hours(24);

/// The maximum number of simultaneous questions to one advisor.
const MAX_CONCURRENCY: u32 = 64;

/// The maximum number of words in a command.
const MAX_COMMAND_WORDS: usize = 64;

/// The maximum length of an address, a model name and a command word, in bytes.
const MAX_TEXT_BYTES: usize = 2_048;

/// An advisor, and the position of its name.
pub(super) type ParsedAdvisor = (AdvisorSettings, usize);

/// Reads `[[advisor]]`.
pub(super) fn read_advisors(
    keys: &mut TableKeys<'_>,
    tables: &PolicyTables,
    files: &PolicyFiles<'_>,
) -> Result<Vec<ParsedAdvisor>, PolicyFault> {
    let nodes = match keys.optional("advisor").map(|node| (node, &node.item)) {
        None => return Ok(Vec::new()),
        Some((_, TomlItem::List(nodes))) => nodes,
        Some((node, _)) => return Err(node.fault("write advisors as [[advisor]], with two brackets")),
    };
    if let Some(node) = nodes.get(MAX_ADVISORS) {
        return Err(node.fault(format!("a policy may have at most {MAX_ADVISORS} advisors")));
    }
    let mut advisors: Vec<ParsedAdvisor> = Vec::new();
    for node in nodes {
        let (advisor, at) = read_advisor(node, tables, files)?;
        if advisors.iter().any(|(before, _)| before.name == advisor.name) {
            let why = format!("two advisors are named {:?}; give each a unique name", advisor.name);
            return Err(PolicyFault { at, why });
        }
        advisors.push((advisor, at));
    }
    Ok(advisors)
}

fn read_advisor(
    node: &TomlNode,
    tables: &PolicyTables,
    files: &PolicyFiles<'_>,
) -> Result<ParsedAdvisor, PolicyFault> {
    let mut keys = node.keys("an advisor")?;
    let named = keys.required("name")?;
    let name = named.text("name")?;
    if !is_advisor_name(name) {
        return Err(named.fault(
            "the name of an advisor has 1 to 64 letters, digits, `-`, `_` and `.`, and begins with a letter or a digit",
        ));
    }
    let protocol = optional_word(&mut keys, "protocol")?.unwrap_or(AdvisorProtocol::Countersign);
    let target = read_target(&mut keys, protocol, files)?;
    let applies = keys.optional("applies");
    let configuration = hash_configuration(protocol, &target, applies, &QuestionFormat::CURRENT);
    let settings = AdvisorSettings {
        name: name.to_owned(),
        protocol,
        target,
        mode: optional_word(&mut keys, "mode")?.unwrap_or(AdvisorMode::Shadow),
        outcomes: keys.optional("outcomes").map_or(Ok(vec![AdviceVerdict::Deny]), read_outcomes)?,
        timeout: keys.optional("timeout").map_or(Ok(Duration::from_secs(5)), read_timeout)?,
        concurrency: keys.optional("concurrency").map_or(Ok(4), read_concurrency)?,
        cache: read_cache(&mut keys, protocol)?,
        thresholds: read_thresholds(&mut keys)?,
        configuration,
        applies: applies.map(|node| read_applies(node, tables)).transpose()?,
    };
    keys.reject_unknown()?;
    Ok((settings, named.at))
}

/// Reads the target's keys. A key of another protocol is an error.
fn read_target(
    keys: &mut TableKeys<'_>,
    protocol: AdvisorProtocol,
    files: &PolicyFiles<'_>,
) -> Result<AdvisorTarget, PolicyFault> {
    let known: &[&str] = match protocol {
        AdvisorProtocol::Countersign if keys.optional("command").is_some() => &["command"],
        AdvisorProtocol::Countersign | AdvisorProtocol::Opa | AdvisorProtocol::Other => {
            &["url", "allowPrivate", "key"]
        }
        AdvisorProtocol::Cedar => &["policies", "policiesFile"],
        AdvisorProtocol::Facts => &[],
        AdvisorProtocol::Chat => &["url", "allowPrivate", "key", "model", "prompt", "promptFile"],
    };
    for key in
        ["url", "allowPrivate", "command", "key", "policies", "policiesFile", "model", "prompt", "promptFile"]
    {
        if let Some(node) = keys.optional(key).filter(|_| !known.contains(&key)) {
            let with = if known == ["command"] {
                "`command`".to_owned()
            } else {
                format!("{:?}", protocol.as_str())
            };
            return Err(node.fault(format!("an advisor with {with} has no `{key}`; remove it")));
        }
    }
    if protocol == AdvisorProtocol::Facts {
        return Ok(AdvisorTarget::Facts);
    }
    if let [only] = known {
        return Ok(AdvisorTarget::Command(read_command(keys.required(only)?)?));
    }
    if protocol == AdvisorProtocol::Cedar {
        return Ok(AdvisorTarget::Cedar { policies: read_text(keys, "policies", "policiesFile", files)? });
    }
    let url = read_url(keys.required("url")?)?;
    let allow_private = keys.optional("allowPrivate").map_or(Ok(false), |node| node.flag("allowPrivate"))?;
    let key = keys.optional("key").map(read_key_name).transpose()?;
    if protocol != AdvisorProtocol::Chat {
        return Ok(AdvisorTarget::Service { url, allow_private, key });
    }
    let model = read_short_text(keys.required("model")?, "model")?;
    let prompt = read_text(keys, "prompt", "promptFile", files)?;
    Ok(AdvisorTarget::Chat { url, allow_private, model, prompt, key })
}

fn read_applies(node: &TomlNode, tables: &PolicyTables) -> Result<RuleSelectors, PolicyFault> {
    let mut keys = node.keys("applies")?;
    // An advisor may allow calls, so an agent claim must not select it.
    let selectors = selector::read_selectors(&mut keys, SelectorOwner::advisor(), Some(tables))?;
    keys.reject_unknown()?;
    if selectors.is_empty() {
        return Err(node.fault("`applies` is empty; add a selector, or remove it to ask about every call"));
    }
    Ok(selectors)
}

/// Reads a string from `key`, or from the file beside the policy that `file_key` names.
fn read_text(
    keys: &mut TableKeys<'_>,
    key: &'static str,
    file_key: &'static str,
    files: &PolicyFiles<'_>,
) -> Result<String, PolicyFault> {
    let (text, file) = (keys.optional(key), keys.optional(file_key));
    let (text, node) = match (text, file) {
        (Some(node), None) => (node.text(key)?, node),
        (None, Some(node)) => (find_attachment(node, file_key, files)?, node),
        (Some(_), Some(node)) => {
            return Err(node.fault(format!("set `{key}` or `{file_key}`, not both")));
        }
        (None, None) => return Err(keys.fault(format!("an advisor needs `{key}` or `{file_key}`"))),
    };
    if text.trim().is_empty() {
        return Err(node.fault(format!("the {key} must not be empty")));
    }
    Ok(text.to_owned())
}

fn find_attachment<'a>(
    node: &TomlNode,
    key: &'static str,
    files: &'a PolicyFiles<'_>,
) -> Result<&'a str, PolicyFault> {
    let name = node.text(key)?;
    let attachments = || files.iter().filter(|file| is_attachment(file.name));
    let short = |file: &str| file.strip_prefix(LAYER_FOLDER).unwrap_or(file).to_owned();
    let wanted = short(name);
    attachments().find(|file| short(file.name) == wanted).map(|file| file.text).ok_or_else(|| {
        let known: Vec<String> = attachments().map(|file| short(file.name)).collect();
        let hint = did_you_mean(&wanted, &known);
        node.fault(format!(
            "the folder {LAYER_FOLDER} has no file {wanted:?} that ends in .prompt or .cedar{hint}"
        ))
    })
}

fn optional_word<T: FromStr>(keys: &mut TableKeys<'_>, key: &'static str) -> Result<Option<T>, PolicyFault>
where
    T::Err: std::fmt::Display,
{
    let Some(node) = keys.optional(key) else { return Ok(None) };
    node.text(key)?.parse().map(Some).map_err(|why| node.fault(format!("{key}: {why}")))
}

fn read_outcomes(node: &TomlNode) -> Result<Vec<AdviceVerdict>, PolicyFault> {
    let outcome = |(text, node): (&str, &TomlNode)| match text.parse() {
        Ok(outcome @ (AdviceVerdict::Allow | AdviceVerdict::Deny)) => Ok(outcome),
        _ => Err(node.fault(format!("an outcome is \"deny\" or \"allow\", not {text:?}"))),
    };
    node.texts("outcomes")?.into_iter().map(outcome).collect()
}

fn read_timeout(node: &TomlNode) -> Result<Duration, PolicyFault> {
    let timeout = node.duration("timeout")?;
    if timeout > MAX_TIMEOUT {
        return Err(node.fault("timeout must be at most a minute (\"1m\")"));
    }
    Ok(timeout)
}

fn read_cache(keys: &mut TableKeys<'_>, protocol: AdvisorProtocol) -> Result<Duration, PolicyFault> {
    let node = match (keys.optional("cache"), protocol) {
        // The facts change with each decision, and are quickly read.
        (Some(node), AdvisorProtocol::Facts) => {
            return Err(node.fault("an advisor with \"facts\" has no `cache`; remove it"));
        }
        (None, AdvisorProtocol::Facts) => return Ok(Duration::ZERO),
        (None, _) => return Ok(Duration::from_mins(10)),
        (Some(node), _) => node,
    };
    if node.text("cache")? == "0s" {
        return Ok(Duration::ZERO);
    }
    let cache = node.duration("cache")?;
    if cache > MAX_CACHE {
        return Err(node.fault("cache must be at most a day (\"1d\"), or \"0s\" to turn it off"));
    }
    Ok(cache)
}

fn read_concurrency(node: &TomlNode) -> Result<u32, PolicyFault> {
    let count = node.number("concurrency")?.to_i64().and_then(|count| u32::try_from(count).ok());
    count
        .filter(|count| (1..=MAX_CONCURRENCY).contains(count))
        .ok_or_else(|| node.fault(format!("concurrency must be a whole number from 1 to {MAX_CONCURRENCY}")))
}

fn read_thresholds(keys: &mut TableKeys<'_>) -> Result<AdvisorThresholds, PolicyFault> {
    let defaults = AdvisorThresholds::default();
    let mut count = |key: &'static str, default| {
        let Some(node) = keys.optional(key) else { return Ok(default) };
        let count = node.number(key)?.to_i64().and_then(|count| u64::try_from(count).ok());
        count.ok_or_else(|| node.fault(format!("{key} must be a whole number, at least 0")))
    };
    Ok(AdvisorThresholds {
        min_cases: count("minCases", defaults.min_cases)?,
        max_false_allows: count("maxFalseAllows", defaults.max_false_allows)?,
        max_overruled_ppm: keys
            .optional("maxOverruled")
            .map_or(Ok(defaults.max_overruled_ppm), read_share)?,
    })
}

/// Reads a share from 0 to 1, in millionths.
fn read_share(node: &TomlNode) -> Result<u32, PolicyFault> {
    let share = node.number("maxOverruled")?;
    let text = share.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let millionths = format!("{whole}{fraction:0<6}").parse().ok();
    let is_fine = share.fraction_digits() <= 6;
    millionths.filter(|millionths| is_fine && *millionths <= 1_000_000).ok_or_else(|| {
        node.fault("maxOverruled must be a number from 0 to 1 with at most six digits, such as 0.05")
    })
}

fn read_command(node: &TomlNode) -> Result<Vec<String>, PolicyFault> {
    let TomlItem::List(_) = &node.item else {
        return Err(node.fault(
            "command must be a list of words, the program first, such as [\"/usr/lib/judge\", \"--json\"]; no shell reads it",
        ));
    };
    let words = node.texts("command")?;
    let words: Vec<_> = words
        .into_iter()
        .map(|(_, node)| read_short_text(node, "a word of command"))
        .collect::<Result<_, _>>()?;
    if words.len() > MAX_COMMAND_WORDS {
        return Err(node.fault(format!("command may have at most {MAX_COMMAND_WORDS} words")));
    }
    match words.first() {
        Some(program) if program.starts_with('/') => Ok(words),
        _ => Err(node.fault("the program of command must be a full path, such as \"/usr/lib/judge\"")),
    }
}

fn read_short_text(node: &TomlNode, what: &str) -> Result<String, PolicyFault> {
    let text = node.text(what)?;
    if text.is_empty() || text.len() > MAX_TEXT_BYTES || text.contains(char::is_control) {
        return Err(
            node.fault(format!("{what} must have 1 to {MAX_TEXT_BYTES} bytes and no control characters"))
        );
    }
    Ok(text.to_owned())
}

fn read_url(node: &TomlNode) -> Result<String, PolicyFault> {
    let url = read_short_text(node, "url")?;
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let host = rest.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    match host {
        Some(host) if host.contains('@') => Err(node.fault(
            "the policy is stored in the log, so a url must not contain a name and a password; use `key`",
        )),
        Some(host) if !host.is_empty() && !url.contains(char::is_whitespace) => Ok(url),
        _ => Err(node.fault("url must begin with http:// or https:// and name a host")),
    }
}

/// Reads a key name. The key itself must not be in the policy, which the log keeps.
fn read_key_name(node: &TomlNode) -> Result<String, PolicyFault> {
    let name = node.text("key")?;
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    let is_name =
        name.len() <= 64 && name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(is_plain);
    if is_name {
        return Ok(name.to_owned());
    }
    Err(node.fault(
        "key is the name of a key that the operator of the server defines, with at most 64 small letters, digits, `-` and `_`; never the key itself",
    ))
}

/// Finds mistakes in advisors that the policy can have.
pub(super) fn find_unused_advisors(
    advisors: &[ParsedAdvisor],
    named: impl Fn(&str) -> bool,
) -> Vec<(usize, String)> {
    let is_unused =
        |(advisor, _): &&ParsedAdvisor| advisor.mode == AdvisorMode::Decide && !named(&advisor.name);
    let describe = |(advisor, at): &ParsedAdvisor| {
        let name = &advisor.name;
        (
            *at,
            format!(
                "advisor {name:?} decides nothing: no rule has `verdict = \"advised\"` with `advisor = {name:?}`"
            ),
        )
    };
    advisors.iter().filter(is_unused).map(describe).collect()
}

/// Finds files of the policy that no advisor uses.
pub(super) fn find_unused_attachments(
    advisors: &[ParsedAdvisor],
    files: &PolicyFiles<'_>,
) -> Vec<(usize, String)> {
    let is_used = |text: &str| {
        advisors.iter().any(|(advisor, _)| match &advisor.target {
            AdvisorTarget::Cedar { policies: used } | AdvisorTarget::Chat { prompt: used, .. } => {
                used == text
            }
            AdvisorTarget::Service { .. } | AdvisorTarget::Command(_) | AdvisorTarget::Facts => false,
        })
    };
    let unused = files.iter().filter(|file| is_attachment(file.name) && !is_used(file.text));
    unused.map(|file| (file.start, format!("no advisor uses the file {:?}", file.name))).collect()
}

/// A rule's `advisor` key.
pub(super) fn read_rule_advisor(node: &TomlNode, tables: &PolicyTables) -> Result<String, PolicyFault> {
    let name = node.text("advisor")?;
    if tables.advisors.iter().any(|known| known == name) {
        return Ok(name.to_owned());
    }
    Err(node
        .fault(format!("unknown advisor {name:?} in [[advisor]]{}", did_you_mean(name, &tables.advisors))))
}
