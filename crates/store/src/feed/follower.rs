//! Follows the log: a follower subscribes, then reads, then receives new events. If in doubt, it reads the table again.

use super::{
    call_tools::CallTools,
    event_broadcast::{FollowedEvent, NewEvents},
    table_pages::PAGE,
};
use crate::{EventFilter, Store, StoreError, metrics::FollowerPosition};
use countersign_events::Event;
use std::{collections::VecDeque, sync::Arc};

/// An event stream with a filter: each matching event once, in `seq` order, from any position on. It keeps at most one
/// page in memory. A slow follower reads the table, and no event is dropped.
pub struct EventFollower {
    store: Store,
    filter: EventFilter,
    /// The `seq` up to which every event was returned or did not match the filter.
    cursor: i64,
    position: FollowerPosition,
    new_events: NewEvents,
    /// Whether all events up to the subscription's next one were returned. If not, the follower reads.
    is_current: bool,
    /// The number of erasures before the follower last read. After another one, the new events may have erased content.
    erasures: u64,
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
        let new_events = feed.subscribe(filter.thread_id.clone());
        let position = store.inner.metrics.follow(after);
        Self {
            store,
            filter,
            cursor: after,
            position,
            new_events,
            is_current: false,
            erasures: 0,
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
            let new = self.new_events.next().await;
            if let Some(event) = self.receive(new).await? {
                return Ok(event);
            }
        }
    }

    /// Returns the next event without waiting; `None` if there is none yet. Fails if the table cannot be read.
    pub async fn next_at_hand(&mut self) -> Result<Option<Arc<Event>>, StoreError> {
        loop {
            if let Some(event) = self.page.pop_front() {
                self.advance_to(event.seq);
                return Ok(Some(event));
            }
            if !self.is_current {
                self.erasures = self.store.inner.feed.erasures();
                self.page = self.read().await?;
                self.is_current = self.page.is_empty();
            } else if let Some(new) = self.new_events.next_at_hand() {
                if let Some(event) = self.receive(new).await? {
                    return Ok(Some(event));
                }
            } else {
                self.position.set_caught_up();
                return Ok(None);
            }
        }
    }

    /// Returns a new event if it matches the filter. If it does not say what comes next, the follower reads.
    async fn receive(&mut self, new: FollowedEvent) -> Result<Option<Arc<Event>>, StoreError> {
        let FollowedEvent::Event(event) = new else {
            self.is_current = false;
            return Ok(None);
        };
        if event.seq <= self.cursor {
            return Ok(None);
        }
        // If this future is dropped while it waits, or fails, the follower reads the event again.
        self.is_current = false;
        if self.erasures != self.store.inner.feed.erasures() {
            return Ok(None);
        }
        let is_admitted = self.admits(&event).await?;
        self.is_current = true;
        self.advance_to(event.seq);
        Ok(is_admitted.then_some(event))
    }

    fn advance_to(&mut self, seq: i64) {
        self.cursor = seq;
        self.position.set(seq);
    }

    /// The next page, from the feed's memory or from the table; empty if there are no new events.
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

    /// The first page of matching events after the cursor in the table; empty if there are none up to the feed's tip.
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
            if self.admits(&event).await? {
                matching.push_back(event);
            }
        }
        Ok(matching)
    }

    async fn admits(&mut self, event: &Event) -> Result<bool, StoreError> {
        Ok(self.filter.admits(event)
            && match &self.filter.tool {
                Some(tool) => self.tools.is_about_tool(tool, event, &self.store).await?,
                None => true,
            })
    }
}
