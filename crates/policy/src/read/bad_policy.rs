//! The error of a policy that cannot be read.

/// The error of a policy that cannot be read, with its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPolicy {
    /// The text is not TOML. The message shows the line.
    #[error("the policy cannot be read: {0}")]
    Unreadable(String),
    /// The text is TOML, but not a valid policy.
    #[error("the policy is invalid at line {line}, column {column}: {why}")]
    Wrong {
        /// The line, counted from 1.
        line: usize,
        /// The column in characters, counted from 1.
        column: usize,
        /// The problem, and how to fix it.
        why: String,
    },
}
