//! The reasons why a configuration is left unchanged.

/// The reason why a configuration is left unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The text cannot be parsed.
    #[error("it cannot be parsed: {0}")]
    Syntax(String),
    /// A value has a type that the agent does not define there.
    #[error("{place} is not {expected}; correct it first")]
    WrongType {
        /// The value's place.
        place: String,
        /// The expected type.
        expected: &'static str,
    },
}
