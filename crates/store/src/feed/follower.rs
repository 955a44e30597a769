//! Follows the log: a follower subscribes, then reads, then waits. If in doubt, it reads the table again.

use super::{EventWaiter, call_tools::CallTools, table_pages::PAGE};
use crate::{EventFilter, Store, StoreError, metrics::FollowerPosition};
use countersign_events::Event;
use std::{collections::VecDeque, sync::Arc};

/// A stream of the events that match a filter: each once, in `seq` order, from any position on. It keeps at most one
/// page in memory. A slow follower reads the table, and no event is dropped.
pub struct EventFollower {
    store: Store,
    filter: EventFilter,
    /// The `seq` up to which every event was returned or did not match the filter.
    cursor: i64,
    position: FollowerPosition,
    waiter: EventWaiter,
    page: VecDeque<Arc<Event>>,
    tools: CallTools,
}

impl Store {
    /// Follows the log: returns each event after `after` that matches `filter` once, in `seq` order, first the existing
    /// events, then new ones.
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
        let position = store.inner.metrics.follow(after);
        Self {
            store,
            filter,
            cursor: after,
            position,
            waiter,
            page: VecDeque::new(),
            tools: CallTools::default(),
        }
    }

    /// Waits for the next event and returns it. If the future is dropped, no event is lost. Fails if the table cannot
    /// be read.
    pub async fn next(&mut self) -> Result<Arc<Event>, StoreError> {
        loop {
            if let Some(event) = self.next_at_hand().await? {
                return Ok(event);
            }
            self.waiter.woken().await;
        }
    }

    /// Returns the next event without waiting; `None` if there is none yet. Fails if the table cannot be read.
    pub async fn next_at_hand(&mut self) -> Result<Option<Arc<Event>>, StoreError> {
        if self.page.is_empty() {
            self.page = self.read().await?;
        }
        let event = self.page.pop_front();
        match &event {
            Some(event) => self.advance_to(event.seq),
            None => self.position.set_caught_up(),
        }
        Ok(event)
    }

    fn advance_to(&mut self, seq: i64) {
        self.cursor = seq;
        self.position.set(seq);
    }

    /// The next page, from the memory of the feed or from the table; empty if there are no new events.
    async fn read(&mut self) -> Result<VecDeque<Arc<Event>>, StoreError> {
        loop {
            let Some(recent) = self.store.inner.feed.recent_after(self.cursor, PAGE) else {
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

    /// The first page of matching events after the cursor in the table; empty if there are none up to the tip of the
    /// feed.
    async fn read_table(&mut self) -> Result<VecDeque<Arc<Event>>, StoreError> {
        loop {
            // Read the tip before the table, so that the feed has in memory all events after it.
            let tip = self.store.inner.feed.tip();
            let page = self.store.inner.table_pages.read(&self.store, &self.filter, self.cursor).await?;
            if !page.events.is_empty() {
                return Ok(page.events.iter().cloned().collect());
            }
            self.advance_to(page.next.unwrap_or(tip).max(self.cursor));
            if page.next.is_none() {
                return Ok(VecDeque::new());
            }
        }
    }

    async fn filter_events(&mut self, events: Vec<Arc<Event>>) -> Result<VecDeque<Arc<Event>>, StoreError> {
        let mut matching = VecDeque::new();
        for event in events {
            let admitted = self.filter.admits(&event)
                && match &self.filter.tool {
                    Some(tool) => self.tools.is_about_tool(tool, &event, &self.store).await?,
                    None => true,
                };
            if admitted {
                matching.push_back(event);
            }
        }
        Ok(matching)
    }
}
