//! The gate over a server, through HTTP.

use crate::connection::ServerConnection;
use async_trait::async_trait;
use countersign_api::{
    ApprovalGate, BulkDecisionRequest, Call, CallPage, CallStatistics, CancelRequest, ClaimRequest,
    CloseReport, DecisionAnswer, DecisionRequest, EraseRequest, ErasureReport, EventPage, EventStream,
    GateError, GrantPage, GrantSelection, LogFilter, ModeRequest, PageQuery, PendingPage, PolicyInForce,
    PolicyRequest, ProposeRequest, ReadinessReport, ReleaseRequest, RenewRequest, ResultRequest,
    ScopePreview, ScopeRequest, StopReport, StopRequest, ThreadMode, ThreadPage, ThreadPolicies,
    ThreadSummary, ToolPoliciesRequest, retry::RetryingGate,
};
use countersign_events::{CallId, CallStateFilter, Principal, ThreadId};
use futures_util::StreamExt;
use std::{path::Path, sync::Arc, time::Duration};

/// The gate over a server, for one principal. Cheap to clone. Without [`with_retries`](Self::with_retries), an
/// operation fails at once if the server does not answer.
#[derive(Clone)]
pub struct HttpGate {
    connection: Arc<ServerConnection>,
    by: Principal,
}

impl HttpGate {
    /// Creates a gate over the server at `url`: `http://host:port`, `https://host`, or `unix:` and the path of a socket.
    /// Sends nothing yet. The gate acts for `agent:local`. A certificate of the server must come from an authority that
    /// the system trusts. Fails with `bad_url` if the address is invalid.
    pub fn connect(url: &str) -> Result<Self, GateError> {
        Self::connect_trusting(url, None)
    }

    /// Creates a gate like [`connect`](Self::connect). Instead of the authorities of the system, it trusts only those in
    /// the file `authorities` (PEM), if there is one.
    pub fn connect_trusting(url: &str, authorities: Option<&Path>) -> Result<Self, GateError> {
        let connection = Arc::new(ServerConnection::new(url, authorities)?);
        Ok(Self { connection, by: Principal::agent("local") })
    }

    /// Returns the same gate for another principal.
    #[must_use]
    pub fn acting_as(&self, by: Principal) -> Self {
        Self { by, ..self.clone() }
    }

    /// Returns the same gate with retries: it repeats operations while the server is unavailable, where this is safe.
    #[must_use]
    pub fn with_retries(&self) -> RetryingGate {
        RetryingGate::new(Arc::new(self.clone()))
    }
}

#[async_trait]
impl ApprovalGate for HttpGate {
    fn principal(&self) -> &Principal {
        &self.by
    }

    fn acting_as(&self, by: Principal) -> Arc<dyn ApprovalGate> {
        Arc::new(Self::acting_as(self, by))
    }

    async fn propose(&self, thread: &ThreadId, request: &ProposeRequest) -> Result<Call, GateError> {
        self.connection.propose(&self.by, thread, request).await
    }

    async fn wait(
        &self,
        thread: &ThreadId,
        id: &CallId,
        timeout: Option<Duration>,
    ) -> Result<Call, GateError> {
        self.connection.wait(thread, id, timeout).await
    }

    async fn call(&self, thread: &ThreadId, id: &CallId) -> Result<Call, GateError> {
        self.connection.call(thread, id).await
    }

    async fn decide(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &DecisionRequest,
    ) -> Result<Call, GateError> {
        self.connection.decide(&self.by, thread, id, request).await
    }

    async fn decide_all(&self, request: &BulkDecisionRequest) -> Result<Vec<DecisionAnswer>, GateError> {
        request.check()?;
        self.connection.decide_all(&self.by, request).await
    }

    async fn claim(&self, thread: &ThreadId, id: &CallId, request: &ClaimRequest) -> Result<Call, GateError> {
        self.connection.claim(&self.by, thread, id, request).await
    }

    async fn renew_claim(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &RenewRequest,
    ) -> Result<Call, GateError> {
        self.connection.renew_claim(&self.by, thread, id, request).await
    }

    async fn finish(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &ResultRequest,
    ) -> Result<Call, GateError> {
        self.connection.finish(&self.by, thread, id, request).await
    }

    async fn cancel(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &CancelRequest,
    ) -> Result<Call, GateError> {
        self.connection.cancel(&self.by, thread, id, request).await
    }

    async fn release(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &ReleaseRequest,
    ) -> Result<Call, GateError> {
        self.connection.release(&self.by, thread, id, request).await
    }

    async fn erase(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &EraseRequest,
    ) -> Result<ErasureReport, GateError> {
        self.connection.erase(&self.by, thread, id, request).await
    }

    async fn heartbeat(&self, thread: &ThreadId, id: &CallId) -> Result<Call, GateError> {
        self.connection.heartbeat(&self.by, thread, id).await
    }

    async fn preview_scope(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &ScopeRequest,
    ) -> Result<ScopePreview, GateError> {
        self.connection.preview_scope(&self.by, thread, id, request).await
    }

    async fn stop(&self, thread: Option<&ThreadId>, request: &StopRequest) -> Result<StopReport, GateError> {
        self.connection.stop(&self.by, thread, request).await
    }

    async fn pending(&self, filter: &LogFilter, page: PageQuery) -> Result<PendingPage, GateError> {
        self.connection.pending(filter, page).await
    }

    async fn calls(
        &self,
        filter: &LogFilter,
        state: Option<CallStateFilter>,
        page: PageQuery,
    ) -> Result<CallPage, GateError> {
        self.connection.calls(filter, state, page).await
    }

    async fn events(&self, filter: &LogFilter, page: PageQuery) -> Result<EventPage, GateError> {
        self.connection.events(filter, page).await
    }

    async fn tip(&self, thread: Option<&ThreadId>) -> Result<i64, GateError> {
        self.connection.tip(thread).await
    }

    async fn threads(&self, page: PageQuery) -> Result<ThreadPage, GateError> {
        self.connection.threads(page).await
    }

    async fn thread(&self, thread: &ThreadId) -> Result<ThreadSummary, GateError> {
        self.connection.thread(thread).await
    }

    async fn stats(
        &self,
        filter: &LogFilter,
        _: &mut (dyn FnMut(i64, i64) + Send),
    ) -> Result<CallStatistics, GateError> {
        self.connection.stats(filter).await
    }

    async fn grants(
        &self,
        thread: &ThreadId,
        selection: GrantSelection,
        page: PageQuery,
    ) -> Result<GrantPage, GateError> {
        self.connection.grants(thread, selection, page).await
    }

    async fn revoke(&self, thread: &ThreadId, grant: i64) -> Result<GrantPage, GateError> {
        self.connection.revoke(&self.by, thread, grant).await
    }

    async fn mode(&self, thread: &ThreadId) -> Result<ThreadMode, GateError> {
        self.connection.mode(thread).await
    }

    async fn set_mode(&self, thread: &ThreadId, request: &ModeRequest) -> Result<ThreadMode, GateError> {
        self.connection.set_mode(&self.by, thread, request).await
    }

    async fn policies(&self, thread: &ThreadId) -> Result<ThreadPolicies, GateError> {
        self.connection.policies(thread).await
    }

    async fn set_policies(
        &self,
        thread: &ThreadId,
        request: &ToolPoliciesRequest,
    ) -> Result<ThreadPolicies, GateError> {
        self.connection.set_policies(&self.by, thread, request).await
    }

    async fn policy(&self) -> Result<PolicyInForce, GateError> {
        self.connection.policy().await
    }

    async fn policy_history(&self, page: PageQuery) -> Result<EventPage, GateError> {
        self.connection.policy_history(page).await
    }

    async fn apply_policy(&self, request: &PolicyRequest) -> Result<PolicyInForce, GateError> {
        self.connection.apply_policy(&self.by, request).await
    }

    async fn close(&self, thread: &ThreadId) -> Result<CloseReport, GateError> {
        self.connection.close(&self.by, thread).await
    }

    async fn ready(&self) -> Result<ReadinessReport, GateError> {
        self.connection.ready().await
    }

    fn follow(&self, filter: LogFilter, after: i64) -> EventStream {
        Arc::clone(&self.connection).follow(filter, after).boxed()
    }

    /// Does nothing: idle connections close with the last copy of this gate.
    async fn shut_down(&self) {}
}
