//! Broadcasts new events to the followers of the whole log and of each thread.

use countersign_events::{Event, ThreadId};
use futures_util::FutureExt;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::broadcast;
use tokio_stream::{StreamExt, wrappers::BroadcastStream};

/// The most new events that wait for a slow follower. If there are more, it reads the table.
const CAPACITY: usize = 16;

/// The largest data of an event that waits for followers, in bytes. A follower reads larger events from the feed's
/// memory or from the table, so that slow followers keep at most a mebibyte each.
const LARGEST_DATA: usize = 64 * 1024;

/// The followed thread; `None` for the whole log.
type FollowedThread = Option<ThreadId>;

/// What a follower receives.
#[derive(Clone)]
pub(super) enum FollowedEvent {
    Event(Arc<Event>),
    /// There are new events that the follower must read.
    Unread,
}

/// The senders, one for each thread that is followed and one for the whole log.
#[derive(Clone, Default)]
pub(super) struct EventBroadcast {
    senders: Arc<Mutex<HashMap<FollowedThread, broadcast::Sender<FollowedEvent>>>>,
}

/// The new events of a thread or of the whole log, in `seq` order, from the subscription on.
pub(super) struct NewEvents {
    thread: FollowedThread,
    stream: BroadcastStream<FollowedEvent>,
    broadcast: EventBroadcast,
}

impl EventBroadcast {
    pub(super) fn subscribe(&self, thread: FollowedThread) -> NewEvents {
        let mut senders = self.senders();
        let sender = senders.entry(thread.clone()).or_insert_with(|| broadcast::Sender::new(CAPACITY));
        NewEvents { thread, stream: sender.subscribe().into(), broadcast: self.clone() }
    }

    /// Sends events, which must be the next ones in `seq` order.
    pub(super) fn send<'a>(&self, events: impl Iterator<Item = &'a Arc<Event>>) {
        let senders = self.senders();
        if senders.is_empty() {
            return;
        }
        for event in events {
            let receivers = [senders.get(&None), senders.get(&Some(event.thread_id.clone()))];
            for sender in receivers.into_iter().flatten() {
                let is_large = event.data.as_str().len() > LARGEST_DATA;
                let new =
                    if is_large { FollowedEvent::Unread } else { FollowedEvent::Event(Arc::clone(event)) };
                // Without a receiver, nobody needs the event.
                let _ = sender.send(new);
            }
        }
    }

    /// Returns the number of followers.
    pub(super) fn count(&self) -> usize {
        self.senders().values().map(broadcast::Sender::receiver_count).sum()
    }

    fn senders(&self) -> MutexGuard<'_, HashMap<FollowedThread, broadcast::Sender<FollowedEvent>>> {
        self.senders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl NewEvents {
    /// Waits for the next event. If the future is dropped, no event is lost.
    pub(super) async fn next(&mut self) -> FollowedEvent {
        // The sender stays in the map as long as this receiver does, so the stream does not end.
        match self.stream.next().await {
            Some(Ok(new)) => new,
            Some(Err(_)) | None => FollowedEvent::Unread,
        }
    }

    /// Returns the next event without waiting.
    pub(super) fn next_at_hand(&mut self) -> Option<FollowedEvent> {
        self.next().now_or_never()
    }
}

impl Drop for NewEvents {
    fn drop(&mut self) {
        let mut senders = self.broadcast.senders();
        // The count still includes this receiver.
        if senders.get(&self.thread).is_some_and(|sender| sender.receiver_count() <= 1) {
            senders.remove(&self.thread);
        }
    }
}
