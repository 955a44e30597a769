//! The loaded state of one thread: its settings and the calls that a batch touches.

use super::CommandEnvelope;
use crate::{Call, CallStanding, DecisionContext, Thread, access::ProofContext};
use countersign_events::{Body, CallId, DamagedEvent, Event, Sha256, ThreadId};
use std::collections::{HashMap, HashSet};

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
    /// The calls that were read. `None` records that the log has no such call.
    pub(crate) calls: HashMap<CallId, Option<Call>>,
}

impl ThreadState {
    pub(crate) fn call(&self, id: &CallId) -> Option<&Call> {
        self.calls.get(id)?.as_ref()
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
        let mut open: Vec<_> = self.calls.values().flatten().filter(is_open).collect();
        open.sort_by_key(|call| call.proposal.seq);
        open
    }

    pub(crate) fn evolve(&mut self, event: &Event, body: Body) -> Result<(), DamagedEvent> {
        let Some(id) = body.call_id().cloned() else {
            self.thread.evolve(event, &body, None);
            return Ok(());
        };
        let before = self.calls.remove(&id).flatten();
        self.thread.evolve(event, &body, before.as_ref());
        if let Some(after) = Call::evolve(before, event, body)? {
            self.calls.insert(id, Some(after));
        }
        Ok(())
    }
}
