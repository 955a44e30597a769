//! Patterns over command lines, URLs, paths and names, for policy rules, grants and denials. **A pattern matches
//! only what its text shows**: an approver who read the pattern has seen everything that it allows.
//!
//! Matching is purely lexical: it starts no shell, resolves no host name and follows no link.

pub mod command;
mod file_use;
mod folded_path;
pub mod glob;
mod invisible;
pub mod path;
pub mod url;

#[cfg(test)]
mod adversarial;
#[cfg(test)]
mod properties;

pub use command::{CommandPattern, ParsedScript};
pub use file_use::{FileUse, FolderReach, ProtectedPath, may_be_file};
pub use glob::Glob;
pub use path::{ParsedPath, PathPattern};
pub use url::{ParsedUrl, UrlPattern};

/// The result of matching a pattern against an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatchAnswer {
    /// The pattern matches.
    Yes,
    /// The pattern does not match.
    No,
    /// Unknown: the input cannot be parsed, or programs interpret it in different ways. An `allow` rule treats this
    /// as no, an `ask` rule as yes, and a `block` rule becomes an `ask`.
    Unclear,
}

impl MatchAnswer {
    /// Converts a known result.
    #[must_use]
    pub const fn from_bool(matches: bool) -> Self {
        if matches { Self::Yes } else { Self::No }
    }

    /// Combines the answers to two parts: one match is enough, and otherwise one unclear answer makes both unclear.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Yes, _) | (_, Self::Yes) => Self::Yes,
            (Self::Unclear, _) | (_, Self::Unclear) => Self::Unclear,
            (Self::No, Self::No) => Self::No,
        }
    }

    /// Turns `Yes` into `Unclear` if the input is `ambiguous`, that is, if programs interpret it in different ways.
    #[must_use]
    pub const fn unclear_if(self, ambiguous: bool) -> Self {
        match self {
            Self::Yes if ambiguous => Self::Unclear,
            other => other,
        }
    }
}

/// The error for an invalid pattern. It states the fault and the correction.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the pattern `{pattern}` {fault}")]
pub struct PatternError {
    pattern: String,
    fault: String,
}

impl PatternError {
    pub(crate) fn new(pattern: &str, fault: impl Into<String>) -> Self {
        Self { pattern: pattern.to_owned(), fault: fault.into() }
    }
}
