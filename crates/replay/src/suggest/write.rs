//! Writes suggestions as TOML, with the evidence for each rule in a comment beside it.

use super::{
    candidate::{CandidateRule, CandidateSelector},
    evidence::RefusedCall,
    rule_evidence::RuleEvidence,
    suggestion::RuleSuggestion,
};
use countersign_policy::ScopePattern;
use serde_json::Value;
use std::fmt::Write as _;

/// The maximum number of near misses, and of people, that a comment shows.
pub(super) const MAX_SHOWN: usize = 3;

/// The longest name, and the longest call in a comment, in characters.
const MAX_LENGTH: usize = 100;

/// Names the rule after its tool and its conditions.
pub(super) fn name_rule(candidate: &CandidateRule) -> String {
    let tool = shorten(candidate.tool.as_str());
    let condition = match &candidate.selector {
        CandidateSelector::Listed(_) => shorten(&describe_listed(candidate)),
        CandidateSelector::Exact(pattern) => shorten(&describe_exact(pattern)),
        CandidateSelector::Wildcard { pattern, .. } => shorten(&pattern.to_string()),
        CandidateSelector::Tool => "any arguments".to_owned(),
    };
    format!("suggested: {tool}, {condition}")
}

/// Describes the exact value, or the number of exact values.
fn describe_exact(pattern: &ScopePattern) -> String {
    let selectors: serde_json::Map<String, Value> = pattern.json().read().unwrap_or_default();
    match selectors.iter().next() {
        Some((kind, Value::Array(values))) => format!("{} exact {kind}s", values.len()),
        _ => pattern.to_string(),
    }
}

/// Describes the arguments with listed values.
fn describe_listed(candidate: &CandidateRule) -> String {
    let selectors = candidate.selector.to_json().unwrap_or_default();
    let args = selectors.get("args").and_then(Value::as_object);
    let described = args.into_iter().flatten().filter_map(|(pointer, predicate)| {
        let values = predicate.get("eq").or_else(|| predicate.get("in"))?;
        Some(format!("{} {values}", pointer.trim_start_matches('/')))
    });
    let described: Vec<_> = described.collect();
    if !described.is_empty() {
        return described.join(", ");
    }
    let open = args.into_iter().flatten().map(|(pointer, _)| pointer.trim_start_matches('/'));
    let open: Vec<_> = open.filter(|name| !name.is_empty()).collect();
    if open.is_empty() { "no arguments".to_owned() } else { format!("any {}", open.join(", ")) }
}

/// Writes the rule in TOML. It applies only to the proposers, and in the projects, of its evidence, unless there are many.
pub(super) fn write_rule(name: &str, candidate: &CandidateRule, evidence: &RuleEvidence<'_>) -> String {
    let mut text = format!("[[rule]] # {}\nname = {}\n", describe_evidence(evidence), quote(name));
    let _ = writeln!(text, "tool = {}", quote(&escape_glob(candidate.tool.as_str())));
    if let Some(named) = evidence.named_proposers() {
        let globs: Vec<Value> = named.iter().map(|name| escape_glob(name).into()).collect();
        let _ = writeln!(text, "principal = {}", write_one_or_list(globs));
    }
    if let Some(folders) = evidence.named_folders() {
        let below = |folder: &str| [folder.to_owned(), format!("{}/**", folder.trim_end_matches('/'))];
        let globs = folders.into_iter().flat_map(|folder| below(&escape_glob(folder)));
        let _ =
            writeln!(text, "place = {{ folder = {} }}", write_one_or_list(globs.map(Into::into).collect()));
    }
    for (key, value) in candidate.selector.to_json().unwrap_or_default() {
        let _ = writeln!(text, "{key} = {}", to_toml(&value));
    }
    text.push_str("verdict = \"allow\"\n");
    text
}

/// Describes a refused call and its reason on one line.
pub(crate) fn describe_refusal(obstacle: &RefusedCall) -> String {
    format!("{} ({})", shorten(obstacle.call.arguments.as_str()), shorten(&obstacle.why))
}

impl RuleSuggestion {
    /// Returns the rules in policy TOML, each below a comment with its evidence.
    #[must_use]
    pub fn toml(&self) -> String {
        let mut text = format!(
            "# {} of {} prompts would have been saved by {}, none of which allows\n\
             # anything that was ever denied. Look at each before you add it to a policy.\n",
            self.saved,
            self.prompts,
            count_of(self.rules.len() as u64, "rule"),
        );
        if let Some(line) = self.skip_reasons() {
            let _ = writeln!(text, "# {line}");
        }
        if self.more_rules > 0 {
            let more = count_of(self.more_rules as u64, "further rule");
            let _ = writeln!(text, "# {more} would save {}: --all", count_of(self.more_saves, "prompt"));
        }
        for rule in &self.rules {
            text.push_str(&rule.toml);
        }
        text
    }

    /// The reasons why other prompts led to no rule.
    fn skip_reasons(&self) -> Option<String> {
        let skipped = &self.skipped;
        let reasons = [
            (skipped.not_allowed, "denied, expired, withdrawn or still waiting"),
            (skipped.denied, "allowed, but the same call was denied at another time"),
            (skipped.asked_on_purpose, "asked by a rule or by the tool itself"),
            (skipped.asked_by_thread, "asked because the thread requires approval"),
            (skipped.settled, "settled by a rule since"),
            (skipped.dangerous, "marked as dangerous (--even-dangerous)"),
            (skipped.masked, "masked in the log"),
        ];
        let counted = reasons.into_iter().filter(|(number, _)| *number > 0);
        let counted: Vec<_> = counted.map(|(number, why)| format!("{number} {why}")).collect();
        (!counted.is_empty()).then(|| format!("Skipped: {}.", counted.join("; ")))
    }
}

/// Describes the evidence for a rule on one line.
fn describe_evidence(evidence: &RuleEvidence<'_>) -> String {
    format!(
        "{} in {}, {} different, allowed by {}",
        count_of(evidence.prompts, "prompt"),
        count_of(evidence.threads as u64, "thread"),
        evidence.arguments,
        list_people(&evidence.people),
    )
}

fn list_people(names: &[String]) -> String {
    let shown: Vec<_> = names.iter().take(MAX_SHOWN).map(|name| shorten(name)).collect();
    let more = names.len() - shown.len();
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}

fn count_of(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Shortens a string to one comment line. It replaces characters that end the line, change its direction or are
/// invisible.
fn shorten(text: &str) -> String {
    let visible = |c: char| match c {
        ' '..='~' => c,
        c if c.is_alphanumeric() => c,
        _ => '\u{FFFD}',
    };
    let mut line: String = text.chars().take(MAX_LENGTH).map(visible).collect();
    if text.chars().nth(MAX_LENGTH).is_some() {
        line.push('…');
    }
    line
}

/// Escapes a name to a glob that matches only this name.
fn escape_glob(name: &str) -> String {
    let mut glob = String::new();
    for (at, c) in name.chars().enumerate() {
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\') || (at == 0 && c == '@') {
            glob.push('\\');
        }
        glob.push(c);
    }
    glob
}

fn write_one_or_list(mut values: Vec<Value>) -> String {
    if values.len() == 1 { to_toml(&values.remove(0)) } else { to_toml(&Value::Array(values)) }
}

fn quote(text: &str) -> String {
    // TOML understands the escapes of JSON, but it also requires DEL to be escaped.
    Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

/// Writes a JSON value as TOML. The value must not contain null.
fn to_toml(value: &Value) -> String {
    match value {
        Value::String(text) => quote(text),
        Value::Array(values) => format!("[{}]", values.iter().map(to_toml).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| format!("{} = {}", write_key(key), to_toml(value));
            let members: Vec<_> = members.iter().map(member).collect();
            if members.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", members.join(", ")) }
        }
        value => value.to_string(),
    }
}

/// Writes a TOML key, without quotes if TOML allows it.
fn write_key(key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    if bare { key.to_owned() } else { quote(key) }
}
