//! The signals that wake readers. Ten thousand waiting executors must not all wake for each event, so receivers are
//! grouped by call and by thread, beside the group for all events.

use super::feed_event::FeedEvent;
use countersign_events::{CallId, ThreadId};
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::watch;

/// The events that a receiver waits for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum ReceiverKey {
    All,
    Thread(ThreadId),
    Call(ThreadId, CallId),
}

#[derive(Default)]
pub(super) struct WakeupSignals {
    by_key: Arc<Mutex<HashMap<ReceiverKey, watch::Sender<()>>>>,
}

/// Wakes its owner when the feed publishes an event that the owner waits for. The wake-up is a hint: read the table to
/// know the state.
pub struct EventWaiter {
    woken: watch::Receiver<()>,
    key: ReceiverKey,
    by_key: Arc<Mutex<HashMap<ReceiverKey, watch::Sender<()>>>>,
}

impl WakeupSignals {
    pub(super) fn watch(&self, key: ReceiverKey) -> EventWaiter {
        let woken = lock(&self.by_key).entry(key.clone()).or_default().subscribe();
        EventWaiter { woken, key, by_key: Arc::clone(&self.by_key) }
    }

    pub(super) fn count_waiters_for_calls(&self) -> usize {
        let by_key = lock(&self.by_key);
        let of_calls = by_key.iter().filter(|(key, _)| matches!(key, ReceiverKey::Call(..)));
        of_calls.map(|(_, sender)| sender.receiver_count()).sum()
    }

    /// Wakes the receivers of these events.
    pub(super) fn wake<E: FeedEvent>(&self, events: &[E]) {
        let by_key = lock(&self.by_key);
        if by_key.is_empty() {
            return;
        }
        let mut keys = HashSet::from([ReceiverKey::All]);
        for event in events {
            let thread_id = &event.event().thread_id;
            keys.insert(ReceiverKey::Thread(thread_id.clone()));
            keys.extend(event.call_id().map(|id| ReceiverKey::Call(thread_id.clone(), id.into_owned())));
        }
        for key in &keys {
            if let Some(sender) = by_key.get(key) {
                sender.send_replace(());
            }
        }
    }
}

impl EventWaiter {
    /// Waits for a wake-up since this waiter was created or since this method last returned. It returns at once if
    /// there was one already.
    pub async fn woken(&mut self) {
        // The sender stays in the map as long as this receiver does.
        let _ = self.woken.changed().await;
    }
}

impl Drop for EventWaiter {
    fn drop(&mut self) {
        let mut by_key = lock(&self.by_key);
        // The count still includes this receiver. If it is the last one, the entry becomes unused.
        if by_key.get(&self.key).is_some_and(|sender| sender.receiver_count() <= 1) {
            by_key.remove(&self.key);
        }
    }
}

fn lock(
    by_key: &Mutex<HashMap<ReceiverKey, watch::Sender<()>>>,
) -> MutexGuard<'_, HashMap<ReceiverKey, watch::Sender<()>>> {
    by_key.lock().unwrap_or_else(PoisonError::into_inner)
}
