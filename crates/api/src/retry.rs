//! Repeats operations while the log is unavailable, where repeating is safe: a wait, a claim and a result survive a
//! restart of the server, or of the database behind it.

mod backoff;
mod follow;

use crate::{
    AcceptDefinitionRequest, AdvisorList, AdvisorModeRequest, AdvisorReportRequest, ApprovalGate,
    ApproverKey, ApproverKeyPage, ApproverKeyRequest, ApproverKeySelection, BulkDecisionRequest, Call,
    CallId, CallPage, CallStateFilter, CallStatistics, CancelRequest, ClaimRequest, CloseReport,
    ConversationReader, ConversationView, DecisionAnswer, DecisionRequest, DefineToolsReport,
    DefineToolsRequest, EraseRequest, ErasureReport, ErrorCode, EventPage, EventStream, FlagRequest,
    GateError, GrantPage, GrantSelection, LogFilter, MessagePage, MessagesReport, MessagesRequest,
    ModeRequest, NewToken, NewWebhook, PageQuery, PendingPage, PolicyInForce, PolicyRequest, Principal,
    ProposeRequest, ReadinessReport, ReleaseRequest, RemoveKeyRequest, RenewRequest, ResultRequest,
    RetryWebhookRequest, RevokeTokenRequest, ScopePreview, ScopeRequest, StatisticsQuery, StatusReport,
    StopReport, StopRequest, ThreadId, ThreadMode, ThreadPage, ThreadPolicies, ThreadSummary, Token,
    TokenPage, TokenRequest, TokenSelection, ToolDetails, ToolName, ToolPage, ToolPoliciesRequest, Webhook,
    WebhookList, WebhookRequest, WebhookTestReport,
};
use async_trait::async_trait;
pub use backoff::retry;
use backoff::{may_pass, retry_while};
use countersign_events::event::MessageFormat;
use futures_util::StreamExt;
use std::{future::Future, sync::Arc, time::Duration};
use tokio::time::Instant;

/// The time for which a claim and a result are retried: the executor cannot continue without them.
const EXECUTION: Duration = Duration::from_mins(2);

/// The time for which a proposal is retried: a database that takes longer to recover needs help.
const PROPOSAL: Duration = Duration::from_secs(30);

/// The time for which a decision or a cancellation is retried: a person is waiting for the answer.
const INTERACTION: Duration = Duration::from_secs(5);

/// Any gate with retries. Reading operations are not retried: they report an unavailable log at once.
#[derive(Clone)]
pub struct RetryingGate {
    inner: Arc<dyn ApprovalGate>,
}

impl RetryingGate {
    /// Creates a gate that adds retries to `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn ApprovalGate>) -> Self {
        Self { inner }
    }
}

/// Retries an operation, except if its first attempt does not reach the server: that error is reported at once.
async fn retry_once_reached<T, F>(budget: Duration, operation: impl FnMut() -> F) -> Result<T, GateError>
where
    F: Future<Output = Result<T, GateError>>,
{
    let mut is_first = true;
    let may_repeat = move |error: &GateError| {
        let is_first = std::mem::take(&mut is_first);
        may_pass(error) && !(is_first && is_away(error))
    };
    retry_while(Some(budget), may_repeat, operation).await
}

/// Returns true if the request did not arrive at any server. A lost answer is something else: the server is there.
fn is_away(error: &GateError) -> bool {
    error.code == ErrorCode::Unreachable && !error.facts.may_have_arrived
}

#[async_trait]
impl ApprovalGate for RetryingGate {
    fn principal(&self) -> &Principal {
        self.inner.principal()
    }

    async fn propose(&self, thread: &ThreadId, request: &ProposeRequest) -> Result<Call, GateError> {
        retry_once_reached(PROPOSAL, || self.inner.propose(thread, request)).await
    }

    async fn wait(
        &self,
        thread: &ThreadId,
        id: &CallId,
        timeout: Option<Duration>,
    ) -> Result<Call, GateError> {
        let end = timeout.map(|timeout| Instant::now() + timeout);
        let remaining = || end.map(|end| end.saturating_duration_since(Instant::now()));
        retry(timeout, || self.inner.wait(thread, id, remaining())).await
    }

    async fn call(&self, thread: &ThreadId, id: &CallId) -> Result<Call, GateError> {
        self.inner.call(thread, id).await
    }

    async fn decide(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &DecisionRequest,
    ) -> Result<Call, GateError> {
        retry_once_reached(INTERACTION, || self.inner.decide(thread, id, request)).await
    }

    async fn decide_all(&self, request: &BulkDecisionRequest) -> Result<Vec<DecisionAnswer>, GateError> {
        self.inner.decide_all(request).await
    }

    /// Retries a claim. A claim whose answer was lost may have been recorded; a retry is then refused with a claim of
    /// this executor, which counts as success.
    async fn claim(&self, thread: &ThreadId, id: &CallId, request: &ClaimRequest) -> Result<Call, GateError> {
        let mut attempts = 0;
        let attempt = || {
            attempts += 1;
            self.inner.claim(thread, id, request)
        };
        match retry(Some(EXECUTION), attempt).await {
            Err(error) if attempts > 1 && error.code == ErrorCode::AlreadyClaimed => {
                let claimed_by = error.facts.execution.as_ref().map(|execution| &execution.executor);
                if claimed_by != Some(&request.executor) {
                    return Err(error);
                }
                retry(Some(EXECUTION), || self.inner.call(thread, id)).await
            }
            outcome => outcome,
        }
    }

    async fn renew_claim(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &RenewRequest,
    ) -> Result<Call, GateError> {
        retry(Some(EXECUTION), || self.inner.renew_claim(thread, id, request)).await
    }

    async fn finish(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &ResultRequest,
    ) -> Result<Call, GateError> {
        retry(Some(EXECUTION), || self.inner.finish(thread, id, request)).await
    }

    async fn cancel(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &CancelRequest,
    ) -> Result<Call, GateError> {
        retry(Some(INTERACTION), || self.inner.cancel(thread, id, request)).await
    }

    async fn release(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &ReleaseRequest,
    ) -> Result<Call, GateError> {
        retry(Some(INTERACTION), || self.inner.release(thread, id, request)).await
    }

    async fn flag(&self, thread: &ThreadId, id: &CallId, request: &FlagRequest) -> Result<Call, GateError> {
        retry(Some(INTERACTION), || self.inner.flag(thread, id, request)).await
    }

    async fn erase(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &EraseRequest,
    ) -> Result<ErasureReport, GateError> {
        retry(Some(INTERACTION), || self.inner.erase(thread, id, request)).await
    }

    async fn heartbeat(&self, thread: &ThreadId, id: &CallId) -> Result<Call, GateError> {
        retry(Some(INTERACTION), || self.inner.heartbeat(thread, id)).await
    }

    async fn preview_scope(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &ScopeRequest,
    ) -> Result<ScopePreview, GateError> {
        retry(Some(INTERACTION), || self.inner.preview_scope(thread, id, request)).await
    }

    async fn stop(&self, thread: Option<&ThreadId>, request: &StopRequest) -> Result<StopReport, GateError> {
        retry(Some(INTERACTION), || self.inner.stop(thread, request)).await
    }

    async fn pending(&self, filter: &LogFilter, page: PageQuery) -> Result<PendingPage, GateError> {
        self.inner.pending(filter, page).await
    }

    async fn calls(
        &self,
        filter: &LogFilter,
        state: Option<CallStateFilter>,
        page: PageQuery,
    ) -> Result<CallPage, GateError> {
        self.inner.calls(filter, state, page).await
    }

    async fn events(&self, filter: &LogFilter, page: PageQuery) -> Result<EventPage, GateError> {
        self.inner.events(filter, page).await
    }

    fn follow(&self, filter: LogFilter, after: i64) -> EventStream {
        follow::resume(Arc::clone(&self.inner), filter, after, EXECUTION).boxed()
    }

    async fn tip(&self, thread: Option<&ThreadId>) -> Result<i64, GateError> {
        self.inner.tip(thread).await
    }

    async fn threads(&self, page: PageQuery) -> Result<ThreadPage, GateError> {
        self.inner.threads(page).await
    }

    async fn thread(&self, thread: &ThreadId) -> Result<ThreadSummary, GateError> {
        self.inner.thread(thread).await
    }

    async fn stats(&self, query: &StatisticsQuery) -> Result<CallStatistics, GateError> {
        self.inner.stats(query).await
    }

    async fn grants(
        &self,
        thread: &ThreadId,
        selection: GrantSelection,
        page: PageQuery,
    ) -> Result<GrantPage, GateError> {
        self.inner.grants(thread, selection, page).await
    }

    async fn revoke(&self, thread: &ThreadId, grant: i64) -> Result<GrantPage, GateError> {
        self.inner.revoke(thread, grant).await
    }

    async fn mode(&self, thread: &ThreadId) -> Result<ThreadMode, GateError> {
        self.inner.mode(thread).await
    }

    async fn set_mode(&self, thread: &ThreadId, request: &ModeRequest) -> Result<ThreadMode, GateError> {
        self.inner.set_mode(thread, request).await
    }

    async fn policies(&self, thread: &ThreadId) -> Result<ThreadPolicies, GateError> {
        self.inner.policies(thread).await
    }

    async fn set_policies(
        &self,
        thread: &ThreadId,
        request: &ToolPoliciesRequest,
    ) -> Result<ThreadPolicies, GateError> {
        self.inner.set_policies(thread, request).await
    }

    async fn add_messages(
        &self,
        thread: &ThreadId,
        request: &MessagesRequest,
    ) -> Result<MessagesReport, GateError> {
        retry_once_reached(PROPOSAL, || self.inner.add_messages(thread, request)).await
    }

    async fn conversation_view(
        &self,
        thread: &ThreadId,
        reader: ConversationReader,
        format: Option<MessageFormat>,
    ) -> Result<ConversationView, GateError> {
        self.inner.conversation_view(thread, reader, format).await
    }

    async fn messages(&self, thread: &ThreadId, page: PageQuery) -> Result<MessagePage, GateError> {
        self.inner.messages(thread, page).await
    }

    async fn policy(&self) -> Result<PolicyInForce, GateError> {
        self.inner.policy().await
    }

    async fn policy_history(&self, page: PageQuery) -> Result<EventPage, GateError> {
        self.inner.policy_history(page).await
    }

    async fn apply_policy(&self, request: &PolicyRequest) -> Result<PolicyInForce, GateError> {
        self.inner.apply_policy(request).await
    }

    async fn tokens(&self, selection: TokenSelection, page: PageQuery) -> Result<TokenPage, GateError> {
        self.inner.tokens(selection, page).await
    }

    /// Not repeated: a repetition after a lost answer would create a second token, whose secret the first caller lacks.
    async fn create_token(&self, request: &TokenRequest) -> Result<NewToken, GateError> {
        self.inner.create_token(request).await
    }

    async fn revoke_token(&self, id: &str, request: &RevokeTokenRequest) -> Result<Token, GateError> {
        self.inner.revoke_token(id, request).await
    }

    async fn approver_keys(
        &self,
        selection: ApproverKeySelection,
        page: PageQuery,
    ) -> Result<ApproverKeyPage, GateError> {
        self.inner.approver_keys(selection, page).await
    }

    async fn add_approver_key(&self, request: &ApproverKeyRequest) -> Result<ApproverKey, GateError> {
        self.inner.add_approver_key(request).await
    }

    async fn remove_approver_key(
        &self,
        id: &str,
        request: &RemoveKeyRequest,
    ) -> Result<ApproverKey, GateError> {
        self.inner.remove_approver_key(id, request).await
    }

    async fn webhooks(&self) -> Result<WebhookList, GateError> {
        self.inner.webhooks().await
    }

    /// Not repeated: the name of the webhook would be taken, and its secret lost.
    async fn add_webhook(&self, request: &WebhookRequest) -> Result<NewWebhook, GateError> {
        self.inner.add_webhook(request).await
    }

    async fn remove_webhook(&self, name: &str) -> Result<Webhook, GateError> {
        self.inner.remove_webhook(name).await
    }

    async fn test_webhook(&self, name: &str) -> Result<WebhookTestReport, GateError> {
        self.inner.test_webhook(name).await
    }

    async fn retry_webhook(&self, name: &str, request: &RetryWebhookRequest) -> Result<Webhook, GateError> {
        self.inner.retry_webhook(name, request).await
    }

    async fn advisors(&self) -> Result<AdvisorList, GateError> {
        retry(Some(INTERACTION), || self.inner.advisors()).await
    }

    async fn report_advisor(
        &self,
        name: &str,
        request: &AdvisorReportRequest,
    ) -> Result<AdvisorList, GateError> {
        retry(Some(INTERACTION), || self.inner.report_advisor(name, request)).await
    }

    async fn set_advisor_mode(
        &self,
        name: &str,
        request: &AdvisorModeRequest,
    ) -> Result<AdvisorList, GateError> {
        retry(Some(INTERACTION), || self.inner.set_advisor_mode(name, request)).await
    }

    async fn tools(&self, page: PageQuery) -> Result<ToolPage, GateError> {
        self.inner.tools(page).await
    }

    async fn tool(&self, name: &ToolName) -> Result<ToolDetails, GateError> {
        self.inner.tool(name).await
    }

    async fn define_tools(&self, request: &DefineToolsRequest) -> Result<DefineToolsReport, GateError> {
        self.inner.define_tools(request).await
    }

    async fn accept_definition(
        &self,
        name: &ToolName,
        request: &AcceptDefinitionRequest,
    ) -> Result<ToolDetails, GateError> {
        self.inner.accept_definition(name, request).await
    }

    async fn close(&self, thread: &ThreadId) -> Result<CloseReport, GateError> {
        self.inner.close(thread).await
    }

    async fn ready(&self) -> Result<ReadinessReport, GateError> {
        self.inner.ready().await
    }

    async fn status(&self) -> Result<StatusReport, GateError> {
        self.inner.status().await
    }

    async fn shut_down(&self) {
        self.inner.shut_down().await;
    }
}
