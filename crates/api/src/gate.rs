//! The operations that every gate offers, over a database and over a server alike.

use crate::{
    BulkDecisionRequest, Call, CallId, CallPage, CallState, CallStatistics, CancelRequest, ClaimRequest,
    CloseReport, DecisionAnswer, DecisionRequest, Event, EventPage, GateError, GrantPage, LogFilter,
    ModeRequest, PageQuery, PendingPage, Principal, ProposeRequest, ReadinessReport, ReleaseRequest,
    ResultRequest, ScopePreview, ScopeRequest, StopReport, StopRequest, ThreadId, ThreadMode, ThreadPage,
    ThreadPolicies, ThreadSummary, ToolPoliciesRequest,
};
use async_trait::async_trait;
use futures_util::Stream;
use std::{pin::Pin, sync::Arc, time::Duration};

/// Events in log order, until the stream fails or its gate is closed.
pub type EventStream = Pin<Box<dyn Stream<Item = Result<Arc<Event>, GateError>> + Send>>;

/// A gate that was chosen at run time. Cheap to clone.
pub type SharedGate = Arc<dyn ApprovalGate>;

/// The approval service, as one principal uses it.
///
/// Every operation acts for [`principal`](Self::principal). Repeating an operation with the same request is safe:
/// the gate answers with the state that the first one led to.
#[async_trait]
pub trait ApprovalGate: Send + Sync {
    /// The principal that this gate acts for.
    fn principal(&self) -> &Principal;

    /// The same gate for another principal.
    fn acting_as(&self, by: Principal) -> Arc<dyn ApprovalGate>;

    /// Proposes a call, which the policy then judges. Proposing it again returns its current state.
    async fn propose(&self, thread: &ThreadId, request: &ProposeRequest) -> Result<Call, GateError>;

    /// Waits until the call is decided, for `timeout` at most, and returns its state then.
    async fn wait(
        &self,
        thread: &ThreadId,
        id: &CallId,
        timeout: Option<Duration>,
    ) -> Result<Call, GateError>;

    /// The current state of a call.
    async fn call(&self, thread: &ThreadId, id: &CallId) -> Result<Call, GateError>;

    /// Decides a call. Repeating the decision succeeds; a different one is refused with the first.
    async fn decide(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &DecisionRequest,
    ) -> Result<Call, GateError>;

    /// Decides several calls. Each has its own answer, in the order of the request.
    async fn decide_all(&self, request: &BulkDecisionRequest) -> Result<Vec<DecisionAnswer>, GateError>;

    /// Starts the call. Once this succeeds, run the `arguments` of the answer and nothing else.
    async fn claim(&self, thread: &ThreadId, id: &CallId, request: &ClaimRequest) -> Result<Call, GateError>;

    /// Reports the result of a claimed call.
    async fn finish(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &ResultRequest,
    ) -> Result<Call, GateError>;

    /// Withdraws a call that no executor has claimed.
    async fn cancel(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &CancelRequest,
    ) -> Result<Call, GateError>;

    /// Lets another executor take over a call whose outcome is unknown. Only people may, because it may run twice.
    async fn release(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &ReleaseRequest,
    ) -> Result<Call, GateError>;

    /// Counts the calls of the thread's recent history that a decision with this scope would have answered.
    async fn preview_scope(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &ScopeRequest,
    ) -> Result<ScopePreview, GateError>;

    /// Denies every pending call, of one thread or of all, in one transaction. Only people may. The report names
    /// the calls that this principal may not deny.
    async fn stop(&self, thread: Option<&ThreadId>, request: &StopRequest) -> Result<StopReport, GateError>;

    /// The pending calls, the oldest request first.
    async fn pending(&self, filter: &LogFilter, page: PageQuery) -> Result<PendingPage, GateError>;

    /// The calls, the newest proposal first, optionally only those in one state.
    async fn calls(
        &self,
        filter: &LogFilter,
        state: Option<CallState>,
        page: PageQuery,
    ) -> Result<CallPage, GateError>;

    /// A page of the log, in order.
    async fn events(&self, filter: &LogFilter, page: PageQuery) -> Result<EventPage, GateError>;

    /// Every event after `after`, once and in order: first the recorded ones, then new ones as they are written.
    fn follow(&self, filter: LogFilter, after: i64) -> EventStream;

    /// The `seq` of the last event of the thread, or of the whole log; 0 if there is none.
    async fn tip(&self, thread: Option<&ThreadId>) -> Result<i64, GateError>;

    /// The threads, the most recently active first.
    async fn threads(&self, page: PageQuery) -> Result<ThreadPage, GateError>;

    /// The summary of one thread.
    async fn thread(&self, thread: &ThreadId) -> Result<ThreadSummary, GateError>;

    /// Counts of the calls that were proposed between `since` and `until` of the filter. `progress` may be told the
    /// last event counted so far, and the last there is.
    async fn stats(
        &self,
        filter: &LogFilter,
        progress: &mut (dyn FnMut(i64, i64) + Send),
    ) -> Result<CallStatistics, GateError>;

    /// The grants of a thread, the oldest first.
    async fn grants(&self, thread: &ThreadId, page: PageQuery) -> Result<GrantPage, GateError>;

    /// Revokes a grant: it answers no more calls. Returns the first page of the remaining grants.
    async fn revoke(&self, thread: &ThreadId, grant: i64) -> Result<GrantPage, GateError>;

    /// The mode of a thread.
    async fn mode(&self, thread: &ThreadId) -> Result<ThreadMode, GateError>;

    /// Sets the mode of a thread. Only people may.
    async fn set_mode(&self, thread: &ThreadId, request: &ModeRequest) -> Result<ThreadMode, GateError>;

    /// The tool policies of a thread.
    async fn policies(&self, thread: &ThreadId) -> Result<ThreadPolicies, GateError>;

    /// Sets tool policies of a thread. Only people may.
    async fn set_policies(
        &self,
        thread: &ThreadId,
        request: &ToolPoliciesRequest,
    ) -> Result<ThreadPolicies, GateError>;

    /// Closes a thread: its grants end, its pending calls are cancelled, and it accepts no new calls.
    async fn close(&self, thread: &ThreadId) -> Result<CloseReport, GateError>;

    /// Checks that the log accepts writes and that the feed keeps up with it.
    async fn ready(&self) -> Result<ReadinessReport, GateError>;

    /// Ends background tasks and closes connections. Every copy of this gate is closed with it.
    async fn shut_down(&self);
}
