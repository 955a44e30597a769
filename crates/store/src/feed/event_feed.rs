//! The recent events, and the signals that wake their readers.

use super::{
    EventWaiter,
    feed_event::FeedEvent,
    wakeup_signals::{ReceiverKey, WakeupSignals},
};
use countersign_events::{CallId, Event, Sha256, ThreadId, chain};
use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// How many bytes of recent events are kept at hand, whatever their number.
const RECENT_BYTES: usize = 16 * 1024 * 1024;

pub(crate) struct EventFeed {
    recent: Mutex<RecentEvents>,
    signals: WakeupSignals,
    /// Set when the table no longer holds what was handed out.
    diverged: AtomicBool,
}

/// The last events, without a gap.
struct RecentEvents {
    events: VecDeque<Arc<Event>>,
    bytes: usize,
    most: usize,
    tip: i64,
    /// The chain's link at the tip, once it is known.
    link: Option<Sha256>,
    /// The last event that has a hash of its own, which a row by hand has not.
    sealed: Option<(i64, Sha256)>,
}

impl EventFeed {
    /// A feed that goes on after the event at `tip`, whose hash is `link` where it has one.
    pub(crate) fn new(tip: i64, link: Option<Sha256>, most: usize) -> Self {
        let recent = RecentEvents {
            events: VecDeque::new(),
            bytes: 0,
            most,
            tip,
            link,
            sealed: link.map(|link| (tip, link)),
        };
        Self {
            recent: Mutex::new(recent),
            signals: WakeupSignals::default(),
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

    /// Adds rows in `seq` order. It skips known rows. If there is a gap, it adds none, and the feed's own task reads the
    /// table instead.
    pub(crate) fn publish<E: FeedEvent>(&self, events: &[E]) {
        let fresh = self.recent().append(events);
        if !fresh.is_empty() {
            self.signals.wake(fresh);
        }
    }

    /// The events after `after` that are at hand, at most `most` of them, or `None` if the table has to
    /// be read for them. An empty list means that there are none yet.
    pub(crate) fn recent_after(&self, after: i64, most: usize) -> Option<Vec<Arc<Event>>> {
        let recent = self.recent();
        if after >= recent.tip {
            return Some(Vec::new());
        }
        let first = recent.events.front()?.seq;
        let skip = usize::try_from(after.checked_add(1)?.checked_sub(first)?).ok()?;
        Some(recent.events.iter().skip(skip).take(most).cloned().collect())
    }

    /// How many wait for something about one call, and how many follow a thread or everything.
    pub(crate) fn count(&self) -> (usize, usize) {
        self.signals.count()
    }

    /// The last event that was handed out.
    pub(crate) fn tip(&self) -> i64 {
        self.recent().tip
    }

    /// The last event with a hash that was handed out: it tells this log from another one.
    pub(crate) fn last_sealed(&self) -> Option<(i64, Sha256)> {
        self.recent().sealed
    }

    /// True if rows that were read from the table come right after what was handed out. They do not if the
    /// database has lost events, as a standby that lagged has, and others have been written in their place.
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

    /// True if the table lacks events that the feed has published.
    pub(crate) fn has_diverged(&self) -> bool {
        self.diverged.load(Ordering::Relaxed)
    }

    fn recent(&self) -> MutexGuard<'_, RecentEvents> {
        // Nothing panics while it holds this lock; if it did, the worst is a reader reading the table.
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RecentEvents {
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
            self.events.push_back(Arc::clone(event));
        }
        while self.events.len() > self.most || self.bytes > RECENT_BYTES {
            let Some(oldest) = self.events.pop_front() else { break };
            self.bytes -= oldest.data.as_str().len();
        }
        fresh
    }
}
