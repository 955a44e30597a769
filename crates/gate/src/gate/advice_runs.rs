//! Operations for the advisor runner: requests as they open, calls with their advice, and the advisor lease.

use super::EmbeddedGate;
use crate::{GateFailure, view::view_call};
use countersign_api as api;
use countersign_approvals::Call;
use countersign_events::{CallId, Event, EventType, ThreadId, Timestamp};
use countersign_store::{EventFilter, EventFollower, LeaseTask, TaskLease};
use std::{sync::Arc, time::Duration};

/// A call that people were asked about, with the advisors whose advice is in the log.
#[derive(Debug, Clone)]
pub struct AdvisedCall {
    /// The call.
    pub call: api::Call,
    /// The advisors whose advice is in the log.
    pub advised: Vec<String>,
}

impl AdvisedCall {
    fn from_call(call: &Call, now: Timestamp) -> Option<Self> {
        call.request()?;
        let advised = call.course.advice.iter().map(|advice| advice.what.advisor.clone()).collect();
        Some(Self { call: view_call(call, now), advised })
    }
}

/// A page of calls that people are asked about.
#[derive(Debug)]
pub struct AdvisedPage {
    /// The calls, the oldest request first.
    pub calls: Vec<AdvisedCall>,
    /// The next page's cursor; `None` at the end.
    pub next: Option<i64>,
}

impl EmbeddedGate {
    /// Follows the events after `after` that give work to advisors: requests, and policies.
    #[must_use]
    pub fn follow_for_advice(&self, after: i64) -> EventFollower {
        let types = vec![EventType::ApprovalRequest, EventType::PolicySet];
        self.service.store.follow(EventFilter { types, ..EventFilter::default() }, after)
    }

    /// Follows the changes of the policy after `after`.
    #[must_use]
    pub fn follow_policy(&self, after: i64) -> EventFollower {
        self.service
            .store
            .follow(EventFilter { types: vec![EventType::PolicySet], ..EventFilter::default() }, after)
    }

    /// Follows the events after `after` that may let an advisor decide, or that may change the drift of one that does.
    pub async fn follow_for_drift(&self, after: i64) -> Result<EventFollower, GateFailure> {
        let mut types = vec![EventType::PolicySet, EventType::AdvisorReported, EventType::AdvisorModeSet];
        if self.service.has_deciding_advisors().await? {
            types.extend([EventType::ApprovalAdvice, EventType::ApprovalResponse, EventType::CallFlagged]);
        }
        Ok(self.service.store.follow(EventFilter { types, ..EventFilter::default() }, after))
    }

    /// The log's last `seq`.
    pub async fn last_seq(&self) -> Result<i64, GateFailure> {
        self.service.tip(None).await
    }

    /// Reads the active policy, if a newer one is in the log than this process knows.
    pub async fn reload_policy(&self) -> Result<(), GateFailure> {
        Ok(self.service.policy.reload(&self.service.store).await?)
    }

    /// Reads a call for its advisors; `None` if people were not asked about it.
    pub async fn call_for_advice(
        &self,
        thread: &ThreadId,
        id: &CallId,
    ) -> Result<Option<AdvisedCall>, GateFailure> {
        let now = self.clock().now();
        let call = self.service.store.call(thread, id).await?;
        Ok(call.and_then(|call| AdvisedCall::from_call(&call, now)))
    }

    /// Reads a thread's calls that were proposed before `before` (a `seq`), the newest first, up to `limit`.
    pub async fn earlier_calls(
        &self,
        thread: &ThreadId,
        before: i64,
        limit: usize,
    ) -> Result<Vec<api::Call>, GateFailure> {
        let now = self.clock().now();
        let page =
            self.service.store.calls(&EventFilter::of_thread(thread), None, now, before, limit).await?;
        Ok(page.items.iter().map(|call| view_call(call, now)).collect())
    }

    /// Reads the pending calls for their advisors, the oldest request first.
    pub async fn pending_for_advice(&self, after: i64, limit: usize) -> Result<AdvisedPage, GateFailure> {
        let now = self.clock().now();
        let page = self.service.store.pending(&EventFilter::default(), after, limit).await?;
        let calls = page.items.iter().filter_map(|call| AdvisedCall::from_call(call, now)).collect();
        Ok(AdvisedPage { calls, next: page.next })
    }

    /// Takes or keeps the advisor lease. A lease `until` a time that has passed is released. Returns the active lease,
    /// which another server may hold.
    pub async fn hold_advisors(
        &self,
        holder: &str,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<TaskLease, GateFailure> {
        let lease = TaskLease { task: LeaseTask::Advisors, holder: holder.to_owned(), until };
        Ok(self.service.store.hold_lease(&lease, None, now).await?.lease)
    }

    /// The thread and the call that a request is about.
    #[must_use]
    pub fn requested_call(event: &Arc<Event>) -> Option<(ThreadId, CallId)> {
        let body = countersign_events::Body::read(event.seq, event.kind, &event.data).ok()?;
        Some((event.thread_id.clone(), body.call_id()?.clone()))
    }

    /// Counts an advisor answer: `allow`, `deny`, `ask`, or a failure name.
    pub fn count_advice(&self, advisor: &str, answer: &'static str, is_cached: bool, elapsed: Duration) {
        self.service.advisor_metrics.count(advisor, answer, is_cached, elapsed);
    }
}
