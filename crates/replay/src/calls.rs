//! Assembles calls from log events. Only unfinished calls stay in memory.

use countersign_approvals::{Call, CallStanding};
use countersign_events::{Body, CallId, Event, EventType, ThreadId, Timestamp};
use std::collections::HashMap;

/// Assembles calls from events in log order. After the last event, [`CallAssembler::take_open_calls`] returns the
/// unfinished calls.
#[derive(Debug, Default)]
pub struct CallAssembler {
    open: HashMap<(ThreadId, CallId), Call>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    damaged: u64,
}

/// The call id in event data. Events name it `id` or `toolCallId`.
#[derive(serde::Deserialize)]
struct CallReference {
    #[serde(alias = "id", rename = "toolCallId")]
    call: CallId,
}

impl CallAssembler {
    /// Creates an assembler for the calls that were proposed at or after `since` and before `until`. Events after
    /// `until` can still belong to these calls.
    #[must_use]
    pub fn for_period(since: Option<Timestamp>, until: Option<Timestamp>) -> Self {
        Self { since, until, ..Self::default() }
    }

    /// Applies an event. Returns the call if this event finishes it.
    pub fn apply_event(&mut self, event: &Event) -> Option<Call> {
        let CallReference { call } = event.data.read().ok()?;
        let key = (event.thread_id.clone(), call);
        if event.kind == EventType::ToolCall && !self.is_within(event.timestamp) {
            return None;
        }
        let before = self.open.remove(&key);
        // Ignore events of calls that were proposed before the period or are finished.
        if before.is_none() && event.kind != EventType::ToolCall {
            return None;
        }
        let body = Body::read(event.seq, event.kind, &event.data);
        let Ok(Some(call)) = body.and_then(|body| Call::evolve(before, event, body)) else {
            self.damaged += 1;
            return None;
        };
        if is_finished(&call) {
            return Some(call);
        }
        self.open.insert(key, call);
        None
    }

    /// Returns the number of unfinished calls.
    #[must_use]
    pub fn open_count(&self) -> usize {
        self.open.len()
    }

    /// Returns the number of calls that could not be assembled because one of their events is damaged.
    #[must_use]
    pub fn damaged_count(&self) -> u64 {
        self.damaged
    }

    /// Takes the oldest unfinished calls, in log order, so that at most `keep` remain. Their later events are ignored.
    /// This limits the memory for a log with many calls that were allowed and never ran.
    #[must_use]
    pub fn take_oldest_calls(&mut self, keep: usize) -> Vec<Call> {
        if self.open.len() <= keep {
            return Vec::new();
        }
        let mut oldest = self.take_open_calls();
        let newest = oldest.split_off(oldest.len().saturating_sub(keep));
        let key = |call: &Call| (call.thread_id.clone(), call.id().clone());
        self.open = newest.into_iter().map(|call| (key(&call), call)).collect();
        oldest
    }

    /// Takes the unfinished calls, in log order.
    #[must_use]
    pub fn take_open_calls(&mut self) -> Vec<Call> {
        let mut rest: Vec<_> = std::mem::take(&mut self.open).into_values().collect();
        rest.sort_by_key(|call| call.proposal.seq);
        rest
    }

    fn is_within(&self, at: Timestamp) -> bool {
        self.since.is_none_or(|since| since <= at) && self.until.is_none_or(|until| at < until)
    }
}

fn is_finished(call: &Call) -> bool {
    match &call.standing {
        CallStanding::Finished { .. } => true,
        CallStanding::Denied { result, .. } | CallStanding::Cancelled { result, .. } => result.is_some(),
        _ => false,
    }
}
