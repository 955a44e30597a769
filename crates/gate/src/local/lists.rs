//! Lists over a local file.

use super::{Local, read_width};
use crate::{Error, Events, api};
use countersign_approvals::{Call, Refused};
use countersign_events::{Body, CallId, Event, State, ThreadId};
use countersign_policy::Policy;
use countersign_store::Filter;
use std::{collections::BTreeSet, sync::Arc};

impl Local {
    pub(crate) async fn pending(&self, filter: &Filter, page: api::PageOf) -> Result<api::Pending, Error> {
        let page = self.store.pending(filter, page.after, most(page)).await?;
        let next = page.next;
        Ok(api::Pending { pending: self.informed(page.items).await?, next })
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

impl Local {
    /// The calls as people look at them: those that wait come with what each answer would reach.
    pub(super) async fn informed(&self, calls: Vec<Call>) -> Result<Vec<api::Call>, Error> {
        let (now, policy) = (self.store.clock().now(), self.policy.policy());
        let views: Vec<_> = calls.iter().map(|call| api::Call::at(call, now)).collect();
        let waiting = calls.iter().zip(&views).filter(|(_, view)| view.state == State::Pending);
        let threads: BTreeSet<_> = waiting.map(|(call, _)| call.thread_id.clone()).collect();
        let each = (LOOKED_AT_IN_ALL / threads.len().max(1)).clamp(LOOKED_AT_AT_LEAST, LOOKED_AT);
        let mut histories = Vec::new();
        for thread in threads {
            histories.push((self.history(&thread, each).await?, thread));
        }
        Ok(off_the_way(move || inform(&calls, views, &histories, &policy)).await)
    }

    /// How far that width would reach from that call.
    pub(crate) async fn reach(
        &self,
        thread: &ThreadId,
        id: &CallId,
        width: &api::Width,
    ) -> Result<api::Reach, Error> {
        let (call, width) = (self.look_up(thread, id).await?, read_width(&width.matches)?);
        let (history, policy) = (self.history(thread, LOOKED_AT).await?, self.policy.policy());
        Ok(off_the_way(move || api::History::new(&policy, &history).reach(&width, &call)).await)
    }

    /// So many of the thread's last calls as they were proposed, the last first.
    async fn history(&self, thread: &ThreadId, most: usize) -> Result<Vec<Call>, Error> {
        let history = self.store.history(thread, 0, most).await?;
        Ok(history.items.iter().filter_map(proposed).collect())
    }
}

/// The call that an event proposes. One that cannot be read says nothing.
fn proposed(event: &Event) -> Option<Call> {
    let body = Body::read(event.seq, event.kind, &event.data).ok()?;
    Call::evolve(None, event, body).ok().flatten()
}

/// Adds to each of those that wait what people want to know of it.
fn inform(
    calls: &[Call],
    mut views: Vec<api::Call>,
    histories: &[(Vec<Call>, ThreadId)],
    policy: &Policy,
) -> Vec<api::Call> {
    for (history, thread) in histories {
        let history = api::History::new(policy, history);
        let of_thread = calls.iter().zip(&mut views).filter(|(call, _)| call.thread_id == *thread);
        for (call, view) in of_thread.filter(|(_, view)| view.state == State::Pending) {
            if let Some(request) = &mut view.request {
                history.inform(request, call);
            }
        }
    }
    views
}

/// Works where nobody else has to wait for it: reading a thousand command lines takes a while.
async fn off_the_way<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    // Nobody cancels it, so if it does not come back it fell over, and that is whose turn it was.
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|fell| std::panic::resume_unwind(fell.into_panic()))
}

/// How many calls of a thread are looked at to tell how far an answer would reach.
const LOOKED_AT: usize = 1_000;
/// How many of all threads of a page together, so that a page of many takes no longer than one of few.
const LOOKED_AT_IN_ALL: usize = 2_000;
/// And how many of each all the same.
const LOOKED_AT_AT_LEAST: usize = 20;

fn most(page: api::PageOf) -> usize {
    page.limit.min(api::MAX_PAGE)
}
