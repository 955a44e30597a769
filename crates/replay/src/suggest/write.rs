//! Writing suggestions as TOML, with what speaks for each rule in comments above it.

use super::{
    candidate::{CandidateRule, CandidateSelector},
    evidence::RefusedCall,
    rule_evidence::RuleEvidence,
    suggestion::{RuleSuggestion, SuggestedRule},
};
use serde_json::Value;
use std::fmt::Write as _;

/// How many near misses are shown.
pub(super) const SHOWN: usize = 3;

/// How long a name, or a call in a comment, may get.
const LONGEST: usize = 100;

/// A name that says what the rule is about.
pub(super) fn name(candidate: &CandidateRule) -> String {
    let tool = short(candidate.tool.as_str());
    let what = match &candidate.selects {
        CandidateSelector::Listed(_) => short(&listed(candidate)),
        CandidateSelector::Operand(pattern) => short(&pattern.to_string()),
        CandidateSelector::Tool => "whatever it is given".to_owned(),
    };
    format!("suggested: {tool}, {what}")
}

/// The arguments whose values are listed.
fn listed(candidate: &CandidateRule) -> String {
    let selectors = candidate.selects.json().unwrap_or_default();
    let args = selectors.get("args").and_then(Value::as_object);
    let said = args.into_iter().flatten().filter_map(|(pointer, predicate)| {
        let values = predicate.get("eq").or_else(|| predicate.get("in"))?;
        Some(format!("{} {values}", pointer.trim_start_matches('/')))
    });
    let said: Vec<_> = said.collect();
    if said.is_empty() { "without anything".to_owned() } else { said.join(", ") }
}

/// The rule. Whoever proposed none of the calls that speak for it is not meant.
pub(super) fn rule(name: &str, candidate: &CandidateRule, facts: &RuleEvidence<'_>) -> String {
    let mut text = format!("[[rule]]\nname = {}\n", quoted(name));
    let _ = writeln!(text, "tool = {}", quoted(&literal(candidate.tool.as_str())));
    if let Some(named) = facts.named() {
        let globs: Vec<Value> = named.iter().map(|name| literal(name).into()).collect();
        let _ = writeln!(text, "principal = {}", one_or_more(globs));
    }
    for (key, value) in candidate.selects.json().unwrap_or_default() {
        let _ = writeln!(text, "{key} = {}", toml(&value));
    }
    text.push_str("verdict = \"allow\"\n");
    text
}

/// A call that the rule may not allow, with the reason, on one line.
pub(super) fn miss(obstacle: &RefusedCall) -> String {
    format!("{} ({})", short(obstacle.looks.arguments.as_str()), short(&obstacle.why))
}

impl RuleSuggestion {
    /// A policy of these rules alone, to be added to another one: above each what speaks for it.
    #[must_use]
    pub fn toml(&self) -> String {
        let mut text = format!(
            "# {} of {} prompts would have been saved by {}, none of which allows\n\
             # anything that was ever denied. Look at each before you add it to a policy.\n",
            self.saved,
            self.prompts,
            count(self.rules.len() as u64, "rule"),
        );
        for line in self.passed() {
            let _ = writeln!(text, "# {line}");
        }
        for rule in &self.rules {
            let _ = write!(text, "\n{}{}", evidence(rule), rule.toml);
        }
        text
    }

    /// Why other prompts led to no rule, in sentences.
    fn passed(&self) -> Vec<String> {
        let passed = &self.passed_over;
        let reasons = [
            (passed.not_allowed, "denied, lapsed, withdrawn or still waiting"),
            (passed.denied, "allowed, but the same call was denied another time"),
            (passed.asked_on_purpose, "asked by a rule or by the tool itself, which no allow lifts"),
            (passed.asked_by_thread, "asked because the thread requires approval"),
            (passed.dangerous, "called dangerous (--even-dangerous looks at them too)"),
            (passed.masked, "masked in the log, so nobody can say what a rule would meet"),
        ];
        let told = reasons.into_iter().filter(|(number, _)| *number > 0);
        told.map(|(number, why)| format!("Passed over: {number}, {why}.")).collect()
    }
}

fn evidence(rule: &SuggestedRule) -> String {
    let days = |at: countersign_events::Timestamp| at.to_string().chars().take(10).collect::<String>();
    let mut text = format!(
        "# {} in {}, {} different, all allowed by {}, none ever denied.\n# From {} to {}.",
        count(rule.prompts, "prompt"),
        count(rule.threads as u64, "thread"),
        rule.arguments,
        people(&rule.people),
        days(rule.first),
        days(rule.last),
    );
    if rule.saves < rule.prompts {
        let _ = write!(text, " The rules above leave {} of them.", rule.saves);
    }
    text.push('\n');
    if rule.near_misses > 0 {
        let _ = writeln!(
            text,
            "# It does not allow {} of this tool:",
            count(rule.near_misses as u64, "other call")
        );
        for miss in &rule.such_as {
            let _ = writeln!(text, "#   {miss}");
        }
    }
    text
}

fn people(names: &[String]) -> String {
    let shown: Vec<_> = names.iter().take(SHOWN).map(|name| short(name)).collect();
    let more = names.len() - shown.len();
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}

fn count(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// A text on one line of a comment: without what would end the line, turn its direction or hide.
fn short(text: &str) -> String {
    let shown = |c: char| match c {
        ' '..='~' => c,
        c if c.is_alphanumeric() => c,
        _ => '\u{FFFD}',
    };
    let mut line: String = text.chars().take(LONGEST).map(shown).collect();
    if text.chars().nth(LONGEST).is_some() {
        line.push('…');
    }
    line
}

/// A glob that means just this name.
fn literal(name: &str) -> String {
    let mut glob = String::new();
    for (at, c) in name.chars().enumerate() {
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\') || (at == 0 && c == '@') {
            glob.push('\\');
        }
        glob.push(c);
    }
    glob
}

fn one_or_more(mut values: Vec<Value>) -> String {
    if values.len() == 1 { toml(&values.remove(0)) } else { toml(&Value::Array(values)) }
}

fn quoted(text: &str) -> String {
    // What JSON escapes, TOML reads alike; but TOML wants a DEL escaped, too.
    Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

/// A value that TOML can say, as it says it.
fn toml(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(values) => format!("[{}]", values.iter().map(toml).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| format!("{} = {}", named(key), toml(value));
            let members: Vec<_> = members.iter().map(member).collect();
            if members.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", members.join(", ")) }
        }
        value => value.to_string(),
    }
}

/// A key, bare where TOML lets it be.
fn named(key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    if bare { key.to_owned() } else { quoted(key) }
}
