//! The log row under examination.

use countersign_events::{Body, Event};

/// A row with its typed content.
#[derive(Debug)]
pub(super) struct LogRow {
    pub(super) event: Event,
    pub(super) body: Body,
}

impl LogRow {
    /// Returns true if the row was written through the view `decisions`.
    pub(super) fn is_by_hand(&self) -> bool {
        self.event.hash.is_none()
    }
}
