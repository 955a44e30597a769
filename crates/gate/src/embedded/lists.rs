//! Lists over a local file.

use super::{EmbeddedService, read_scope};
use crate::{
    GateFailure,
    view::{CallCounter, CallHistory, inform_approvers, view_call, view_thread},
};
use countersign_api::{self as api, EventStream, GateError, LogFilter};
use countersign_approvals::{Call, Refused};
use countersign_events::{Body, CallId, CallState, Event, ThreadId};
use countersign_policy::Policy;
use countersign_store::EventFilter;
use std::{collections::BTreeSet, sync::Arc};

impl EmbeddedService {
    pub(crate) async fn pending(
        &self,
        filter: &LogFilter,
        page: api::PageQuery,
    ) -> Result<api::PendingPage, GateFailure> {
        let page = self.store.pending(&store_filter(filter), page.after, most(page)).await?;
        let next = page.next;
        Ok(api::PendingPage { pending: self.informed(page.items).await?, next })
    }

    pub(crate) async fn calls(
        &self,
        filter: &LogFilter,
        state: Option<CallState>,
        page: api::PageQuery,
    ) -> Result<api::CallPage, GateFailure> {
        let now = self.store.clock().now();
        let page = self.store.calls(&store_filter(filter), state, now, page.after, most(page)).await?;
        let calls = page.items.iter().map(|call| view_call(call, now)).collect();
        Ok(api::CallPage { calls, next: page.next })
    }

    pub(crate) async fn events(
        &self,
        filter: &LogFilter,
        page: api::PageQuery,
    ) -> Result<api::EventPage, GateFailure> {
        let page = self.store.events(&store_filter(filter), page.after, most(page)).await?;
        // Looked up after the page, so that it is never before what stands on it.
        let tip = self.tip(filter.thread_id.as_ref()).await?;
        Ok(api::EventPage { events: page.items.into_iter().map(Arc::new).collect(), next: page.next, tip })
    }

    pub(crate) fn follow(self: Arc<Self>, filter: &LogFilter, after: i64) -> EventStream {
        let mut follower = self.store.follow(store_filter(filter), after);
        Box::pin(async_stream::stream! {
            loop {
                let next = tokio::select! {
                    next = follower.next() => next,
                    () = self.stop.cancelled() => return,
                };
                let failed = next.is_err();
                yield next.map_err(|error| GateError::from(GateFailure::from(error)));
                if failed {
                    return;
                }
            }
        })
    }

    pub(crate) async fn threads(&self, page: api::PageQuery) -> Result<api::ThreadPage, GateFailure> {
        let page = self.store.threads(page.after, most(page)).await?;
        Ok(api::ThreadPage { threads: page.items.into_iter().map(view_thread).collect(), next: page.next })
    }

    pub(crate) async fn thread(&self, thread: &ThreadId) -> Result<api::ThreadSummary, GateFailure> {
        let found = self.store.outline(thread).await?;
        found.map(view_thread).ok_or_else(|| Refused::UnknownThread(thread.clone()).into())
    }

    /// The `seq` of the last event of the thread, or of the log.
    pub(crate) async fn tip(&self, thread: Option<&ThreadId>) -> Result<i64, GateFailure> {
        Ok(match thread {
            Some(thread) => self.store.thread_tip(thread).await?,
            None => self.store.tip().await?,
        })
    }

    pub(crate) async fn stats(
        &self,
        filter: &LogFilter,
        progress: impl FnMut(i64, i64),
    ) -> Result<api::CallStatistics, GateFailure> {
        let mut counter = CallCounter::default();
        self.store.tally(filter.since, filter.until, |fate| counter.count(&fate), progress).await?;
        Ok(counter.stats(filter.since, filter.until))
    }
}

impl EmbeddedService {
    /// The calls as people look at them: pending ones come with the levels and the scopes that an answer may have.
    pub(super) async fn informed(&self, calls: Vec<Call>) -> Result<Vec<api::Call>, GateFailure> {
        let (now, policy) = (self.store.clock().now(), self.policy.policy());
        let views: Vec<_> = calls.iter().map(|call| view_call(call, now)).collect();
        let waiting = calls.iter().zip(&views).filter(|(_, view)| view.state == CallState::Pending);
        let threads: BTreeSet<_> = waiting.map(|(call, _)| call.thread_id.clone()).collect();
        let each = (LOOKED_AT_IN_ALL / threads.len().max(1)).clamp(LOOKED_AT_AT_LEAST, LOOKED_AT);
        let mut histories = Vec::new();
        for thread in threads {
            histories.push((self.history(&thread, each).await?, thread));
        }
        Ok(inform(&calls, views, &histories, &policy))
    }

    /// How far that scope would reach from that call.
    pub(crate) async fn preview_scope(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &api::ScopeRequest,
    ) -> Result<api::ScopePreview, GateFailure> {
        let (call, scope) = (self.look_up(thread, id).await?, read_scope(&request.scope)?);
        let (history, policy) = (self.history(thread, LOOKED_AT).await?, self.policy.policy());
        Ok(off_the_way(move || CallHistory::new(&policy, &history).preview(&scope, &call)).await)
    }

    /// So many of the thread's last calls as they were proposed, the last first.
    async fn history(&self, thread: &ThreadId, most: usize) -> Result<Vec<Call>, GateFailure> {
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
        let of_thread = calls.iter().zip(&mut views).filter(|(call, _)| call.thread_id == *thread);
        for (call, view) in of_thread.filter(|(_, view)| view.state == CallState::Pending) {
            if let Some(request) = &mut view.request {
                inform_approvers(request, call, history, policy);
            }
        }
    }
    views
}

/// Runs the work on a blocking thread, because reading a thousand command lines takes long.
async fn off_the_way<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    // The task is never cancelled, so a JoinError is a panic: resume it.
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

fn most(page: api::PageQuery) -> usize {
    page.limit.min(api::MAX_PAGE)
}

fn store_filter(filter: &LogFilter) -> EventFilter {
    let LogFilter { thread_id, types, tool, principal, since, until } = filter.clone();
    EventFilter { thread_id, types, tool, principal, since, until }
}
