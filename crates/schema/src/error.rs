//! The reasons why a schema cannot be used.

/// The reason why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnusableSchema {
    /// The check takes too many steps.
    #[error("the check needs more than {0} steps")]
    TooManySteps(usize),
    /// Schemas apply each other too deeply.
    #[error("its schemas refer to each other too often or without end")]
    TooDeep,
    /// The schema has too many patterns.
    #[error("it has more than {0} patterns")]
    TooManyPatterns(usize),
    /// A reference leads to another document, or to no schema.
    #[error("it refers to another resource, or to a schema that does not exist")]
    UnknownReference,
    /// A reference target depends on the check path.
    #[error("it has references that depend on the call")]
    DynamicReference,
    /// A pattern is invalid, or needs too much time or memory.
    #[error("its pattern {0:?} cannot be used")]
    UnusablePattern(String),
    /// A keyword has a value that it cannot have.
    #[error("`{keyword}` must be {expected}")]
    InvalidKeyword {
        /// The keyword.
        keyword: &'static str,
        /// The values that it can have.
        expected: &'static str,
    },
}
