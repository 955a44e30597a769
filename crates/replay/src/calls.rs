//! Making calls of the events of a log, one after the other, without keeping those that are over.

use countersign_approvals::{Call, CallStanding};
use countersign_events::{Body, CallId, Event, EventType, ThreadId, Timestamp};
use std::collections::HashMap;

/// Puts calls together from events in the order of the log. Keep it going until the log ends, then take what is
/// left with [`CallAssembler::rest`].
#[derive(Debug, Default)]
pub struct CallAssembler {
    open: HashMap<(ThreadId, CallId), Call>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    damaged: u64,
}

/// What every event about a call names, one way or the other.
#[derive(serde::Deserialize)]
struct CallReference {
    #[serde(alias = "id", rename = "toolCallId")]
    call: CallId,
}

impl CallAssembler {
    /// The calls that were proposed from `since` on and before `until`. What became of them may be told by later
    /// events.
    #[must_use]
    pub fn between(since: Option<Timestamp>, until: Option<Timestamp>) -> Self {
        Self { since, until, ..Self::default() }
    }

    /// Takes in an event, and gives the call that is over with it.
    pub fn take(&mut self, event: &Event) -> Option<Call> {
        let CallReference { call } = event.data.read().ok()?;
        let key = (event.thread_id.clone(), call);
        if event.kind == EventType::ToolCall && !self.is_within(event.timestamp) {
            return None;
        }
        let before = self.open.remove(&key);
        // Of a call that was proposed before all this, or that is over, nothing more is wanted.
        if before.is_none() && event.kind != EventType::ToolCall {
            return None;
        }
        let body = Body::read(event.seq, event.kind, &event.data);
        let Ok(Some(call)) = body.and_then(|body| Call::evolve(before, event, body)) else {
            self.damaged += 1;
            return None;
        };
        if is_over(&call) {
            return Some(call);
        }
        self.open.insert(key, call);
        None
    }

    /// How many calls are not over yet.
    #[must_use]
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// How many calls could not be put together, because an event of theirs is damaged.
    #[must_use]
    pub fn damaged(&self) -> u64 {
        self.damaged
    }

    /// The calls that are not over, by the order of the log.
    #[must_use]
    pub fn rest(self) -> Vec<Call> {
        let mut rest: Vec<_> = self.open.into_values().collect();
        rest.sort_by_key(|call| call.proposal.seq);
        rest
    }

    fn is_within(&self, at: Timestamp) -> bool {
        self.since.is_none_or(|since| since <= at) && self.until.is_none_or(|until| at < until)
    }
}

fn is_over(call: &Call) -> bool {
    match &call.standing {
        CallStanding::Finished { .. } => true,
        CallStanding::Denied { result, .. } | CallStanding::Cancelled { result, .. } => result.is_some(),
        _ => false,
    }
}
