//! Redaction: finding the secret parts of arguments and texts, and masking them before anything is written, logged
//! or sent. Text without secrets stays byte for byte.

mod bad_pattern;
mod block;
mod keys;
mod mask;
mod patterns;
mod program;
mod scan;
mod shapes;
mod tape;
mod text;
mod value;
mod walk;
mod words;

pub use bad_pattern::RedactionPatternError;
pub use mask::MASK;

use countersign_events::Json;
use keys::SensitiveKeys;
use patterns::SecretPatterns;
use regex::Regex;
use std::sync::Arc;

/// What knows a secret when it sees one. Cloning is cheap; the default knows the built-in patterns.
#[derive(Debug, Clone, Default)]
pub struct Redactor(Arc<SecretPatterns>);

/// JSON without its secrets, and where they were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedactedJson {
    /// The same text, but for the values in which something was masked.
    pub json: Json,
    /// RFC 6901 pointers to those values, in the order of the text; after a megabyte
    /// of them no more are listed.
    pub pointers: Vec<String>,
}

impl Redactor {
    /// The built-in patterns and the operator's own: `keys` are globs over the names of keys, of
    /// either case, and what a regular expression of `values` matches is masked wherever it stands.
    pub fn new(keys: &[String], values: &[String]) -> Result<Self, RedactionPatternError> {
        let own = |(index, pattern): (usize, &String)| {
            Regex::new(pattern).map_err(|e| RedactionPatternError::Value {
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
        Ok(Self(Arc::new(SecretPatterns { keys: SensitiveKeys::new(keys)?, values })))
    }

    /// The JSON without its secrets; `None` if it has none.
    #[must_use]
    pub fn json(&self, json: &Json) -> Option<RedactedJson> {
        if !text::suspects(&self.0, json.as_str()) {
            return None;
        }
        let (text, pointers) = walk::redact(&self.0, json.as_str(), 0)?;
        // What was JSON stays JSON; should it not, nothing of it may be shown.
        let json = Json::stored(text).unwrap_or_else(|_| Json::string(MASK));
        Some(RedactedJson { json, pointers })
    }

    /// A free text without its secrets; `None` if it has none.
    #[must_use]
    pub fn text(&self, text: &str) -> Option<String> {
        walk::redact_string(&self.0, text, 0)
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
