//! The period between two prompts.

use countersign_events::Timestamp;

/// When the first and the last prompt occurred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EvidencePeriod {
    pub(super) first: Timestamp,
    pub(super) last: Timestamp,
}

impl EvidencePeriod {
    pub(super) const fn from_moment(at: Timestamp) -> Self {
        Self { first: at, last: at }
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last) }
    }
}
