//! The state of a call as one word.

use crate::event::UnknownWord;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// The state of a call as one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// People were asked and have not decided.
    Pending,
    /// It may run.
    Allowed,
    /// It may not run.
    Denied,
    /// An executor runs it.
    Running,
    /// It ran.
    Finished,
    /// The executor's lease lapsed without a result, so it is unknown if the call ran.
    Unknown,
    /// It was withdrawn.
    Cancelled,
}

impl CallState {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Pending,
        Self::Allowed,
        Self::Denied,
        Self::Running,
        Self::Finished,
        Self::Unknown,
        Self::Cancelled,
    ];

    /// As it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Allowed => "allowed",
            Self::Denied => "denied",
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Unknown => "unknown",
            Self::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for CallState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for CallState {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.iter().find(|state| state.as_str() == text);
        found.copied().ok_or_else(|| UnknownWord {
            given: text.to_owned(),
            known: Self::ALL.iter().map(|state| state.as_str()).collect::<Vec<_>>().join(", "),
        })
    }
}
