//! Close: the thread accepts no new calls, and its pending calls are cancelled.

use super::{DecisionContext, NewEvent, cancel::withdraw_pending};
use crate::Call;
use countersign_events::{Body, ThreadClosed};

/// Pending calls are cancelled before the closing event, so that only the results of running calls follow it.
pub(super) fn close<'a>(
    open: impl Iterator<Item = &'a Call>,
    context: &DecisionContext<'_>,
) -> Vec<NewEvent> {
    if context.thread.closed.is_some() {
        return Vec::new();
    }
    let reason = Some("the thread was closed");
    let pending = open.filter(|call| call.is_pending());
    let mut events: Vec<_> = pending.flat_map(|call| withdraw_pending(call, reason, context)).collect();
    events.push(NewEvent::new(context.by, Body::ThreadClosed(ThreadClosed {})));
    events
}
