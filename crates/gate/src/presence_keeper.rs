//! Proposer presence: which calls a program waits for, to this process's knowledge, and when it last did. A task writes
//! it beside the log, so that other processes can tell a person that an agent is gone.

use countersign_events::{CallId, ThreadId, Timestamp};
use countersign_store::{Clock, ProposerPresence, Store};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// A proposer that was not seen for this time is gone. It is longer than the write interval.
pub(crate) const GONE_AFTER: Duration = Duration::from_secs(30);

/// The interval at which the open waits are written.
const HEARTBEAT: Duration = Duration::from_secs(20);

/// The time between a change and its write. Most waits that end sooner are never written, and many share a write.
pub(crate) const SETTLE: Duration = Duration::from_secs(1);

/// A call's thread and id.
type CallKey = (ThreadId, CallId);

/// Proposer presence in this process. Cheap to clone.
#[derive(Clone)]
pub(crate) struct PresenceKeeper {
    calls: Arc<Mutex<HashMap<CallKey, LocalPresence>>>,
    changed: Arc<Notify>,
    clock: Clock,
}

/// The proposer's presence for one call.
struct LocalPresence {
    /// The number of open waits.
    open: usize,
    /// The time at which the last wait started or ended.
    seen_at: Timestamp,
    /// Whether `seen_at` was not written yet.
    unwritten: bool,
}

/// An open wait. The proposer is present until this is dropped.
pub(crate) struct OpenWait {
    keeper: PresenceKeeper,
    key: CallKey,
    /// Whether the call was decided, so that the presence of its proposer no longer matters.
    pub(crate) decided: bool,
}

impl Drop for OpenWait {
    fn drop(&mut self) {
        let now = self.keeper.clock.now();
        let mut calls = self.keeper.lock();
        if let Some(local) = calls.get_mut(&self.key) {
            local.open = local.open.saturating_sub(1);
            (local.seen_at, local.unwritten) = (now, true);
            if self.decided && local.open == 0 {
                calls.remove(&self.key);
            }
        }
        drop(calls);
        if !self.decided {
            self.keeper.changed.notify_one();
        }
    }
}

impl PresenceKeeper {
    pub(crate) fn new(clock: Clock) -> Self {
        Self { calls: Arc::default(), changed: Arc::default(), clock }
    }

    /// The proposer waits for the decision from now on.
    pub(crate) fn begin_wait(&self, thread: &ThreadId, id: &CallId) -> OpenWait {
        let key = (thread.clone(), id.clone());
        self.note(&key, 1);
        OpenWait { keeper: self.clone(), key, decided: false }
    }

    /// The proposer gave a sign of life.
    pub(crate) fn note_sign_of_life(&self, thread: &ThreadId, id: &CallId) {
        self.note(&(thread.clone(), id.clone()), 0);
    }

    fn note(&self, key: &CallKey, waits: usize) {
        let seen_at = self.clock.now();
        let mut calls = self.lock();
        let local = calls.entry(key.clone()).or_insert(LocalPresence { open: 0, seen_at, unwritten: true });
        local.open += waits;
        (local.seen_at, local.unwritten) = (seen_at, true);
        drop(calls);
        self.changed.notify_one();
    }

    /// The last time at which this process saw the proposer.
    pub(crate) fn last_seen(&self, thread: &ThreadId, id: &CallId) -> Option<Timestamp> {
        let calls = self.lock();
        let local = calls.get(&(thread.clone(), id.clone()))?;
        Some(if local.open > 0 { self.clock.now() } else { local.seen_at })
    }

    /// Writes the presence after changes and at intervals, until `stop` is cancelled, and then once more.
    pub(crate) async fn run(self, store: Store, stop: CancellationToken) {
        let mut heartbeat_at = self.clock.now().after(HEARTBEAT);
        loop {
            let due = async {
                tokio::select! {
                    () = self.changed.notified() => self.clock.sleep(SETTLE).await,
                    () = self.clock.sleep_until(heartbeat_at) => {}
                }
            };
            tokio::select! {
                () = due => {}
                () = stop.cancelled() => {
                    self.write(&store, true).await;
                    return;
                }
            }
            let is_heartbeat = heartbeat_at <= self.clock.now();
            if is_heartbeat {
                heartbeat_at = self.clock.now().after(HEARTBEAT);
            }
            self.write(&store, is_heartbeat).await;
        }
    }

    /// Writes what changed. With `all`, also writes the other open waits, and deletes the rows of decided calls.
    async fn write(&self, store: &Store, all: bool) {
        let seen = self.take_unwritten(all);
        if seen.is_empty() {
            return;
        }
        let written = store.record_presence(&seen, all).await;
        let mut calls = self.lock();
        match &written {
            // The table has the time at which a wait ended.
            Ok(()) => calls.retain(|_, local| local.open > 0 || local.unwritten),
            Err(error) => {
                tracing::debug!(%error, "the presence of proposers cannot be written; trying again later");
                for local in calls.values_mut() {
                    local.unwritten = true;
                }
            }
        }
    }

    fn take_unwritten(&self, all: bool) -> Vec<ProposerPresence> {
        let now = self.clock.now();
        let mut calls = self.lock();
        let due = calls.iter_mut().filter(|(_, local)| local.unwritten || all && local.open > 0);
        due.map(|((thread_id, call_id), local)| {
            local.unwritten = false;
            let seen_at = if local.open > 0 { now } else { local.seen_at };
            ProposerPresence { thread_id: thread_id.clone(), call_id: call_id.clone(), seen_at }
        })
        .collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CallKey, LocalPresence>> {
        // A panic between lock and unlock is impossible: nothing there can fail.
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
