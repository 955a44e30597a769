//! The log name in messages.

use std::{fmt, path::Path};

/// The log name in messages: its path, or its database address without the password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseName(String);

impl DatabaseName {
    pub(crate) const fn new(name: String) -> Self {
        Self(name)
    }

    /// For an error that is classified and not displayed.
    pub(crate) const fn unnamed() -> Self {
        Self(String::new())
    }
}

impl fmt::Display for DatabaseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&Path> for DatabaseName {
    fn from(path: &Path) -> Self {
        Self(path.display().to_string())
    }
}
