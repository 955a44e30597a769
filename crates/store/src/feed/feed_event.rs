//! Events on their way into the feed.

use crate::filter::read_call_id;
use countersign_approvals::RecordedEvent;
use countersign_events::{CallId, Event};
use std::{borrow::Cow, sync::Arc};

/// An event on its way into the feed.
pub(crate) trait FeedEvent {
    /// The event.
    fn event(&self) -> &Arc<Event>;

    /// The call that the event is about, if it is about a call.
    fn call_id(&self) -> Option<Cow<'_, CallId>>;
}

/// An event that was read from the table: its JSON has to be parsed.
impl FeedEvent for Arc<Event> {
    fn event(&self) -> &Arc<Event> {
        self
    }

    fn call_id(&self) -> Option<Cow<'_, CallId>> {
        read_call_id(self).map(Cow::Owned)
    }
}

/// An event that this process wrote: its typed body names the call.
impl FeedEvent for RecordedEvent {
    fn event(&self) -> &Arc<Event> {
        &self.event
    }

    fn call_id(&self) -> Option<Cow<'_, CallId>> {
        self.call_id().map(Cow::Borrowed)
    }
}
