//! The part of the log that a command batch touches, in memory: load its events, apply the commands one by one, and
//! return the events to write. It is pure, so the store's writer and the rule tests run the same code.

mod apply;
mod envelope;
mod follow;
mod pending_counts;
mod read_set;
mod recorded;
pub(crate) mod thread_state;

pub use envelope::{ApprovalCommand, CommandEnvelope, CommandTarget};
pub use pending_counts::{PendingCount, PendingCounts};
pub use read_set::ReadSet;
pub use recorded::{AppliedCommand, RecordedEvent};

use crate::{
    Call, CallCommand, Thread, ThreadCommand,
    registry::{ActivePolicyHash, LogRegistries},
    thread::LONGEST_MEMORY,
};
use countersign_events::{Body, CallId, DamagedEvent, Event, PolicyChange, Sha256, ThreadId};
use countersign_policy::has_prose;
use std::{
    collections::{HashMap, HashSet},
    iter,
};
use thread_state::{ENTRY_BYTES, LoadedCall, ThreadState, event_bytes};

/// The calls and threads that recent batches touched, and the log's end. It may be kept for the next batch if it
/// [follows](BatchState::follow) the events that other processes append meanwhile. The last `seq` shows that none is
/// missing, because `seq` has no gaps.
#[derive(Debug)]
pub struct BatchState {
    threads: HashMap<ThreadId, ThreadState>,
    tip: i64,
    link: Sha256,
    /// At least the threads' memory: what was counted last, and everything that was added since.
    added_bytes: usize,
    /// The number of batches.
    batches: u64,
    /// Whether the active policy was read from the log.
    is_policy_read: bool,
    /// The open requests, as far as the batch's commands need them.
    pending: PendingCounts,
    /// The log-wide facts, as far as commands needed them.
    registries: LogRegistries,
}

impl BatchState {
    /// A state that appends after the event at `tip` (0 if the log is empty), whose chain link is `link`.
    #[must_use]
    pub fn new(tip: i64, link: Sha256) -> Self {
        Self {
            threads: HashMap::new(),
            tip,
            link,
            added_bytes: 0,
            batches: 0,
            is_policy_read: false,
            pending: PendingCounts::default(),
            registries: LogRegistries::default(),
        }
    }

    /// The last event's `seq`.
    #[must_use]
    pub fn tip(&self) -> i64 {
        self.tip
    }

    /// The chain link at the tip.
    #[must_use]
    pub fn link(&self) -> Sha256 {
        self.link
    }

    /// The active policy's hash; `None` if the log has none or if it was not read.
    #[must_use]
    pub fn policy(&self) -> Option<Sha256> {
        self.registries.policy.hash
    }

    /// Records the active policy's hash and the event that set it, as they were read from the log.
    pub fn set_policy(&mut self, active: Option<(Sha256, PolicyChange)>) {
        self.registries.policy = active.map_or_else(ActivePolicyHash::default, |(hash, change)| {
            ActivePolicyHash { hash: Some(hash), change: Some(change) }
        });
        self.is_policy_read = true;
    }

    /// The part of the log that these commands need and that this state does not have yet.
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
            CommandTarget::Log => {
                if let ApprovalCommand::Log(command) = &envelope.command {
                    let group = command.group();
                    missing.directories |= group.is_some_and(|group| !self.registries.follows(group));
                    let unread = command.tools().filter(|tool| self.registries.tools.get(tool).is_none());
                    missing.tools.extend(unread.cloned());
                }
                return;
            }
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
                if state.is_none_or(|state| !state.is_recent_read && !state.same_arguments.contains(&hash)) {
                    missing.same_arguments.insert((thread_id.clone(), hash));
                }
                if has_prose(&propose.name) && state.is_none_or(|state| !state.is_recent_read) {
                    missing.recent.insert(thread_id.clone());
                }
                if propose.definition.is_some() && self.registries.tools.get(&propose.name).is_none() {
                    missing.tools.insert(propose.name.clone());
                }
                if !self.pending.threads.contains_key(thread_id) {
                    missing.counted_threads.insert(thread_id.clone());
                }
                if !self.pending.proposers.contains_key(&envelope.by.principal) {
                    missing.counted_proposers.insert(envelope.by.principal.clone());
                }
            }
            // These look at no call.
            ApprovalCommand::Thread(ThreadCommand::Prolong(..) | ThreadCommand::EndGrant(_)) => {}
            ApprovalCommand::Thread(command) => {
                missing.open.insert(thread_id.clone());
                // It may lift the denial of a single call.
                let is_revocation = matches!(command, ThreadCommand::Revoke(_));
                if is_revocation && state.is_none_or(|state| !state.is_recent_read) {
                    missing.recent.insert(thread_id.clone());
                }
            }
            ApprovalCommand::Call(CallCommand::Respond(respond)) => {
                if respond.and_waiting {
                    missing.open.insert(thread_id.clone());
                }
                let needs_people = respond.proof.is_some() || respond.on_behalf_of.is_some();
                missing.directories |= needs_people && !self.registries.are_directories_read;
            }
            ApprovalCommand::Call(CallCommand::Advise(_)) => {
                missing.directories |= !self.registries.are_directories_read;
            }
            ApprovalCommand::Call(_) | ApprovalCommand::Log(_) => {}
        }
    }

    /// Adds the events that were read for `read`, in `seq` order. Calls that are loaded already keep their state.
    pub fn load(&mut self, read: &ReadSet, events: &[Event]) -> Result<(), DamagedEvent> {
        if read.directories {
            self.registries.begin_directories();
        }
        read.tools.iter().for_each(|tool| self.registries.tools.begin_tool(tool));
        let mut newly_loaded: HashSet<(ThreadId, CallId)> = HashSet::new();
        let mut newer = Vec::new();
        for event in events {
            self.added_bytes += event_bytes(event);
            let body = Body::read(event.seq, event.kind, &event.data)?;
            if event.kind.is_of_whole_log() {
                self.registries.evolve(event, &body);
                continue;
            }
            let state = self.threads.entry(event.thread_id.clone()).or_default();
            let Some(id) = body.call_id().cloned() else {
                state.evolve(event, body)?;
                continue;
            };
            if matches!(body, Body::Newer(_)) {
                newer.push((event, id, body));
                continue;
            }
            let key = (event.thread_id.clone(), id);
            if newly_loaded.contains(&key) || state.calls.get(&key.1).is_none_or(LoadedCall::is_missing) {
                state.evolve(event, body)?;
                newly_loaded.insert(key);
            }
        }
        // They are read for all calls of the thread, and also if the call was read before.
        for (event, id, body) in newer {
            let state = self.threads.entry(event.thread_id.clone()).or_default();
            if state.call(&id).is_some() {
                state.evolve(event, body)?;
            }
        }
        // Their decisions are part of the thread. An ended call that a command is about stays until the end of its batch.
        for (thread_id, id) in newly_loaded.iter().filter(|key| !read.calls.contains(*key)) {
            if let Some(state) = self.threads.get_mut(thread_id) {
                state.forget_ended(iter::once(id));
            }
        }
        // The state records also that something was not found.
        self.added_bytes += ENTRY_BYTES
            * (read.calls.len() + read.same_arguments.len() + read.threads.len() + read.tools.len());
        for (thread_id, id) in &read.calls {
            self.threads.entry(thread_id.clone()).or_default().calls.entry(id.clone()).or_default();
        }
        for (thread_id, hash) in &read.same_arguments {
            self.threads.entry(thread_id.clone()).or_default().same_arguments.insert(*hash);
        }
        for thread_id in &read.threads {
            self.threads.entry(thread_id.clone()).or_default().is_read = true;
        }
        for thread_id in &read.recent {
            self.threads.entry(thread_id.clone()).or_default().is_recent_read = true;
        }
        Ok(())
    }

    /// Records how many requests are open, as it was read from the log.
    pub fn set_pending(&mut self, counts: PendingCounts) {
        self.pending.extend(counts);
    }

    /// Ends a batch of these commands. Drops the calls that have ended: they are rarely asked for again, and can be read again if
    /// they are. Drops also the counts of open requests, which each batch reads, because they are cheap to read with the rest, and
    /// other processes change them.
    ///
    /// If the threads then have more than `most` bytes, those go whose last batch is the oldest, until half of that is left. Log-wide
    /// facts stay, because a command needs all of them.
    pub fn end_batch(&mut self, commands: &[CommandEnvelope], most: usize) {
        self.batches += 1;
        for target in commands.iter().map(|command| &command.target) {
            if let Some(state) = target.thread().and_then(|thread_id| self.threads.get_mut(thread_id)) {
                state.last_batch = self.batches;
                state.forget_ended(target.call().map(|(_, id)| id).into_iter());
            }
        }
        self.pending.clear();
        if self.added_bytes <= most {
            return;
        }
        self.added_bytes = self.memory_bytes();
        if self.added_bytes <= most / 4 * 3 {
            return;
        }
        let mut oldest: Vec<_> =
            self.threads.iter().map(|(id, state)| (state.last_batch, id.clone())).collect();
        oldest.sort();
        for (_, thread_id) in oldest {
            if self.added_bytes <= most / 2 {
                break;
            }
            let freed = self.threads.remove(&thread_id).map_or(0, |state| state.memory_bytes());
            self.added_bytes = self.added_bytes.saturating_sub(freed);
        }
    }

    /// The threads' approximate memory.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.threads.values().map(ThreadState::memory_bytes).sum::<usize>()
    }

    /// The call, if it is loaded and the log has it.
    #[must_use]
    pub fn call(&self, thread_id: &ThreadId, id: &CallId) -> Option<&Call> {
        self.threads.get(thread_id)?.call(id)
    }

    /// The thread, if any of its events are loaded. A thread without events is open and has no grants.
    #[must_use]
    pub fn thread(&self, thread_id: &ThreadId) -> Option<&Thread> {
        self.threads.get(thread_id).map(|state| &state.thread)
    }
}

impl RecordedEvent {
    /// The call that the event is about, if it is about a call.
    #[must_use]
    pub fn call_id(&self) -> Option<&CallId> {
        self.body.call_id()
    }
}

#[cfg(test)]
mod tests;
