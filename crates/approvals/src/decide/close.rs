//! Closing a thread: nothing new starts in it, and nobody is left waiting.

use super::{Context, Draft, cancel::withdrawn};
use crate::Call;
use countersign_events::{Body, event::ThreadClosed};

/// What is pending is cancelled before the closing event, so that the log of a thread ends with it
/// (but for the results of what was running).
pub(super) fn close<'a>(pending: impl Iterator<Item = &'a Call>, context: &Context<'_>) -> Vec<Draft> {
    if context.thread.closed.is_some() {
        return Vec::new();
    }
    let mut drafts: Vec<_> =
        pending.flat_map(|call| withdrawn(call, Some("the thread was closed"), context)).collect();
    drafts.push(Draft::new(context.by, Body::ThreadClosed(ThreadClosed {})));
    drafts
}
