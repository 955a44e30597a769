//! Secrets are taken out before anything is written, logged or sent: what stands under a sensitive
//! key, and what looks like a secret inside a string. What has none stays to the byte.

mod block;
mod keys;
mod program;
mod scan;
mod shapes;
mod tape;
mod text;
mod value;
mod walk;
mod words;

use countersign_events::Json;
use keys::Keys;
use regex::Regex;
use std::{borrow::Cow, sync::Arc};

/// What stands where a secret stood.
pub const MASK: &str = "[redacted]";

/// Rounds after which a text that still gives up secrets is masked as a whole.
const MAX_ROUNDS: usize = 8;

/// One of the operator's own patterns cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPattern {
    /// A glob over the names of keys.
    #[error("redact.keys[{index}]: {pattern:?} is not a glob: {why}")]
    Key {
        /// Which one, counted from 0.
        index: usize,
        /// As it was given.
        pattern: String,
        /// What is wrong with it.
        why: String,
    },
    /// A regular expression over values.
    #[error("redact.values[{index}]: {pattern:?} is not a regular expression: {why}")]
    Value {
        /// Which one, counted from 0.
        index: usize,
        /// As it was given.
        pattern: String,
        /// What is wrong with it.
        why: String,
    },
}

/// What knows a secret when it sees one. Cloning is cheap; the default knows the built-in patterns.
#[derive(Debug, Clone, Default)]
pub struct Redactor(Arc<Patterns>);

#[derive(Debug, Default)]
struct Patterns {
    keys: Keys,
    values: Vec<Regex>,
}

/// JSON without its secrets, and where they were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted {
    /// The same text, but for the values in which something was masked.
    pub json: Json,
    /// RFC 6901 pointers to those values, in the order of the text; after a megabyte
    /// of them no more are listed.
    pub pointers: Vec<String>,
}

impl Redactor {
    /// The built-in patterns and the operator's own: `keys` are globs over the names of keys, of
    /// either case, and what a regular expression of `values` matches is masked wherever it stands.
    pub fn new(keys: &[String], values: &[String]) -> Result<Self, BadPattern> {
        let own = |(index, pattern): (usize, &String)| {
            Regex::new(pattern).map_err(|e| BadPattern::Value {
                index,
                pattern: pattern.clone(),
                // Before the last line stands a drawing of it.
                why: e
                    .to_string()
                    .lines()
                    .last()
                    .unwrap_or_default()
                    .trim_start_matches("error: ")
                    .to_owned(),
            })
        };
        let values = values.iter().enumerate().map(own).collect::<Result<_, _>>()?;
        Ok(Self(Arc::new(Patterns { keys: Keys::new(keys)?, values })))
    }

    /// The JSON without its secrets; `None` if it has none.
    #[must_use]
    pub fn json(&self, json: &Json) -> Option<Redacted> {
        if !self.suspects(json.as_str()) {
            return None;
        }
        let (text, pointers) = walk::redact(self, json.as_str(), 0)?;
        // What was JSON stays JSON; should it not, nothing of it may be shown.
        let json = Json::stored(text).unwrap_or_else(|_| Json::string(MASK));
        Some(Redacted { json, pointers })
    }

    /// A free text without its secrets; `None` if it has none.
    #[must_use]
    pub fn text(&self, text: &str) -> Option<String> {
        self.string(text, 0)
    }

    /// The text of a string that stands `depth` levels deep, until nothing more is found in it: what
    /// was masked may have hidden what comes after it, and to redact twice must change nothing.
    fn string(&self, text: &str, depth: usize) -> Option<String> {
        if !self.suspects(text) {
            return None;
        }
        let mut clean = Cow::Borrowed(text);
        for _ in 0..MAX_ROUNDS {
            match self.round(&clean, depth) {
                Some(less) => clean = Cow::Owned(less),
                None => return (clean != text).then(|| clean.into_owned()),
            }
        }
        Some(MASK.to_owned())
    }

    fn round(&self, text: &str, depth: usize) -> Option<String> {
        if walk::holds_json(text) {
            return walk::redact(self, text, depth + 1).map(|(text, _)| text);
        }
        text::mask(text, text::secrets(self, text))
    }

    /// Whether it is worth a closer look. The operator's own patterns may be about anything.
    fn suspects(&self, text: &str) -> bool {
        self.0.keys.has_own() || !self.0.values.is_empty() || text::TRIGGER.is_match(text)
    }
}

#[cfg(test)]
mod cases;
#[cfg(test)]
mod cases_text;
#[cfg(test)]
mod hiding;
#[cfg(test)]
mod laws;
