//! Following the log: subscribe, then read, then listen, and in any doubt read again.

use super::Waiter;
use crate::{Error, Store};
use countersign_approvals::{Event, ThreadId};
use std::{collections::VecDeque, sync::Arc};

/// Which events a follower is after.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only those of that thread.
    pub thread_id: Option<ThreadId>,
}

/// How many events a follower holds at once, at most.
const PAGE: usize = 256;

/// Every event of a filter, once, in order, from any `seq` on. It keeps no more than a page in memory:
/// one that is slow reads the table when it comes back, and nothing is dropped.
pub struct Follower {
    store: Store,
    filter: Filter,
    cursor: i64,
    waiter: Waiter,
    page: VecDeque<Arc<Event>>,
}

impl Follower {
    pub(crate) fn new(store: Store, filter: Filter, after: i64) -> Self {
        let feed = &store.inner.feed;
        let waiter = match &filter.thread_id {
            Some(thread_id) => feed.watch_thread(thread_id),
            None => feed.watch_all(),
        };
        Self { store, filter, cursor: after, waiter, page: VecDeque::new() }
    }

    /// The next event, when there is one. If it is dropped while it waits, nothing is lost.
    pub async fn next(&mut self) -> Result<Arc<Event>, Error> {
        loop {
            if let Some(event) = self.next_at_hand().await? {
                return Ok(event);
            }
            self.waiter.woken().await;
        }
    }

    /// The next event, or `None` if there is none yet.
    pub async fn next_at_hand(&mut self) -> Result<Option<Arc<Event>>, Error> {
        if self.page.is_empty() {
            self.page = self.read().await?;
        }
        let event = self.page.pop_front();
        if let Some(event) = &event {
            self.cursor = event.seq;
        }
        Ok(event)
    }

    async fn read(&self) -> Result<VecDeque<Arc<Event>>, Error> {
        let mut after = self.cursor;
        while let Some(recent) = self.store.inner.feed.recent_after(after, PAGE) {
            let Some(last) = recent.last().map(|event| event.seq) else { return Ok(VecDeque::new()) };
            let page: VecDeque<_> = recent.into_iter().filter(|event| self.wants(event)).collect();
            if !page.is_empty() {
                return Ok(page);
            }
            after = last;
        }
        let page = self.store.events(&self.filter, after, PAGE).await?;
        Ok(page.into_iter().map(Arc::new).collect())
    }

    fn wants(&self, event: &Event) -> bool {
        self.filter.thread_id.as_ref().is_none_or(|thread_id| event.thread_id == *thread_id)
    }
}
