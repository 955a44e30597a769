//! The part of the log that a batch of commands touches, in memory: load its events, apply the commands one by
//! one, and hand back the events to write. It is pure, so the writer of the store and the tests of the rules run
//! the same code.

mod envelope;
mod follow;
mod read_set;
mod recorded;
pub(crate) mod thread_state;

pub use envelope::{ApprovalCommand, CommandEnvelope, CommandTarget};
pub use read_set::ReadSet;
pub use recorded::{AppliedCommand, RecordedEvent};

use crate::{
    Call, CallCommand, DecisionContext, NewEvent, Refused, Thread, ThreadCommand, decide,
    thread::LONGEST_MEMORY,
};
use countersign_events::{Body, CallId, DamagedEvent, Event, Sha256, ThreadId, chain};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};
use thread_state::{ThreadState, call_id_of};

/// The calls and threads that recent batches touched, and the end of the log. It may be kept for the next batch if it
/// [follows](BatchState::follow) the events that other processes append meanwhile. The end of the log shows that none is
/// missing, because `seq` has no gaps.
#[derive(Debug)]
pub struct BatchState {
    threads: HashMap<ThreadId, ThreadState>,
    tip: i64,
    link: Sha256,
    added_bytes: usize,
    /// The hash of the policy in force; `None` in a log without one.
    policy: Option<Sha256>,
    /// True if `policy` was read from the log.
    is_policy_read: bool,
}

impl BatchState {
    /// A state that appends after the event at `tip` (0 if the log is empty), whose chain link is `link`.
    #[must_use]
    pub fn new(tip: i64, link: Sha256) -> Self {
        Self { threads: HashMap::new(), tip, link, added_bytes: 0, policy: None, is_policy_read: false }
    }

    /// The `seq` of the last event.
    #[must_use]
    pub fn tip(&self) -> i64 {
        self.tip
    }

    /// The chain link at the tip.
    #[must_use]
    pub fn link(&self) -> Sha256 {
        self.link
    }

    /// The hash of the policy in force; `None` if the log has none or if it was not read.
    #[must_use]
    pub fn policy(&self) -> Option<Sha256> {
        self.policy
    }

    /// Records the hash of the policy in force, as it was read from the log.
    pub fn set_policy(&mut self, hash: Option<Sha256>) {
        self.policy = hash;
        self.is_policy_read = true;
    }

    /// The part of the log that these commands need and this state does not have yet.
    #[must_use]
    pub fn missing(&self, envelopes: &[CommandEnvelope]) -> ReadSet {
        let mut missing = ReadSet { policy: !self.is_policy_read, ..ReadSet::default() };
        // Twice the memory: the clocks of several processes differ a little, and an event too many does no harm.
        if let Some(earliest) = envelopes.iter().map(|envelope| envelope.now).min() {
            missing.since = earliest.before(2 * LONGEST_MEMORY);
        }
        for envelope in envelopes {
            self.add_missing(envelope, &mut missing);
        }
        missing
    }

    fn add_missing(&self, envelope: &CommandEnvelope, missing: &mut ReadSet) {
        let thread_id = match &envelope.target {
            CommandTarget::Call(thread_id, _) | CommandTarget::Thread(thread_id) => thread_id,
            CommandTarget::AllThreads => {
                missing.all_open = true;
                return;
            }
            CommandTarget::Log => return,
        };
        let state = self.threads.get(thread_id);
        if state.is_none_or(|state| !state.is_read) {
            missing.threads.insert(thread_id.clone());
        }
        if let Some((_, id)) = envelope.target.call()
            && state.is_none_or(|state| !state.calls.contains_key(id))
        {
            missing.calls.insert((thread_id.clone(), id.clone()));
        }
        match &envelope.command {
            ApprovalCommand::Call(CallCommand::Propose(propose)) => {
                let hash = propose.arguments.hash();
                if state.is_none_or(|state| !state.same_arguments.contains(&hash)) {
                    missing.same_arguments.insert((thread_id.clone(), hash));
                }
            }
            ApprovalCommand::Thread(_) => {
                missing.open.insert(thread_id.clone());
            }
            ApprovalCommand::Call(CallCommand::Respond(respond)) if respond.and_waiting => {
                missing.open.insert(thread_id.clone());
            }
            ApprovalCommand::Call(_) | ApprovalCommand::SetPolicy(_) => {}
        }
    }

    /// Adds the events that were read for `read`, in `seq` order. Calls that are loaded already keep their state.
    pub fn load(&mut self, read: &ReadSet, events: &[Event]) -> Result<(), DamagedEvent> {
        let mut newly_loaded: HashSet<(ThreadId, CallId)> = HashSet::new();
        for event in events {
            self.added_bytes += event_bytes(event);
            let body = Body::read(event.seq, event.kind, &event.data)?;
            let state = self.threads.entry(event.thread_id.clone()).or_default();
            let Some(id) = call_id_of(&body).cloned() else {
                state.evolve(event, body)?;
                continue;
            };
            let key = (event.thread_id.clone(), id);
            if newly_loaded.contains(&key) || state.calls.get(&key.1).is_none_or(Option::is_none) {
                state.evolve(event, body)?;
                newly_loaded.insert(key);
            }
        }
        // The state records also that something was not found.
        self.added_bytes += ENTRY_BYTES * (read.calls.len() + read.same_arguments.len() + read.threads.len());
        for (thread_id, id) in &read.calls {
            self.threads.entry(thread_id.clone()).or_default().calls.entry(id.clone()).or_default();
        }
        for (thread_id, hash) in &read.same_arguments {
            self.threads.entry(thread_id.clone()).or_default().same_arguments.insert(*hash);
        }
        for thread_id in &read.threads {
            self.threads.entry(thread_id.clone()).or_default().is_read = true;
        }
        Ok(())
    }

    /// Drops calls that have ended. They are rarely asked for again, and can be read again if they are.
    pub fn forget_ended<'a>(&mut self, calls: impl Iterator<Item = (&'a ThreadId, &'a CallId)>) {
        let has_ended = |call: &Option<Call>| call.as_ref().is_none_or(|call| call.result().is_some());
        for (thread_id, id) in calls {
            if let Some(state) = self.threads.get_mut(thread_id)
                && state.calls.get(id).is_some_and(has_ended)
            {
                state.calls.remove(id);
            }
        }
    }

    /// The size of everything that was ever added: an upper bound on the memory in use that is cheap to keep.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.added_bytes
    }

    /// The call, if it is loaded and the log has it.
    #[must_use]
    pub fn call(&self, thread_id: &ThreadId, id: &CallId) -> Option<&Call> {
        self.threads.get(thread_id)?.calls.get(id)?.as_ref()
    }

    /// The thread, if any of its events are loaded. A thread without events is open and has no grants.
    #[must_use]
    pub fn thread(&self, thread_id: &ThreadId) -> Option<&Thread> {
        self.threads.get(thread_id).map(|state| &state.thread)
    }

    /// Appends the events that are due on the command's call, then those of the command itself. Refuses a command that
    /// was prepared with another policy than the one in force.
    pub fn apply(&mut self, envelope: &CommandEnvelope) -> Result<AppliedCommand, DamagedEvent> {
        let mut events = Vec::new();
        if let Some(in_force) = self.policy.filter(|in_force| *in_force != envelope.policy.hash())
            && envelope.target != CommandTarget::Log
        {
            return Ok(AppliedCommand { outcome: Err(Refused::PolicyChanged { in_force }), events });
        }
        let outcome = match (&envelope.target, &envelope.command) {
            (CommandTarget::Call(thread_id, id), ApprovalCommand::Call(command)) => {
                let due = self.decide_on_call(envelope, thread_id, id, |call, context| {
                    call.map(|call| decide::due_events(call, context)).unwrap_or_default()
                });
                self.append(envelope, thread_id, due, &mut events)?;
                let decided = self.decide_on_call(envelope, thread_id, id, |call, context| {
                    decide::decide(id, call, command, context)
                });
                let outcome = self.append_decided(envelope, thread_id, decided, &mut events)?;
                if matches!(command, CallCommand::Respond(respond) if respond.and_waiting) {
                    self.answer_waiting(envelope, thread_id, &mut events)?;
                }
                outcome
            }
            (CommandTarget::Thread(thread_id), ApprovalCommand::Thread(command)) => {
                let decided = self.decide_on_thread(envelope, thread_id, command);
                self.append_decided(envelope, thread_id, decided, &mut events)?
            }
            (CommandTarget::AllThreads, ApprovalCommand::Thread(command @ ThreadCommand::Stop(_))) => {
                self.stop_all_threads(envelope, command, &mut events)?
            }
            (CommandTarget::Log, ApprovalCommand::SetPolicy(command)) => {
                let decided = decide::set_policy(command, &envelope.by, self.policy);
                self.append_decided(envelope, &ThreadId::whole_log(), decided, &mut events)?
            }
            _ => Err(wrong_target()),
        };
        Ok(AppliedCommand { outcome, events })
    }

    /// Stops thread by thread in the order of their ids, so that a replay gives the same log.
    fn stop_all_threads(
        &mut self,
        envelope: &CommandEnvelope,
        stop: &ThreadCommand,
        events: &mut Vec<RecordedEvent>,
    ) -> Result<Result<(), Refused>, DamagedEvent> {
        // Reject an unauthorised caller even when nothing is pending.
        if let Err(refused) = decide::check_may_stop(&envelope.by) {
            return Ok(Err(refused));
        }
        let mut threads: Vec<_> = self.threads.keys().cloned().collect();
        threads.sort();
        for thread_id in threads {
            let decided = self.decide_on_thread(envelope, &thread_id, stop);
            if let Err(refused) = self.append_decided(envelope, &thread_id, decided, events)? {
                return Ok(Err(refused));
            }
        }
        Ok(Ok(()))
    }

    fn decide_on_call<T>(
        &mut self,
        envelope: &CommandEnvelope,
        thread_id: &ThreadId,
        id: &CallId,
        decide: impl FnOnce(Option<&Call>, &DecisionContext<'_>) -> T,
    ) -> T {
        let state = self.threads.entry(thread_id.clone()).or_default();
        decide(state.call(id), &state.decision_context(thread_id, envelope))
    }

    /// Decides the calls that wait by the grant that the command has just given, if it gave one.
    fn answer_waiting(
        &mut self,
        envelope: &CommandEnvelope,
        thread_id: &ThreadId,
        events: &mut Vec<RecordedEvent>,
    ) -> Result<(), DamagedEvent> {
        let state = self.threads.entry(thread_id.clone()).or_default();
        let is_new = |seq: i64| events.first().is_some_and(|first| seq >= first.seq);
        let Some(grant) = state.thread.grants.last().filter(|grant| is_new(grant.seq)) else { return Ok(()) };
        let context = state.decision_context(thread_id, envelope);
        let answers = decide::answer_waiting(grant, state.open_calls().into_iter(), &context);
        self.append(envelope, thread_id, answers, events)
    }

    fn decide_on_thread(
        &mut self,
        envelope: &CommandEnvelope,
        thread_id: &ThreadId,
        command: &ThreadCommand,
    ) -> Result<Vec<NewEvent>, Refused> {
        let state = self.threads.entry(thread_id.clone()).or_default();
        let context = state.decision_context(thread_id, envelope);
        decide::decide_thread(state.open_calls().into_iter(), command, &context)
    }

    fn append_decided(
        &mut self,
        envelope: &CommandEnvelope,
        thread_id: &ThreadId,
        decided: Result<Vec<NewEvent>, Refused>,
        events: &mut Vec<RecordedEvent>,
    ) -> Result<Result<(), Refused>, DamagedEvent> {
        match decided {
            Ok(new_events) => self.append(envelope, thread_id, new_events, events).map(Ok),
            Err(refused) => Ok(Err(refused)),
        }
    }

    fn append(
        &mut self,
        envelope: &CommandEnvelope,
        thread_id: &ThreadId,
        new_events: Vec<NewEvent>,
        events: &mut Vec<RecordedEvent>,
    ) -> Result<(), DamagedEvent> {
        for NewEvent { by, body } in new_events {
            let seq = self.tip + 1;
            let unwritable = |e: serde_json::Error| DamagedEvent { seq, what: e.to_string() };
            let mut event = Event {
                seq,
                thread_id: thread_id.clone(),
                kind: body.event_type(),
                timestamp: envelope.now,
                principal: by,
                data: body.data().map_err(unwritable)?,
                hash: None,
            };
            let link = chain::link(self.link, &event);
            event.hash = Some(link);
            match &body {
                Body::PolicySet(set) => self.set_policy(Some(set.hash)),
                _ => self.threads.entry(thread_id.clone()).or_default().evolve(&event, body.clone())?,
            }
            (self.tip, self.link) = (seq, link);
            self.added_bytes += event_bytes(&event);
            events.push(RecordedEvent { event: Arc::new(event), body: Arc::new(body) });
        }
        Ok(())
    }
}

impl RecordedEvent {
    /// The call that the event is about, if it is about a call.
    #[must_use]
    pub fn call_id(&self) -> Option<&CallId> {
        call_id_of(&self.body)
    }
}

fn wrong_target() -> Refused {
    Refused::Invalid { field: "target", why: "the command does not apply to this target".to_owned() }
}

/// The rough size of an entry of the state: its names and the structures around it.
const ENTRY_BYTES: usize = 512;

/// The rough size of an event in memory.
fn event_bytes(event: &Event) -> usize {
    ENTRY_BYTES + event.data.as_str().len()
}

#[cfg(test)]
mod tests;
