//! Patterns over command lines, URLs, paths and names: what policy rules, grants and denials stand on.
//! **A pattern never says more than it shows**, so what hides behind one that was shown to a person is
//! not matched by it.
//!
//! Everything here is pure and lexical: no shell is started, no name is looked up, no link is followed.

pub mod command;
pub mod glob;
pub mod path;
mod unseen;
pub mod url;

#[cfg(test)]
mod adversarial;
#[cfg(test)]
mod laws;
pub use command::{CommandPattern, ParsedScript};
pub use glob::Glob;
pub use path::{ParsedPath, PathPattern};
pub use url::{ParsedUrl, UrlPattern};

/// What a matcher says of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatchAnswer {
    /// It matches.
    Yes,
    /// It does not match.
    No,
    /// It cannot be known: the input cannot be read, or means different things to different readers. An
    /// `allow` rule counts it as no, an `ask` rule as yes, and a `block` rule becomes an `ask`.
    Unclear,
}

impl MatchAnswer {
    /// Yes or no, where it is known.
    pub const fn of(matches: bool) -> Self {
        if matches { Self::Yes } else { Self::No }
    }

    /// The same answer about an input that some reader may understand otherwise.
    pub const fn doubted(self, doubt: bool) -> Self {
        match self {
            Self::Yes if doubt => Self::Unclear,
            other => other,
        }
    }
}

/// A pattern that cannot be meant: what is wrong with it and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the pattern `{pattern}` {what}")]
pub struct PatternError {
    pattern: String,
    what: String,
}

impl PatternError {
    pub(crate) fn new(pattern: &str, what: impl Into<String>) -> Self {
        Self { pattern: pattern.to_owned(), what: what.into() }
    }
}
