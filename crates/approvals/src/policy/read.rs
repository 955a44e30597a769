//! Reading a policy from TOML, strictly: what is not understood is an error, never passed over.

use super::{Policy, Rule, Verdict};
use crate::{Sha256, id::MAX_NAME_BYTES};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;
use std::{collections::HashSet, time::Duration};
use toml::Spanned;

/// What is wrong with a policy, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPolicy {
    /// Not TOML, an unknown key, a missing one, or a value of the wrong kind. The text shows the line.
    #[error("the policy cannot be read: {0}")]
    Unreadable(String),
    /// It reads, and one rule of it makes no sense.
    #[error("the policy is wrong at line {line}, column {column}: {why}")]
    Wrong {
        /// Counted from 1.
        line: usize,
        /// Counted from 1, in characters.
        column: usize,
        /// What is wrong, and what to do.
        why: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default = "ask")]
    default: Verdict,
    expires: Option<Spanned<String>>,
    #[serde(default)]
    rule: Vec<FileRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRule {
    name: Spanned<String>,
    tool: Spanned<toml::Value>,
    verdict: Verdict,
    reason: Option<String>,
    expires: Option<Spanned<String>>,
}

const fn ask() -> Verdict {
    Verdict::Ask
}

pub(super) fn read(text: &str) -> Result<Policy, BadPolicy> {
    let file: File = toml::from_str(text).map_err(|e| BadPolicy::Unreadable(e.to_string()))?;
    let reader = Reader { text };
    let mut names = HashSet::new();
    let mut rules = Vec::new();
    for rule in file.rule {
        if !names.insert(rule.name.get_ref().clone()) {
            let why = format!("there are two rules named {:?}; give each its own", rule.name.get_ref());
            return Err(reader.wrong(&rule.name, why));
        }
        rules.push(reader.rule(rule)?);
    }
    let expires = file.expires.map(|span| reader.span(&span)).transpose()?;
    Ok(Policy { default: file.default, expires, rules, hash: Sha256::of(text.as_bytes()) })
}

struct Reader<'a> {
    text: &'a str,
}

impl Reader<'_> {
    fn wrong<T>(&self, place: &Spanned<T>, why: String) -> BadPolicy {
        let before = self.text.get(..place.span().start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        BadPolicy::Wrong { line, column, why }
    }

    fn rule(&self, rule: FileRule) -> Result<Rule, BadPolicy> {
        let name = rule.name.get_ref();
        if name.is_empty() || name.len() > MAX_NAME_BYTES - "policy:".len() || name.contains(char::is_control)
        {
            let why = "a rule's name has 1 to 505 bytes and no control characters".to_owned();
            return Err(self.wrong(&rule.name, why));
        }
        Ok(Rule {
            tools: self.tools(&rule)?,
            name: rule.name.into_inner(),
            verdict: rule.verdict,
            reason: rule.reason,
            expires: rule.expires.map(|span| self.span(&span)).transpose()?,
        })
    }

    fn tools(&self, rule: &FileRule) -> Result<GlobSet, BadPolicy> {
        let wrong = |why: String| self.wrong(&rule.tool, why);
        let patterns = match rule.tool.get_ref() {
            toml::Value::Array(patterns) => patterns.as_slice(),
            pattern => std::slice::from_ref(pattern),
        };
        if patterns.is_empty() {
            return Err(wrong("the list of tools is empty, so the rule would never match".to_owned()));
        }
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            let Some(text) = pattern.as_str() else {
                return Err(wrong("tool takes a pattern such as \"file-*\", or a list of them".to_owned()));
            };
            set.add(GlobBuilder::new(text).build().map_err(|e| wrong(e.to_string()))?);
        }
        set.build().map_err(|e| wrong(e.to_string()))
    }

    /// Reads `90s`, `15m`, `2h` or `1d`.
    fn span(&self, span: &Spanned<String>) -> Result<Duration, BadPolicy> {
        parse_span(span.get_ref()).ok_or_else(|| {
            let why =
                format!("{:?} is no span of time such as \"90s\", \"15m\", \"2h\" or \"1d\"", span.get_ref());
            self.wrong(span, why)
        })
    }
}

/// A whole number of seconds, minutes, hours or days: `90s`, `15m`, `2h`, `1d`. `None` for anything
/// else, and for a span of zero.
#[must_use]
pub fn parse_span(text: &str) -> Option<Duration> {
    let unit = text.chars().last()?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return None,
    };
    let count: u32 = text.strip_suffix(unit)?.parse().ok()?;
    (count > 0).then(|| Duration::from_secs(u64::from(count) * seconds))
}
