//! The error of an operator's pattern that cannot be read.

/// One of the operator's own patterns cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RedactionPatternError {
    /// A glob over the names of keys.
    #[error("redact.keys[{index}]: {why}")]
    Key {
        /// Which one, counted from 0.
        index: usize,
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
