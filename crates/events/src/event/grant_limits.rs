//! The limits of a remembered decision.

use crate::Timestamp;
use std::time::Duration;

/// The limits of a remembered decision: it ends at the first that it reaches. Without any, it ends with its thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GrantLimits {
    /// How long it is remembered, in seconds.
    pub seconds: Option<u32>,
    /// The number of calls that it answers, without the one that it was made on.
    pub uses: Option<u32>,
}

impl GrantLimits {
    /// The longest time, in seconds: 30 days.
    pub const MAX_SECONDS: u32 = 30 * 24 * 60 * 60;

    /// The largest number of calls. Each is an event that the writer keeps in memory.
    pub const MAX_USES: u32 = 1_000;

    /// Returns true if there is no limit.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.seconds.is_none() && self.uses.is_none()
    }

    /// The moment at which a decision that is made at `now` ends.
    #[must_use]
    pub fn end(&self, now: Timestamp) -> Option<Timestamp> {
        self.seconds.map(|seconds| now.after(Duration::from_secs(seconds.into())))
    }

    /// The tighter of two limits, each by itself.
    #[must_use]
    pub fn tighter(self, other: Self) -> Self {
        let least = |a: Option<u32>, b: Option<u32>| [a, b].into_iter().flatten().min();
        Self { seconds: least(self.seconds, other.seconds), uses: least(self.uses, other.uses) }
    }

    /// Reads the limits of a recorded decision that was made at `at`.
    #[must_use]
    pub fn recorded(at: Timestamp, end: Option<Timestamp>, uses: Option<u32>) -> Self {
        let seconds = end.map(|end| u32::try_from((end.as_millis() - at.as_millis()) / 1_000).unwrap_or(0));
        Self { seconds, uses }
    }
}
