//! The error of a policy that cannot be read.

/// What is wrong with a policy, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPolicy {
    /// Not TOML. The text shows the line.
    #[error("the policy cannot be read: {0}")]
    Unreadable(String),
    /// It reads, and something in it makes no sense.
    #[error("the policy is wrong at line {line}, column {column}: {why}")]
    Wrong {
        /// Counted from 1.
        line: usize,
        /// Counted from 1, in characters.
        column: usize,
        /// What is wrong, and what to do.
        why: String,
    },
}
