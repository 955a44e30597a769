//! A warning about a policy.

use std::fmt;

/// A warning about a policy part that is valid and probably a mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyWarning {
    /// The file, if the policy has several.
    pub file: Option<String>,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The problem, and how to fix it.
    pub text: String,
    /// Whether a rule, or a pattern of it, can never match. It does not keep the policy from being used: a log may have it.
    pub never_matches: bool,
}

impl fmt::Display for PolicyWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}, ")?;
        }
        write!(f, "line {}, column {}: {}", self.line, self.column, self.text)
    }
}
