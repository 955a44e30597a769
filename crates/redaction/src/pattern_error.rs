//! The error for an invalid redaction pattern.

/// One of the operator's patterns is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RedactionPatternError {
    /// An invalid glob for the names of keys.
    #[error("redact.keys[{index}]: {why}")]
    Key {
        /// The index in the setting, from 0.
        index: usize,
        /// The parse error.
        why: String,
    },
    /// An invalid regular expression for values.
    #[error("redact.values[{index}]: {pattern:?} is not a regular expression: {why}")]
    Value {
        /// The index in the setting, from 0.
        index: usize,
        /// The pattern as the operator wrote it.
        pattern: String,
        /// The parse error.
        why: String,
    },
}
