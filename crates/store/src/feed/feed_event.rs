//! The events that the feed accepts: read from the table, or written by this process.

use crate::filter::read_call_id;
use countersign_approvals::RecordedEvent;
use countersign_events::{CallId, Event};
use std::{borrow::Cow, sync::Arc};

/// An event that the feed can publish.
pub(crate) trait FeedEvent {
    /// The event.
    fn event(&self) -> &Arc<Event>;

    /// The call that the event is about, if it is about a call.
    fn call_id(&self) -> Option<Cow<'_, CallId>>;
}

/// An event that was read from the table. Its JSON must be parsed to find the call.
impl FeedEvent for Arc<Event> {
    fn event(&self) -> &Arc<Event> {
        self
    }

    fn call_id(&self) -> Option<Cow<'_, CallId>> {
        read_call_id(self).map(Cow::Owned)
    }
}

/// An event that this process wrote. Its typed body names the call.
impl FeedEvent for RecordedEvent {
    fn event(&self) -> &Arc<Event> {
        &self.event
    }

    fn call_id(&self) -> Option<Cow<'_, CallId>> {
        self.call_id().map(Cow::Borrowed)
    }
}
