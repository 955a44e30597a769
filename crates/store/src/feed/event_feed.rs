//! The recent events, and the signals that wake their readers.

use super::{
    EventWaiter,
    event_broadcast::{EventBroadcast, NewEvents},
    feed_event::FeedEvent,
    wakeup_signals::{ReceiverKey, WakeupSignals},
};
use crate::page_limit::PageLimit;
use countersign_events::{
    CallErased, CallId, Event, EventType, Sha256, ThreadArchived, ThreadId, chain, sealed,
};
use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::sync::Notify;

/// The most bytes of recent events that the feed keeps in memory, in addition to the limit on their number.
const RECENT_BYTES: usize = 16 * 1024 * 1024;

/// The feed of one process.
pub(crate) struct EventFeed {
    recent: Mutex<RecentEvents>,
    /// Held while events are published, so that followers receive them in `seq` order.
    publishing: Mutex<()>,
    broadcast: EventBroadcast,
    signals: WakeupSignals,
    /// Notified when rows were offered that do not follow the last delivered one.
    gap: Notify,
    /// Whether events that the feed has delivered are missing from the table.
    diverged: AtomicBool,
}

/// The last events, without a gap.
struct RecentEvents {
    events: VecDeque<Arc<Event>>,
    bytes: usize,
    /// The most events to keep.
    limit: usize,
    tip: i64,
    /// The hash-chain link at the tip; `None` until an event with a hash is read.
    link: Option<Sha256>,
    /// The `seq` and the hash of the last event with a hash. A row that was inserted with SQL has none.
    sealed: Option<(i64, Sha256)>,
    /// The number of erasures so far.
    erasures: u64,
    /// The `seq` of the last delivered event about the whole log; 0 before the first.
    of_log: i64,
}

impl EventFeed {
    /// Creates a feed that continues after the event at `tip`, whose hash is `link` if it has one.
    pub(crate) fn new(tip: i64, link: Option<Sha256>, limit: usize) -> Self {
        let recent = RecentEvents {
            events: VecDeque::new(),
            bytes: 0,
            limit,
            tip,
            link,
            sealed: link.map(|link| (tip, link)),
            erasures: 0,
            of_log: 0,
        };
        Self {
            recent: Mutex::new(recent),
            publishing: Mutex::default(),
            broadcast: EventBroadcast::default(),
            signals: WakeupSignals::default(),
            gap: Notify::new(),
            diverged: AtomicBool::new(false),
        }
    }

    pub(crate) fn watch_call(&self, thread_id: &ThreadId, id: &CallId) -> EventWaiter {
        self.signals.watch(ReceiverKey::Call(thread_id.clone(), id.clone()))
    }

    pub(crate) fn watch_thread(&self, thread_id: &ThreadId) -> EventWaiter {
        self.signals.watch(ReceiverKey::Thread(thread_id.clone()))
    }

    pub(crate) fn watch_all(&self) -> EventWaiter {
        self.signals.watch(ReceiverKey::All)
    }

    /// Subscribes to the new events of a thread, or of the whole log.
    pub(super) fn subscribe(&self, thread_id: Option<ThreadId>) -> NewEvents {
        self.broadcast.subscribe(thread_id)
    }

    /// Adds rows in `seq` order. It skips known rows. If there is a gap, it adds none, and the feed's own task reads
    /// the table instead.
    pub(crate) fn publish<E: FeedEvent>(&self, events: &[E]) {
        let publishing = self.publishing.lock().unwrap_or_else(PoisonError::into_inner);
        let (fresh, tip) = {
            let mut recent = self.recent();
            (recent.append(events), recent.tip)
        };
        self.broadcast.send(fresh.iter().map(FeedEvent::event));
        drop(publishing);
        if !fresh.is_empty() {
            self.signals.wake(fresh);
        } else if events.last().is_some_and(|event| event.event().seq > tip) {
            self.gap.notify_one();
        }
    }

    /// Waits until rows were offered that do not follow the last delivered one.
    pub(crate) async fn wait_for_gap(&self) {
        self.gap.notified().await;
    }

    /// Returns events after `after` from memory, within `limit`. Returns `None` if they are only in the table, and an
    /// empty list if there are no such events yet.
    pub(crate) fn recent_after(&self, after: i64, limit: PageLimit) -> Option<Vec<Arc<Event>>> {
        let recent = self.recent();
        if after >= recent.tip {
            return Some(Vec::new());
        }
        let first = recent.events.front()?.seq;
        let skip = usize::try_from(after.checked_add(1)?.checked_sub(first)?).ok()?;
        let mut bytes = 0;
        let fits = |event: &&Arc<Event>| {
            let is_first = bytes == 0;
            bytes += event.data.as_str().len();
            is_first || bytes <= limit.bytes
        };
        Some(recent.events.iter().skip(skip).take(limit.items).take_while(fits).cloned().collect())
    }

    /// Returns the number of waiters for one call, and the number of followers of a thread or of the whole log.
    pub(crate) fn count(&self) -> (usize, usize) {
        (self.signals.count_waiters_for_calls(), self.broadcast.count())
    }

    /// Returns the `seq` of the last delivered event.
    pub(crate) fn tip(&self) -> i64 {
        self.recent().tip
    }

    /// Returns the `seq` and the hash of the last delivered event with a hash. They identify this log.
    pub(crate) fn last_sealed(&self) -> Option<(i64, Sha256)> {
        self.recent().sealed
    }

    /// Returns the `seq` of the last delivered event about the whole log; 0 before the first.
    pub(crate) fn last_event_of_log(&self) -> i64 {
        self.recent().of_log
    }

    /// Returns the number of calls whose content was erased since the feed started. Pages that were read at another
    /// number may have that content.
    pub(crate) fn erasures(&self) -> u64 {
        self.recent().erasures
    }

    /// Returns true if table rows continue the hash chain of the delivered events. They do not if the database has lost
    /// events, for example because a lagging standby took over, and has other events instead.
    pub(crate) fn is_followed_by(&self, events: &[Arc<Event>]) -> bool {
        let recent = self.recent();
        let follows = match (recent.link, events.first()) {
            (Some(link), Some(first)) if first.seq == recent.tip + 1 => {
                first.hash.is_none_or(|hash| hash == chain::link(link, first))
            }
            _ => true,
        };
        self.diverged.store(!follows, Ordering::Relaxed);
        follows
    }

    /// Returns true if events that the feed has published are missing from the table.
    pub(crate) fn has_diverged(&self) -> bool {
        self.diverged.load(Ordering::Relaxed)
    }

    fn recent(&self) -> MutexGuard<'_, RecentEvents> {
        // No code panics while it holds this lock. If it did, readers would read the table instead.
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RecentEvents {
    /// Appends the events that follow the tip, and returns them. Appends nothing if there is a gap.
    fn append<'a, E: FeedEvent>(&mut self, events: &'a [E]) -> &'a [E] {
        let known = events.partition_point(|event| event.event().seq <= self.tip);
        let fresh = &events[known..];
        if fresh.first().is_none_or(|event| event.event().seq != self.tip + 1) {
            return &[];
        }
        for event in fresh.iter().map(FeedEvent::event) {
            self.tip = event.seq;
            self.sealed = event.hash.map(|hash| (event.seq, hash)).or(self.sealed);
            self.link = event.hash.or_else(|| self.link.map(|link| chain::link(link, event)));
            self.bytes += event.data.as_str().len();
            if event.kind.is_of_whole_log() {
                self.of_log = event.seq;
            }
            self.events.push_back(Arc::clone(event));
            match event.kind {
                EventType::CallErased => self.erase_texts(event),
                EventType::ThreadArchived => self.remove_texts_of_thread(event),
                _ => {}
            }
        }
        while self.events.len() > self.limit || self.bytes > RECENT_BYTES {
            let Some(oldest) = self.events.pop_front() else { break };
            self.bytes -= oldest.data.as_str().len();
        }
        fresh
    }

    /// Erases a call's content in memory, as it is erased in the table.
    fn erase_texts(&mut self, event: &Event) {
        self.erasures += 1;
        let Ok(erased) = event.data.read::<CallErased>() else { return };
        let Some(first) = self.events.front().map(|first| first.seq) else { return };
        for row in erased.rows {
            if let Ok(position) = usize::try_from(row.seq - first) {
                self.seal(position);
            }
        }
    }

    /// Removes a thread's content in memory, as it is removed from the table.
    fn remove_texts_of_thread(&mut self, event: &Event) {
        self.erasures += 1;
        let Ok(archived) = event.data.read::<ThreadArchived>() else { return };
        for position in 0..self.events.len() {
            let recent = &self.events[position];
            if recent.thread_id == event.thread_id && recent.seq <= archived.through {
                self.seal(position);
            }
        }
    }

    /// Replaces the event's data with its sealed form.
    fn seal(&mut self, position: usize) {
        let Some(recent) = self.events.get_mut(position) else { return };
        let data = sealed::erase_texts(recent.kind, &recent.data);
        self.bytes = self.bytes + data.as_str().len() - recent.data.as_str().len();
        *recent = Arc::new(Event { data, ..Event::clone(recent) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_events::{EventType, Json, Principal, Timestamp};

    const MIB: usize = 1024 * 1024;

    fn event_of_size(seq: i64, bytes: usize) -> Arc<Event> {
        Arc::new(Event {
            seq,
            thread_id: ThreadId::new("t").expect("valid"),
            kind: EventType::UserMessage,
            timestamp: Timestamp::from_millis(0),
            principal: Principal::user("ada"),
            data: Json::string(&"x".repeat(bytes - 2)),
            hash: None,
        })
    }

    #[test]
    fn recent_events_are_bounded_by_bytes() {
        let feed = EventFeed::new(0, None, 4_096);
        let everything = PageLimit { items: usize::MAX, bytes: usize::MAX };
        for seq in 1..=100 {
            feed.publish(&[event_of_size(seq, MIB)]);
            assert!(feed.recent().bytes <= RECENT_BYTES);
        }
        let kept = feed.recent_after(84, everything).expect("the last 16 MiB are in memory");
        assert_eq!(kept.len(), RECENT_BYTES / MIB);
        assert!(feed.recent_after(83, everything).is_none(), "earlier events are only in the table");
    }

    #[test]
    fn recent_page_is_bounded_by_bytes() {
        let feed = EventFeed::new(0, None, 4_096);
        for seq in 1..=8 {
            feed.publish(&[event_of_size(seq, MIB)]);
        }
        let length = |bytes| feed.recent_after(0, PageLimit { items: 256, bytes }).map(|page| page.len());
        assert_eq!(length(3 * MIB), Some(3));
        assert_eq!(length(10), Some(1), "a page has at least one event");
    }
}
