//! The patterns that find secrets: the built-in ones, and those of the operator.

use crate::keys::SensitiveKeys;
use regex::Regex;

/// The operator's patterns, beside the built-in ones.
#[derive(Debug, Default)]
pub(crate) struct SecretPatterns {
    pub(crate) keys: SensitiveKeys,
    pub(crate) values: Vec<Regex>,
}
