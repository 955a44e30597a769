//! The loaded state of one thread: its settings and the calls that a batch touches.

use super::CommandEnvelope;
use crate::{Call, CallStanding, DecisionContext, Thread, access::ProofContext};
use countersign_events::{Body, CallId, DamagedEvent, Event, Sha256, ThreadId};
use std::collections::{HashMap, HashSet};

/// The approximate size of a state entry: its names and the structures around it.
pub(super) const ENTRY_BYTES: usize = 512;

/// The approximate memory size of an event.
pub(super) fn event_bytes(event: &Event) -> usize {
    ENTRY_BYTES + event.data.as_str().len()
}

/// The loaded state of one thread.
#[derive(Debug, Default)]
pub(crate) struct ThreadState {
    /// Whether `thread` was read from the log, and not only some of its calls.
    pub(crate) is_read: bool,
    /// The argument hashes for which people's recent decisions were read.
    pub(crate) same_arguments: HashSet<Sha256>,
    /// Whether all of people's recent decisions were read.
    pub(crate) is_recent_read: bool,
    pub(crate) thread: Thread,
    /// The calls that were read.
    pub(crate) calls: HashMap<CallId, LoadedCall>,
    /// The number of the last batch that was about the thread.
    pub(crate) last_batch: u64,
    /// The size of the events about the thread itself.
    own_bytes: usize,
}

/// A call that was read.
#[derive(Debug, Default)]
pub(crate) struct LoadedCall {
    /// `None` records that the log has no such call.
    call: Option<Call>,
    /// The size of its events.
    bytes: usize,
}

impl ThreadState {
    pub(crate) fn call(&self, id: &CallId) -> Option<&Call> {
        self.calls.get(id)?.call.as_ref()
    }

    pub(crate) fn loaded_calls(&self) -> impl Iterator<Item = &Call> {
        self.calls.values().filter_map(|loaded| loaded.call.as_ref())
    }

    /// Drops a call.
    pub(crate) fn remove_call(&mut self, id: &CallId) -> Option<Call> {
        self.calls.remove(id)?.call
    }

    /// Puts a call back as it was.
    pub(crate) fn restore_call(&mut self, id: CallId, call: Call) {
        self.calls.insert(id, LoadedCall { call: Some(call), bytes: 0 });
    }

    /// Drops calls that have ended, and the records that there is no such call.
    pub(crate) fn forget_ended<'a>(&mut self, ids: impl Iterator<Item = &'a CallId>) {
        for id in ids {
            if self.calls.get(id).is_some_and(LoadedCall::has_ended) {
                self.calls.remove(id);
            }
        }
    }

    /// The approximate memory of the state.
    pub(crate) fn memory_bytes(&self) -> usize {
        let entries = 1 + self.same_arguments.len() + self.calls.len() + self.thread.recent.len();
        self.own_bytes + entries * ENTRY_BYTES + self.calls.values().map(|loaded| loaded.bytes).sum::<usize>()
    }

    pub(crate) fn decision_context<'a>(
        &'a self,
        thread_id: &'a ThreadId,
        envelope: &'a CommandEnvelope,
    ) -> DecisionContext<'a> {
        let CommandEnvelope { by, policy, evidence, now, .. } = envelope;
        let context = DecisionContext::new(thread_id, &self.thread, by, policy, evidence, *now);
        DecisionContext { proofs: ProofContext { log: envelope.log, keys: None }, ..context }
    }

    /// The calls that have not started, pending or allowed, and that commands to the thread concern, oldest first.
    pub(crate) fn open_calls(&self) -> Vec<&Call> {
        let is_open = |call: &&Call| {
            // What a newer version has written about a call may forbid what a command to its thread does to open calls.
            call.restriction().or(self.thread.restriction()).is_none()
                && (call.is_pending() || matches!(call.standing, CallStanding::Allowed { .. }))
        };
        let mut open: Vec<_> = self.loaded_calls().filter(is_open).collect();
        open.sort_by_key(|call| call.proposal.seq);
        open
    }

    pub(crate) fn evolve(&mut self, event: &Event, body: Body) -> Result<(), DamagedEvent> {
        let Some(id) = body.call_id().cloned() else {
            self.own_bytes += event_bytes(event);
            self.thread.evolve(event, &body, None);
            return Ok(());
        };
        let LoadedCall { call, bytes } = self.calls.remove(&id).unwrap_or_default();
        self.thread.evolve(event, &body, call.as_ref());
        if let Some(after) = Call::evolve(call, event, body)? {
            self.calls.insert(id, LoadedCall { call: Some(after), bytes: bytes + event_bytes(event) });
        }
        Ok(())
    }
}

impl LoadedCall {
    pub(crate) fn is_missing(&self) -> bool {
        self.call.is_none()
    }

    fn has_ended(&self) -> bool {
        self.call.as_ref().is_none_or(|call| call.result().is_some())
    }
}
