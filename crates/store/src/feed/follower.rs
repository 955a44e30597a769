//! Following the log: subscribe, then read, then listen, and in any doubt read again.

use super::{EventWaiter, call_tools::CallTools};
use crate::{EventFilter, Store, StoreError, metrics::FollowerPosition};
use countersign_events::Event;
use std::{collections::VecDeque, sync::Arc};

/// How many events a follower holds at once, at most.
const PAGE: usize = 256;

/// Every event of a filter, once, in order, from any `seq` on. It keeps no more than a page in memory:
/// one that is slow reads the table when it comes back, and nothing is dropped.
pub struct EventFollower {
    store: Store,
    filter: EventFilter,
    /// What is behind it: handed out, or not of its filter.
    cursor: i64,
    place: FollowerPosition,
    waiter: EventWaiter,
    page: VecDeque<Arc<Event>>,
    tools: CallTools,
}

impl Store {
    /// Every event of `filter` after `after`, once, in order: first what is there, then what comes.
    #[must_use]
    pub fn follow(&self, filter: EventFilter, after: i64) -> EventFollower {
        EventFollower::new(self.clone(), filter, after)
    }
}

impl EventFollower {
    pub(crate) fn new(store: Store, filter: EventFilter, after: i64) -> Self {
        let feed = &store.inner.feed;
        let waiter = match &filter.thread_id {
            Some(thread_id) => feed.watch_thread(thread_id),
            None => feed.watch_all(),
        };
        let place = store.inner.metrics.follow(after);
        Self {
            store,
            filter,
            cursor: after,
            place,
            waiter,
            page: VecDeque::new(),
            tools: CallTools::default(),
        }
    }

    /// The next event, when there is one. If it is dropped while it waits, nothing is lost.
    pub async fn next(&mut self) -> Result<Arc<Event>, StoreError> {
        loop {
            if let Some(event) = self.next_at_hand().await? {
                return Ok(event);
            }
            self.waiter.woken().await;
        }
    }

    /// The next event, or `None` if there is none yet.
    pub async fn next_at_hand(&mut self) -> Result<Option<Arc<Event>>, StoreError> {
        if self.page.is_empty() {
            self.page = self.read().await?;
        }
        let event = self.page.pop_front();
        match &event {
            Some(event) => self.advance_to(event.seq),
            None => self.place.set_caught_up(),
        }
        Ok(event)
    }

    fn advance_to(&mut self, seq: i64) {
        self.cursor = seq;
        self.place.set(seq);
    }

    async fn read(&mut self) -> Result<VecDeque<Arc<Event>>, StoreError> {
        loop {
            let Some(recent) = self.store.inner.feed.recent_after(self.cursor, PAGE) else {
                self.store.inner.metrics.count_reread();
                return self.read_table().await;
            };
            let Some(last) = recent.last().map(|event| event.seq) else { return Ok(VecDeque::new()) };
            let page = self.filter_events(recent).await?;
            if !page.is_empty() {
                return Ok(page);
            }
            self.advance_to(last);
        }
    }

    /// What the table has after the cursor, once it has anything of the filter.
    async fn read_table(&mut self) -> Result<VecDeque<Arc<Event>>, StoreError> {
        loop {
            // Before the table is read, so that whatever comes after it is found at hand.
            let tip = self.store.inner.feed.tip();
            let page = self.store.events(&self.filter, self.cursor, PAGE).await?;
            if !page.items.is_empty() {
                return Ok(page.items.into_iter().map(Arc::new).collect());
            }
            self.advance_to(page.next.unwrap_or(tip).max(self.cursor));
            if page.next.is_none() {
                return Ok(VecDeque::new());
            }
        }
    }

    async fn filter_events(&mut self, events: Vec<Arc<Event>>) -> Result<VecDeque<Arc<Event>>, StoreError> {
        let mut wanted = VecDeque::new();
        for event in events {
            let admitted = self.filter.admits(&event)
                && match &self.filter.tool {
                    Some(tool) => self.tools.is_about_tool(tool, &event, &self.store).await?,
                    None => true,
                };
            if admitted {
                wanted.push_back(event);
            }
        }
        Ok(wanted)
    }
}
