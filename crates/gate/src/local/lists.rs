//! Lists over a local file.

use super::Local;
use crate::{Error, Events, api};
use countersign_approvals::{Refused, State, ThreadId};
use countersign_store::Filter;
use std::sync::Arc;

impl Local {
    pub(crate) async fn pending(&self, filter: &Filter, page: api::PageOf) -> Result<api::Pending, Error> {
        let page = self.store.pending(filter, page.after, most(page)).await?;
        let pending = page.items.iter().map(|call| self.view(call)).collect();
        Ok(api::Pending { pending, next: page.next })
    }

    pub(crate) async fn calls(
        &self,
        filter: &Filter,
        state: Option<State>,
        page: api::PageOf,
    ) -> Result<api::Calls, Error> {
        let now = self.store.clock().now();
        let page = self.store.calls(filter, state, now, page.after, most(page)).await?;
        let calls = page.items.iter().map(|call| api::Call::at(call, now)).collect();
        Ok(api::Calls { calls, next: page.next })
    }

    pub(crate) async fn events(&self, filter: &Filter, page: api::PageOf) -> Result<api::EventPage, Error> {
        let page = self.store.events(filter, page.after, most(page)).await?;
        // Looked up after the page, so that it is never before what stands on it.
        let tip = self.tip(filter.thread_id.as_ref()).await?;
        Ok(api::EventPage { events: page.items.into_iter().map(Arc::new).collect(), next: page.next, tip })
    }

    pub(crate) fn follow(self: Arc<Self>, filter: Filter, after: i64) -> Events {
        let mut follower = self.store.follow(filter, after);
        Box::pin(async_stream::stream! {
            loop {
                let next = tokio::select! {
                    next = follower.next() => next,
                    () = self.stop.cancelled() => return,
                };
                let failed = next.is_err();
                yield next.map_err(Error::from);
                if failed {
                    return;
                }
            }
        })
    }

    pub(crate) async fn threads(&self, page: api::PageOf) -> Result<api::Threads, Error> {
        let page = self.store.threads(page.after, most(page)).await?;
        Ok(api::Threads { threads: page.items.into_iter().map(Into::into).collect(), next: page.next })
    }

    pub(crate) async fn thread(&self, thread: &ThreadId) -> Result<api::Thread, Error> {
        let found = self.store.outline(thread).await?;
        found.map(Into::into).ok_or_else(|| Refused::UnknownThread(thread.clone()).into())
    }

    /// The `seq` of the last event of the thread, or of the log.
    pub(crate) async fn tip(&self, thread: Option<&ThreadId>) -> Result<i64, Error> {
        Ok(match thread {
            Some(thread) => self.store.thread_tip(thread).await?,
            None => self.store.tip().await?,
        })
    }

    pub(crate) async fn stats(
        &self,
        filter: &Filter,
        progress: impl FnMut(i64, i64),
    ) -> Result<api::Stats, Error> {
        let mut counter = api::Counter::default();
        self.store.tally(filter.since, filter.until, |fate| counter.count(&fate), progress).await?;
        Ok(counter.stats(filter.since, filter.until))
    }
}

fn most(page: api::PageOf) -> usize {
    page.limit.min(api::MAX_PAGE)
}
