//! Configurable redaction patterns.

use super::keys::SensitiveKeys;
use regex::Regex;

/// The operator's patterns, which apply in addition to the built-in ones.
#[derive(Debug, Default)]
pub(crate) struct SecretPatterns {
    pub(crate) keys: SensitiveKeys,
    pub(crate) values: Vec<Regex>,
}
