//! Table pages for followers that are behind the feed's memory. Thousands of readers may start at the same position,
//! for example after a restart: they take turns at the table, and a page that one reader has read serves the others.

use crate::{EventFilter, Store, StoreError, page_limit::PageLimit};
use countersign_events::Event;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::Semaphore;

/// The most events that a follower keeps in memory, and their most bytes. There may be thousands of followers.
pub(super) const PAGE: PageLimit = PageLimit { items: 256, bytes: 1024 * 1024 };

/// The most followers that read the table at the same time. They leave the other connections to other readers.
const READERS: usize = 2;

/// The most shared pages.
const SHARED_PAGES: usize = 64;

/// The most bytes of events in the shared pages.
const SHARED_BYTES: usize = 8 * 1024 * 1024;

/// The approximate bytes of an event in addition to its data.
const EVENT_BYTES: usize = 512;

/// A page of events from the table.
#[derive(Clone)]
pub(super) struct TablePage {
    pub(super) events: Arc<[Arc<Event>]>,
    /// The position from which the table may have more events; `None` at its end.
    pub(super) next: Option<i64>,
}

/// The pages that followers share.
pub(crate) struct TablePages {
    shared: Mutex<SharedPages>,
    turns: Semaphore,
}

/// The last pages that were read, the oldest first.
#[derive(Default)]
struct SharedPages {
    pages: VecDeque<SharedPage>,
    bytes: usize,
}

struct SharedPage {
    filter: EventFilter,
    after: i64,
    /// The number of erasures before it was read.
    erasures: u64,
    page: TablePage,
    bytes: usize,
}

impl Default for TablePages {
    fn default() -> Self {
        Self { shared: Mutex::default(), turns: Semaphore::new(READERS) }
    }
}

impl TablePages {
    /// Returns a page of matching events after `after`. Fails if the table cannot be read.
    pub(super) async fn read(
        &self,
        store: &Store,
        filter: &EventFilter,
        after: i64,
    ) -> Result<TablePage, StoreError> {
        let erasures = store.inner.feed.erasures();
        if let Some(page) = self.shared().find(filter, after, erasures) {
            return Ok(page);
        }
        // The semaphore is never closed. If it were, reading without a turn would be harmless.
        let _turn = self.turns.acquire().await.ok();
        if let Some(page) = self.shared().find(filter, after, erasures) {
            return Ok(page);
        }
        store.inner.metrics.count_reread();
        let found = store.events_within(filter, after, PAGE).await?;
        let page = TablePage { events: found.items.into_iter().map(Arc::new).collect(), next: found.next };
        // A page stays valid until content is erased. At the table's end, later events may be missing from it, and the
        // follower continues after its last event. An empty page has none to continue after.
        if page.next.is_some() || !page.events.is_empty() {
            self.shared().add(filter, after, erasures, &page);
        }
        Ok(page)
    }

    fn shared(&self) -> MutexGuard<'_, SharedPages> {
        // No code panics while it holds this lock. If it did, followers would read the table instead.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SharedPages {
    fn find(&mut self, filter: &EventFilter, after: i64, erasures: u64) -> Option<TablePage> {
        self.pages.retain(|shared| shared.erasures >= erasures);
        self.bytes = self.pages.iter().map(|shared| shared.bytes).sum();
        let found = self.pages.iter().find(|shared| shared.after == after && shared.filter == *filter);
        found.map(|shared| shared.page.clone())
    }

    fn add(&mut self, filter: &EventFilter, after: i64, erasures: u64, page: &TablePage) {
        let bytes = page.events.iter().map(|event| EVENT_BYTES + event.data.as_str().len()).sum();
        self.bytes += bytes;
        self.pages.push_back(SharedPage {
            filter: filter.clone(),
            after,
            erasures,
            page: page.clone(),
            bytes,
        });
        while self.bytes > SHARED_BYTES || self.pages.len() > SHARED_PAGES {
            let Some(oldest) = self.pages.pop_front() else { break };
            self.bytes -= oldest.bytes;
        }
    }
}
