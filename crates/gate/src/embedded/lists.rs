//! Lists and streams in the embedded service.

use super::EmbeddedService;
use crate::{
    GateFailure,
    view::{CallCounter, inform_about_tool, inform_approvers, view_thread},
    view_call,
};
use countersign_api::{self as api, EventStream, GateError, LogFilter};
use countersign_approvals::{Call, Refused, access::VisibleThreads};
use countersign_events::{Body, CallState, CallStateFilter, Event, ThreadId, Timestamp};
use countersign_store::{CallInContext, CallSpan, EventFilter};
use std::{collections::BTreeSet, sync::Arc};

impl EmbeddedService {
    pub(crate) async fn pending(
        &self,
        filter: &LogFilter,
        threads: &VisibleThreads,
        page: api::PageQuery,
    ) -> Result<api::PendingPage, GateFailure> {
        let after = page.after;
        let page = self.store.pending(&store_filter(filter, threads), after, page_limit(page)).await?;
        self.require_cursor_if(page.items.is_empty(), after).await?;
        let next = page.next;
        Ok(api::PendingPage { pending: self.informed(page.items).await?, next })
    }

    pub(crate) async fn calls(
        &self,
        filter: &LogFilter,
        threads: &VisibleThreads,
        state: Option<CallStateFilter>,
        page: api::PageQuery,
    ) -> Result<api::CallPage, GateFailure> {
        let now = self.store.clock().now();
        let page = self
            .store
            .calls(&store_filter(filter, threads), state, now, page.after, page_limit(page))
            .await?;
        let mut calls: Vec<_> = page.items.iter().map(|call| view_call(call, now)).collect();
        self.add_grant_origins(&mut calls).await?;
        self.add_archives(&mut calls).await?;
        Ok(api::CallPage { calls: self.all_with_presence(calls).await?, next: page.next })
    }

    pub(crate) async fn events(
        &self,
        filter: &LogFilter,
        threads: &VisibleThreads,
        page: api::PageQuery,
    ) -> Result<api::EventPage, GateFailure> {
        let after = page.after;
        let page = self.store.events(&store_filter(filter, threads), after, page_limit(page)).await?;
        self.require_cursor_if(page.items.is_empty(), after).await?;
        // Read after the page, so that the tip is not lower than a page event's `seq`.
        let tip = self.tip(filter.thread_id.as_ref()).await?;
        Ok(api::EventPage { events: page.items.into_iter().map(Arc::new).collect(), next: page.next, tip })
    }

    /// Fails if the log does not have the cursor's event, or has another one at its position.
    pub(crate) async fn check_cursor(&self, cursor: &api::LogCursor) -> Result<(), GateFailure> {
        Ok(self.store.check_cursor(cursor.seq, |hash| cursor.admits_hash(hash)).await?)
    }

    /// Checks an empty page's cursor: a page with items shows that the log goes beyond the cursor.
    async fn require_cursor_if(&self, is_empty: bool, after: i64) -> Result<(), GateFailure> {
        if is_empty { self.check_cursor(&after.into()).await } else { Ok(()) }
    }

    pub(crate) fn follow(
        self: Arc<Self>,
        filter: &LogFilter,
        threads: &VisibleThreads,
        after: i64,
    ) -> EventStream {
        let mut follower = self.store.follow(store_filter(filter, threads), after);
        Box::pin(async_stream::stream! {
            if let Err(error) = self.check_cursor(&after.into()).await {
                yield Err(error.into());
                return;
            }
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

    pub(crate) async fn threads(
        &self,
        threads: &VisibleThreads,
        page: api::PageQuery,
    ) -> Result<api::ThreadPage, GateFailure> {
        let page = self.store.threads(page.after, page_limit(page)).await?;
        let visible = page.items.into_iter().filter(|thread| threads.admits(&thread.thread_id));
        Ok(api::ThreadPage { threads: visible.map(view_thread).collect(), next: page.next })
    }

    pub(crate) async fn thread(&self, thread: &ThreadId) -> Result<api::ThreadSummary, GateFailure> {
        let found = self.store.outline(thread).await?;
        found.map(view_thread).ok_or_else(|| Refused::UnknownThread(thread.clone()).into())
    }

    /// The last `seq` of the thread, or of the log.
    pub(crate) async fn tip(&self, thread: Option<&ThreadId>) -> Result<i64, GateFailure> {
        Ok(match thread {
            Some(thread) => self.store.thread_tip(thread).await?,
            None => self.store.tip().await?,
        })
    }

    pub(crate) async fn stats(
        &self,
        query: &api::StatisticsQuery,
    ) -> Result<api::CallStatistics, GateFailure> {
        let api::StatisticsQuery { since, until, after: before, touched: with_effects, .. } = *query;
        let page = self.store.call_fates(CallSpan { since, until, before, with_effects }).await?;
        let mut counter = CallCounter::new(query.days_at);
        page.items.iter().for_each(|fate| counter.count(fate));
        Ok(counter.stats(query, page.next))
    }
}

impl EmbeddedService {
    /// Converts calls to API types. A pending call gets the levels that approvers may use and the suggested scopes.
    pub(super) async fn informed(&self, calls: Vec<Call>) -> Result<Vec<api::Call>, GateFailure> {
        let (now, policy) = (self.store.clock().now(), self.policy.policy_for_views());
        let mut views: Vec<_> = calls.iter().map(|call| view_call(call, now)).collect();
        self.add_grant_origins(&mut views).await?;
        let waiting = || calls.iter().filter(|call| call.state(now) == CallState::Pending);
        let threads: BTreeSet<_> = waiting().map(|call| &call.thread_id).collect();
        let limit = (PAGE_HISTORY_CALLS / threads.len().max(1)).clamp(MIN_HISTORY_CALLS, MAX_HISTORY_CALLS);
        let last_calls = self.store.last_calls(&threads).await?;
        let tools = self.known_tools.read_seen(&self.store).await?;
        for (call, view) in calls.iter().zip(&mut views).filter(|(_, view)| view.is_pending()) {
            let Some(request) = &mut view.request else { continue };
            let last_call = last_calls.get(&call.thread_id).copied().unwrap_or_default();
            let similar = self.store.count_similar(call, last_call, limit).await?;
            inform_approvers(request, call, similar, &policy);
            self.add_state_of_same_call(&call.thread_id, request).await?;
            inform_about_tool(view, &tools);
            view.effects = self.effect_words.describe(call, &policy);
        }
        self.all_with_presence(views).await
    }

    /// Converts a call to its API type, with the same facts if it is pending. `seen_here` is the time at which this process
    /// last saw its proposer, as it was before the call was read.
    pub(super) async fn informed_alone(
        &self,
        found: CallInContext,
        seen_here: Option<Timestamp>,
    ) -> Result<api::Call, GateFailure> {
        let CallInContext { call, proposer_seen_at, last_call } = found;
        let mut view = self.view(&call);
        self.add_grant_origins(std::slice::from_mut(&mut view)).await?;
        if !view.is_pending() {
            self.add_archives(std::slice::from_mut(&mut view)).await?;
            return Ok(view);
        }
        if let Some(request) = &mut view.request {
            let similar = self.store.count_similar(&call, last_call, MAX_HISTORY_CALLS).await?;
            let policy = self.policy.policy_for_views();
            inform_approvers(request, &call, similar, &policy);
            self.add_state_of_same_call(&call.thread_id, request).await?;
            inform_about_tool(&mut view, &*self.known_tools.read_seen(&self.store).await?);
            view.effects = self.effect_words.describe(&call, &policy);
        }
        Ok(self.with_last_seen(view, proposer_seen_at.max(seen_here)))
    }

    /// Adds the state of the same call that was proposed earlier. Few requests have one.
    async fn add_state_of_same_call(
        &self,
        thread: &ThreadId,
        request: &mut api::ApprovalRequest,
    ) -> Result<(), GateFailure> {
        if let Some(same) = &mut request.same_call {
            let now = self.store.clock().now();
            same.state = self.store.call(thread, &same.id).await?.map(|call| call.state(now));
        }
        Ok(())
    }

    /// The last calls of the thread as they were proposed, the newest first, `limit` at most.
    pub(super) async fn history(&self, thread: &ThreadId, limit: usize) -> Result<Vec<Call>, GateFailure> {
        let history = self.store.history(thread, 0, limit).await?;
        Ok(history.items.iter().filter_map(read_proposal).collect())
    }
}

/// The call that an event proposes; `None` if the event is damaged. A preview leaves such a call out.
fn read_proposal(event: &Event) -> Option<Call> {
    let body = Body::read(event.seq, event.kind, &event.data).ok()?;
    Call::evolve(None, event, body).ok().flatten()
}

/// Runs the work on a blocking thread, because parsing a thousand call commands takes long.
pub(super) async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    // The task is never cancelled, so a JoinError is a panic: resume it.
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}

/// The most calls of one thread that a scope preview compares.
pub(super) const MAX_HISTORY_CALLS: usize = 1_000;
/// The number of calls that the threads of one page share, so that a page with many threads takes as long as a page
/// with few.
const PAGE_HISTORY_CALLS: usize = 2_000;
/// The fewest calls of each thread, even if a page has many threads.
const MIN_HISTORY_CALLS: usize = 20;

pub(super) fn page_limit(page: api::PageQuery) -> usize {
    page.limit.min(api::MAX_PAGE)
}

pub(super) fn store_filter(filter: &LogFilter, threads: &VisibleThreads) -> EventFilter {
    let LogFilter {
        thread_id,
        types,
        tool,
        principal,
        since,
        until,
        arguments_hash,
        agent,
        project,
        touches,
    } = filter.clone();
    EventFilter {
        thread_id,
        threads: threads.clone(),
        types,
        tool,
        principal,
        since,
        until,
        arguments_hash,
        agent,
        project,
        touches,
    }
}
