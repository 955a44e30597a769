//! A warning about a policy.

use std::fmt;

/// Something in a policy that is allowed and probably not meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyWarning {
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
    /// What is odd, and what to do.
    pub text: String,
}

impl fmt::Display for PolicyWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.text)
    }
}
