//! The gate over an open database, and the operations that only this gate offers.

use crate::{GateFailure, embedded::EmbeddedService};
use async_trait::async_trait;
use countersign_api::{
    ApprovalGate, BulkDecisionRequest, Call, CallPage, CallStatistics, CancelRequest, ClaimRequest,
    CloseReport, DecisionAnswer, DecisionRequest, EraseRequest, ErasureReport, EventPage, EventStream,
    GateError, GrantPage, GrantSelection, LogCursor, LogFilter, ModeRequest, NewToken, OpenRequestCount,
    PageQuery, PendingPage, PolicyInForce, PolicyRequest, ProposeRequest, ReadinessReport, ReleaseRequest,
    RenewRequest, ResultRequest, RevokeTokenRequest, ScopePreview, ScopeRequest, StopReport, StopRequest,
    ThreadMode, ThreadPage, ThreadPolicies, ThreadSummary, Token, TokenPage, TokenRequest, TokenSelection,
    ToolPoliciesRequest, retry::RetryingGate,
};
use countersign_approvals::{
    CommandCaller, Refused,
    access::{Right, TokenDirectory, TokenHolder, TokenRecord, TokenRejection, TokenSecret, VisibleThreads},
};
use countersign_events::{
    CallId, CallStateFilter, Principal, ThreadId,
    chain::Checkpoint,
    event::{TokenCreated, TokenKind},
};
use countersign_policy::Policy;
use countersign_store::{
    CheckpointReport, DatabaseName, DatabaseUrl, IntegrityReport, SchemaLayout, SchemaReport, StoreOptions,
    VerifyReport,
};
use prometheus_client::registry::Registry;
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;

/// The gate over an open database, for one principal. Cheap to clone. Without
/// [`with_retries`](Self::with_retries), an operation fails at once when the database is unavailable.
#[derive(Clone)]
pub struct EmbeddedGate {
    service: Arc<EmbeddedService>,
    by: CommandCaller,
    /// The threads that the caller sees.
    threads: VisibleThreads,
}

impl EmbeddedGate {
    /// Opens the database at `address`. Creates it if it does not exist, with the shipped policy.
    ///
    /// `address` is a file path or a [`DatabaseUrl`]. Fails with [`GateFailure::Store`] if the database cannot be
    /// opened.
    pub async fn open(address: impl Into<DatabaseUrl>) -> Result<Self, GateFailure> {
        Self::open_with(address, StoreOptions::default(), Policy::shipped()).await
    }

    /// Opens the database at `address`. A log without a policy starts with the policy `first`; any other log keeps its
    /// own, which [`apply_policy`](ApprovalGate::apply_policy) replaces. Fails with [`GateFailure::Store`] if the
    /// database cannot be opened.
    pub async fn open_with(
        address: impl Into<DatabaseUrl>,
        options: StoreOptions,
        first: Policy,
    ) -> Result<Self, GateFailure> {
        let service = EmbeddedService::open(address.into(), options, first).await?;
        let by = Principal::agent("local").into();
        Ok(Self { service: Arc::new(service), by, threads: VisibleThreads::default() })
    }

    /// Returns a gate to the same database for another principal.
    #[must_use]
    pub fn acting_as(&self, by: Principal) -> Self {
        Self { by: by.into(), ..self.clone() }
    }

    /// Returns a gate to the same database for the holder of a credential, who uses this right. It lists only what the
    /// holder sees. Whether the holder has the right is for the caller to check.
    #[must_use]
    pub fn acting_for(&self, holder: &TokenHolder, right: Right) -> Self {
        Self { by: holder.caller(right), threads: holder.threads.clone(), ..self.clone() }
    }

    /// Returns the token with this secret if it is accepted now. `kind` is the purpose that it is used for.
    pub async fn authenticate(
        &self,
        secret: &TokenSecret,
        kind: TokenKind,
    ) -> Result<Result<Arc<TokenRecord>, TokenRejection>, GateFailure> {
        self.service.authenticate(secret, kind).await
    }

    /// True if the token with this id is accepted now; also if `token` is `None`, for a caller without a token.
    #[must_use]
    pub fn is_token_accepted(&self, token: Option<&str>) -> bool {
        self.service.is_accepted(token)
    }

    /// Records that a token is used from an address, if it is the first time.
    pub async fn record_token_use(&self, record: &TokenRecord, address: &str) {
        self.service.record_token_use(record, address).await;
    }

    /// A receiver that changes whenever tokens change.
    #[must_use]
    pub fn watch_tokens(&self) -> watch::Receiver<i64> {
        self.service.tokens.watch()
    }

    /// True if the log has no tokens.
    #[must_use]
    pub fn has_no_tokens(&self) -> bool {
        self.service.tokens.with(TokenDirectory::is_empty)
    }

    /// Creates several tokens, all or none.
    pub async fn create_tokens(&self, requests: &[TokenRequest]) -> Result<Vec<NewToken>, GateFailure> {
        self.service.create_tokens(&self.by, requests).await
    }

    /// Starts the session of a browser, which was authenticated with `parent`: a link, a token, or the session that it
    /// continues. The session ends after `idle` without a continuation, and after `longest` in any case.
    pub async fn start_session(
        &self,
        parent: &TokenRecord,
        (idle, longest): (Duration, Duration),
    ) -> Result<(TokenSecret, TokenCreated), GateFailure> {
        self.service.start_session(parent, (idle, longest)).await
    }

    /// Ends all sessions of the principal of this gate.
    pub async fn end_sessions(&self) -> Result<(), GateFailure> {
        self.service.end_sessions(&self.by).await
    }

    /// Returns a gate that repeats an operation while the database is unavailable, if it is safe to repeat.
    #[must_use]
    pub fn with_retries(&self) -> RetryingGate {
        RetryingGate::new(Arc::new(self.clone()))
    }

    /// The policy in force, as this process has read it from the log. Fails with [`GateFailure::PolicyUnreadable`] if
    /// this version cannot read it.
    pub fn policy_in_force(&self) -> Result<Arc<Policy>, GateFailure> {
        self.service.policy.policy()
    }

    /// Reports in [`ready`](ApprovalGate::ready) why the policy file of this process is not in force; `None` if it is.
    pub fn report_policy_trouble(&self, trouble: Option<String>) {
        if let Some(trouble) = &trouble {
            tracing::error!(trouble, "the policy file is not in force; the policy before stays in force");
        }
        self.service.policy.report_file_trouble(trouble);
    }

    /// Checks that the log has the event that a reader wants to continue after. Fails with `bad_cursor` if the log
    /// ends before it, or has an event with another hash in its place.
    pub async fn check_cursor(&self, cursor: &LogCursor) -> Result<(), GateFailure> {
        self.service.check_cursor(cursor).await
    }

    /// Counts the open requests, and reads the time of the oldest one.
    pub async fn count_open_requests(&self) -> Result<OpenRequestCount, GateFailure> {
        self.service.open_now().await
    }

    /// Registers the metrics of this process: commits, queries and calls.
    pub fn register_metrics(&self, registry: &mut Registry) {
        self.service.register_metrics(registry);
    }

    /// The layout that the database had before this gate opened and migrated it.
    #[must_use]
    pub fn found_layout(&self) -> SchemaLayout {
        self.service.store.found()
    }

    /// True if the log can only be read.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.service.store.is_read_only()
    }

    /// True if this gate has created the log.
    #[must_use]
    pub fn has_created_log(&self) -> bool {
        self.service.store.has_created_log()
    }

    /// The name of the log in messages: an absolute path, or an address without a password.
    #[must_use]
    pub fn database_name(&self) -> DatabaseName {
        self.service.store.database_name()
    }

    /// Reads the whole log and checks its hash chain, the rules, and the index of open requests. `progress` receives
    /// the number of events that were checked.
    pub async fn verify(&self, progress: impl FnMut(i64)) -> Result<VerifyReport, GateFailure> {
        Ok(self.service.store.verify(progress).await?)
    }

    /// Verifies that the log contains the noted event of the checkpoint, and checks the hash chain after it. `progress`
    /// receives the `seq` of the last event that was checked.
    pub async fn verify_from(
        &self,
        from: Checkpoint,
        progress: impl FnMut(i64),
    ) -> Result<CheckpointReport, GateFailure> {
        Ok(self.service.store.verify_from(from, progress).await?)
    }

    /// Compares the schema of the database with the one that this version makes.
    pub async fn inspect_schema(&self) -> Result<SchemaReport, GateFailure> {
        Ok(self.service.store.inspect_schema().await?)
    }

    /// Runs the integrity check of the database.
    pub async fn inspect_integrity(&self) -> Result<IntegrityReport, GateFailure> {
        Ok(self.service.store.inspect_integrity().await?)
    }

    /// Rebuilds the index of open requests from the events.
    pub async fn rebuild_index(&self) -> Result<(), GateFailure> {
        Ok(self.service.store.rebuild_index().await?)
    }
}

#[async_trait]
impl ApprovalGate for EmbeddedGate {
    fn principal(&self) -> &Principal {
        &self.by.principal
    }

    async fn propose(&self, thread: &ThreadId, request: &ProposeRequest) -> Result<Call, GateError> {
        Ok(self.service.propose(&self.by, thread, request).await?)
    }

    async fn wait(
        &self,
        thread: &ThreadId,
        id: &CallId,
        timeout: Option<Duration>,
    ) -> Result<Call, GateError> {
        Ok(self.service.wait(thread, id, timeout).await?)
    }

    async fn call(&self, thread: &ThreadId, id: &CallId) -> Result<Call, GateError> {
        Ok(self.service.call(thread, id).await?)
    }

    async fn decide(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &DecisionRequest,
    ) -> Result<Call, GateError> {
        match self.service.decide(&self.by, thread, id, request).await {
            Ok(call) => Ok(call),
            Err(failure) => Err(self.service.with_origin_of_decision(thread, failure).await),
        }
    }

    async fn decide_all(&self, request: &BulkDecisionRequest) -> Result<Vec<DecisionAnswer>, GateError> {
        request.check()?;
        Ok(self.service.decide_all(&self.by, &self.threads, request).await)
    }

    async fn claim(&self, thread: &ThreadId, id: &CallId, request: &ClaimRequest) -> Result<Call, GateError> {
        Ok(self.service.claim(&self.by, thread, id, request).await?)
    }

    async fn renew_claim(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &RenewRequest,
    ) -> Result<Call, GateError> {
        Ok(self.service.renew_claim(&self.by, thread, id, request).await?)
    }

    async fn finish(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &ResultRequest,
    ) -> Result<Call, GateError> {
        Ok(self.service.finish(&self.by, thread, id, request).await?)
    }

    async fn cancel(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &CancelRequest,
    ) -> Result<Call, GateError> {
        match self.service.cancel(&self.by, thread, id, request).await {
            Ok(call) => Ok(call),
            Err(failure) => Err(self.service.with_origin_of_decision(thread, failure).await),
        }
    }

    async fn release(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &ReleaseRequest,
    ) -> Result<Call, GateError> {
        Ok(self.service.release(&self.by, thread, id, request).await?)
    }

    async fn erase(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &EraseRequest,
    ) -> Result<ErasureReport, GateError> {
        Ok(self.service.erase(&self.by, thread, id, request).await?)
    }

    async fn heartbeat(&self, thread: &ThreadId, id: &CallId) -> Result<Call, GateError> {
        Ok(self.service.heartbeat(thread, id).await?)
    }

    async fn preview_scope(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &ScopeRequest,
    ) -> Result<ScopePreview, GateError> {
        Ok(self.service.preview_scope(&self.by, thread, id, request).await?)
    }

    async fn stop(&self, thread: Option<&ThreadId>, request: &StopRequest) -> Result<StopReport, GateError> {
        Ok(self.service.stop(&self.by, thread, request).await?)
    }

    async fn pending(&self, filter: &LogFilter, page: PageQuery) -> Result<PendingPage, GateError> {
        Ok(self.service.pending(filter, &self.threads, page).await?)
    }

    async fn calls(
        &self,
        filter: &LogFilter,
        state: Option<CallStateFilter>,
        page: PageQuery,
    ) -> Result<CallPage, GateError> {
        Ok(self.service.calls(filter, &self.threads, state, page).await?)
    }

    async fn events(&self, filter: &LogFilter, page: PageQuery) -> Result<EventPage, GateError> {
        Ok(self.service.events(filter, &self.threads, page).await?)
    }

    async fn tip(&self, thread: Option<&ThreadId>) -> Result<i64, GateError> {
        Ok(self.service.tip(thread).await?)
    }

    async fn threads(&self, page: PageQuery) -> Result<ThreadPage, GateError> {
        Ok(self.service.threads(&self.threads, page).await?)
    }

    async fn thread(&self, thread: &ThreadId) -> Result<ThreadSummary, GateError> {
        Ok(self.service.thread(thread).await?)
    }

    async fn stats(
        &self,
        filter: &LogFilter,
        progress: &mut (dyn FnMut(i64, i64) + Send),
    ) -> Result<CallStatistics, GateError> {
        Ok(self.service.stats(filter, progress).await?)
    }

    async fn grants(
        &self,
        thread: &ThreadId,
        selection: GrantSelection,
        page: PageQuery,
    ) -> Result<GrantPage, GateError> {
        Ok(self.service.grants(thread, selection, page).await?)
    }

    async fn revoke(&self, thread: &ThreadId, grant: i64) -> Result<GrantPage, GateError> {
        Ok(self.service.revoke(&self.by, thread, grant).await?)
    }

    async fn mode(&self, thread: &ThreadId) -> Result<ThreadMode, GateError> {
        Ok(self.service.mode(thread).await?)
    }

    async fn set_mode(&self, thread: &ThreadId, request: &ModeRequest) -> Result<ThreadMode, GateError> {
        Ok(self.service.set_mode(&self.by, thread, request).await?)
    }

    async fn policies(&self, thread: &ThreadId) -> Result<ThreadPolicies, GateError> {
        Ok(self.service.policies(thread).await?)
    }

    async fn set_policies(
        &self,
        thread: &ThreadId,
        request: &ToolPoliciesRequest,
    ) -> Result<ThreadPolicies, GateError> {
        Ok(self.service.set_policies(&self.by, thread, request).await?)
    }

    async fn policy(&self) -> Result<PolicyInForce, GateError> {
        Ok(self.service.policy_in_force().await?)
    }

    async fn policy_history(&self, page: PageQuery) -> Result<EventPage, GateError> {
        Ok(self.service.policy_history(page).await?)
    }

    async fn apply_policy(&self, request: &PolicyRequest) -> Result<PolicyInForce, GateError> {
        Ok(self.service.apply_policy(&self.by, request).await?)
    }

    async fn tokens(&self, selection: TokenSelection, page: PageQuery) -> Result<TokenPage, GateError> {
        Ok(self.service.tokens(selection, page))
    }

    async fn create_token(&self, request: &TokenRequest) -> Result<NewToken, GateError> {
        let created = self.service.create_tokens(&self.by, std::slice::from_ref(request)).await?;
        created.into_iter().next().ok_or_else(|| GateFailure::from(Refused::UnknownToken).into())
    }

    async fn revoke_token(&self, id: &str, request: &RevokeTokenRequest) -> Result<Token, GateError> {
        Ok(self.service.revoke_token(&self.by, id, request).await?)
    }

    async fn close(&self, thread: &ThreadId) -> Result<CloseReport, GateError> {
        Ok(self.service.close(&self.by, thread).await?)
    }

    async fn ready(&self) -> Result<ReadinessReport, GateError> {
        Ok(self.service.ready().await?)
    }

    fn follow(&self, filter: LogFilter, after: i64) -> EventStream {
        Arc::clone(&self.service).follow(&filter, &self.threads, after)
    }

    async fn shut_down(&self) {
        self.service.shut_down().await;
    }
}
