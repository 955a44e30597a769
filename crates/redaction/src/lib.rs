//! Redaction: finds the secret parts of arguments and other content, and masks them before anything is written, logged
//! or sent. Text without secrets keeps every byte.

mod assigned_values;
mod command_values;
mod command_words;
mod cookies;
mod json_nodes;
mod keys;
mod leaf;
mod literal;
mod literal_spans;
mod mask;
mod mnemonics;
mod named_pairs;
mod open_quotes;
mod pattern_error;
mod patterns;
mod private_keys;
mod program_rules;
mod prose;
mod quoted_arguments;
mod secret_files;
mod secret_lines;
mod sql_values;
mod tables;
mod text;
mod text_pairs;
mod token_shapes;
mod url_secrets;
mod walk;
mod word_lists;
mod yaml_secrets;

pub use mask::MASK;
pub use pattern_error::RedactionPatternError;

use countersign_events::Json;
use keys::SensitiveKeys;
use patterns::SecretPatterns;
use regex::Regex;
use std::sync::Arc;

/// Finds and masks secrets. Cloning is cheap. The default uses only the built-in patterns.
#[derive(Debug, Clone, Default)]
pub struct Redactor(Arc<SecretPatterns>);

/// JSON with masked secrets, and the mask positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedactedJson {
    /// The original text, except for the values that contain a mask.
    pub json: Json,
    /// RFC 6901 pointers to those values, in document order. The list stops growing after one megabyte.
    pub pointers: Vec<String>,
}

impl Redactor {
    /// Adds the operator's patterns to the built-in ones. `keys` are globs for the names of keys and ignore case.
    /// `values` are regular expressions; every match is masked, wherever it occurs.
    pub fn new(keys: &[String], values: &[String]) -> Result<Self, RedactionPatternError> {
        let own = |(index, pattern): (usize, &String)| {
            Regex::new(pattern).map_err(|e| RedactionPatternError::Value {
                index,
                pattern: pattern.clone(),
                // The lines before the last one draw the pattern; only the last line names the error.
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

    /// Masks the secrets in JSON. Returns `None` if there are none.
    #[must_use]
    pub fn redact_json(&self, json: &Json) -> Option<RedactedJson> {
        let (text, pointers) = walk::redact_json(&self.0, json.as_str())?;
        // The result is always valid JSON. If a bug breaks it, mask everything rather than show a secret.
        let json = Json::stored(text).unwrap_or_else(|_| Json::string(MASK));
        Some(RedactedJson { json, pointers })
    }

    /// Masks the secrets in free text. Returns `None` if there are none.
    #[must_use]
    pub fn redact_text(&self, text: &str) -> Option<String> {
        walk::redact_text(&self.0, text)
    }
}

#[cfg(test)]
mod finding_cases;
#[cfg(test)]
mod form_cases;
#[cfg(test)]
mod json_cases;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod list_cases;
#[cfg(test)]
mod mask_limits;
#[cfg(test)]
mod text_cases;
