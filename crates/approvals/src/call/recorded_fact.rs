//! An event body with its position in the log.

use countersign_events::{Event, Principal, Timestamp};

/// An event body with its position in the log, its time and its principal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedFact<T> {
    /// The event's position in the log.
    pub seq: i64,
    /// The time at which it was written.
    pub at: Timestamp,
    /// The principal that caused it.
    pub by: Principal,
    /// The content.
    pub what: T,
}

impl<T> RecordedFact<T> {
    /// The fact that `event` records.
    #[must_use]
    pub fn from_event(event: &Event, what: T) -> Self {
        Self { seq: event.seq, at: event.timestamp, by: event.principal.clone(), what }
    }
}
