//! Call states as keywords, and the keywords that select calls.

use crate::event::UnknownWord;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// The call state as one keyword.
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
    /// A state that only a newer server knows, or a decision that allows a call in a way that only it knows. It allows nothing.
    #[serde(other)]
    Other,
}

impl CallState {
    /// The states in this version.
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
            Self::Other => "other",
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

/// A keyword that selects calls: a state, or a part of a state that people look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallStateFilter {
    /// The calls in this state.
    State(CallState),
    /// The calls whose request expired, so that silence decided them.
    Expired,
    /// The calls whose request no person answered: they are pending, expired, or were cancelled before a decision.
    Unanswered,
    /// The calls that the policy or the thread denied, without asking people.
    Blocked,
    /// The calls whose approval lapsed before an executor claimed them.
    Lapsed,
    /// The calls that ran and succeeded.
    Succeeded,
    /// The calls that ran and failed.
    Failed,
}

impl CallStateFilter {
    /// All of them, the states first.
    pub const ALL: &[Self] = &[
        Self::State(CallState::Pending),
        Self::State(CallState::Allowed),
        Self::State(CallState::Denied),
        Self::State(CallState::Running),
        Self::State(CallState::Finished),
        Self::State(CallState::Unknown),
        Self::State(CallState::Cancelled),
        Self::Expired,
        Self::Unanswered,
        Self::Blocked,
        Self::Lapsed,
        Self::Succeeded,
        Self::Failed,
    ];

    /// As it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::State(state) => state.as_str(),
            Self::Expired => "expired",
            Self::Unanswered => "unanswered",
            Self::Blocked => "blocked",
            Self::Lapsed => "lapsed",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
        }
    }
}

impl From<CallState> for CallStateFilter {
    fn from(state: CallState) -> Self {
        Self::State(state)
    }
}

impl fmt::Display for CallStateFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for CallStateFilter {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.iter().find(|filter| filter.as_str() == text);
        found.copied().ok_or_else(|| UnknownWord {
            given: text.to_owned(),
            known: Self::ALL.iter().map(|filter| filter.as_str()).collect::<Vec<_>>().join(", "),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concepts_list_each_word_for_a_state() {
        let page = include_str!("../../../../docs/concepts.md");
        let tables: Vec<_> = page.lines().filter(|line| line.starts_with('|')).collect();
        for filter in CallStateFilter::ALL {
            let word = format!("`{filter}`");
            let is_listed =
                tables.iter().any(|row| row.split(" | ").next().is_some_and(|cell| cell.contains(&word)));
            assert!(is_listed, "docs/concepts.md does not explain {word}");
        }
    }
}
