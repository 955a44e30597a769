//! The time between two prompts.

use countersign_events::Timestamp;

/// When something happened first, and last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EvidencePeriod {
    pub(super) first: Timestamp,
    pub(super) last: Timestamp,
}

impl EvidencePeriod {
    pub(super) const fn of(at: Timestamp) -> Self {
        Self { first: at, last: at }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last) }
    }
}
