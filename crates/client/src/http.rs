//! The gate over a server, through HTTP.

use crate::connection::ServerConnection;
use async_trait::async_trait;
use countersign_api::{
    AcceptDefinitionRequest, AdvisorList, AdvisorModeRequest, AdvisorReportRequest, ApprovalGate,
    ApproverKey, ApproverKeyPage, ApproverKeyRequest, ApproverKeySelection, BulkDecisionRequest, Call,
    CallPage, CallStatistics, CallerView, CancelRequest, ClaimRequest, CloseReport, ConversationReader,
    ConversationView, DecisionAnswer, DecisionRequest, DefineToolsReport, DefineToolsRequest, EraseRequest,
    ErasureReport, EventPage, EventStream, FlagRequest, GateError, GrantPage, GrantSelection, LogFilter,
    MessagePage, MessagesReport, MessagesRequest, ModeRequest, NewToken, NewWebhook, PageQuery, PendingPage,
    PolicyInForce, PolicyRequest, ProposeRequest, ReadinessReport, ReleaseRequest, RemoveKeyRequest,
    RenewRequest, ResultRequest, RetryWebhookRequest, RevokeTokenRequest, ScopePreview, ScopeRequest,
    StatisticsQuery, StatusReport, StopReport, StopRequest, ThreadMode, ThreadPage, ThreadPolicies,
    ThreadSummary, Token, TokenPage, TokenRequest, TokenSelection, ToolDetails, ToolPage,
    ToolPoliciesRequest, Webhook, WebhookList, WebhookRequest, WebhookTestReport, retry::RetryingGate,
};
use countersign_events::{CallId, CallStateFilter, Principal, ThreadId, ToolName, event::MessageFormat};
use futures_util::StreamExt;
use std::{path::Path, sync::Arc, time::Duration};

/// The gate over a server, for the holder of one token. Cheap to clone. Without [`with_retries`](Self::with_retries), an
/// operation fails at once if the server does not answer.
#[derive(Clone)]
pub struct HttpGate {
    connection: Arc<ServerConnection>,
    by: Principal,
}

impl HttpGate {
    /// Creates a gate over the server at `url`: `http://host:port`, `https://host`, or `unix:` and the path of a socket.
    /// Sends nothing yet. The gate has no token: only a server in solo mode accepts it without one. A certificate of the server must come from an authority that
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

    /// Returns the same gate with a token, which every request carries. Fails if the text cannot be a token.
    pub fn with_token(&self, token: &str) -> Result<Self, GateError> {
        Ok(Self { connection: Arc::new(self.connection.with_token(token)?), ..self.clone() })
    }

    /// Returns the same gate with a further header in every request, as a proxy before the server may need it. Fails if
    /// its name or value is none of a header.
    pub fn with_header(&self, name: &str, value: &str) -> Result<Self, GateError> {
        Ok(Self { connection: Arc::new(self.connection.with_header(name, value)?), ..self.clone() })
    }

    /// Asks the server who the caller is, by its credential.
    pub async fn caller(&self) -> Result<CallerView, GateError> {
        self.connection.caller().await
    }

    /// Returns the same gate, which names this principal as its caller. The server alone decides by the credential who
    /// the caller is; programs only show this name.
    #[must_use]
    pub fn known_as(&self, by: Principal) -> Self {
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

    async fn propose(&self, thread: &ThreadId, request: &ProposeRequest) -> Result<Call, GateError> {
        self.connection.propose(thread, request).await
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
        self.connection.decide(thread, id, request).await
    }

    async fn decide_all(&self, request: &BulkDecisionRequest) -> Result<Vec<DecisionAnswer>, GateError> {
        request.check()?;
        self.connection.decide_all(request).await
    }

    async fn claim(&self, thread: &ThreadId, id: &CallId, request: &ClaimRequest) -> Result<Call, GateError> {
        self.connection.claim(thread, id, request).await
    }

    async fn renew_claim(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &RenewRequest,
    ) -> Result<Call, GateError> {
        self.connection.renew_claim(thread, id, request).await
    }

    async fn finish(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &ResultRequest,
    ) -> Result<Call, GateError> {
        self.connection.finish(thread, id, request).await
    }

    async fn cancel(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &CancelRequest,
    ) -> Result<Call, GateError> {
        self.connection.cancel(thread, id, request).await
    }

    async fn release(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &ReleaseRequest,
    ) -> Result<Call, GateError> {
        self.connection.release(thread, id, request).await
    }

    async fn flag(&self, thread: &ThreadId, id: &CallId, request: &FlagRequest) -> Result<Call, GateError> {
        self.connection.flag(thread, id, request).await
    }

    async fn erase(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &EraseRequest,
    ) -> Result<ErasureReport, GateError> {
        self.connection.erase(thread, id, request).await
    }

    async fn heartbeat(&self, thread: &ThreadId, id: &CallId) -> Result<Call, GateError> {
        self.connection.heartbeat(thread, id).await
    }

    async fn preview_scope(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &ScopeRequest,
    ) -> Result<ScopePreview, GateError> {
        self.connection.preview_scope(thread, id, request).await
    }

    async fn stop(&self, thread: Option<&ThreadId>, request: &StopRequest) -> Result<StopReport, GateError> {
        self.connection.stop(thread, request).await
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

    async fn stats(&self, query: &StatisticsQuery) -> Result<CallStatistics, GateError> {
        self.connection.stats(query).await
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
        self.connection.revoke(thread, grant).await
    }

    async fn mode(&self, thread: &ThreadId) -> Result<ThreadMode, GateError> {
        self.connection.mode(thread).await
    }

    async fn set_mode(&self, thread: &ThreadId, request: &ModeRequest) -> Result<ThreadMode, GateError> {
        self.connection.set_mode(thread, request).await
    }

    async fn policies(&self, thread: &ThreadId) -> Result<ThreadPolicies, GateError> {
        self.connection.policies(thread).await
    }

    async fn set_policies(
        &self,
        thread: &ThreadId,
        request: &ToolPoliciesRequest,
    ) -> Result<ThreadPolicies, GateError> {
        self.connection.set_policies(thread, request).await
    }

    async fn add_messages(
        &self,
        thread: &ThreadId,
        request: &MessagesRequest,
    ) -> Result<MessagesReport, GateError> {
        self.connection.add_messages(thread, request).await
    }

    async fn conversation_view(
        &self,
        thread: &ThreadId,
        reader: ConversationReader,
        format: Option<MessageFormat>,
    ) -> Result<ConversationView, GateError> {
        self.connection.conversation_view(thread, reader, format).await
    }

    async fn messages(&self, thread: &ThreadId, page: PageQuery) -> Result<MessagePage, GateError> {
        self.connection.messages(thread, page).await
    }

    async fn policy(&self) -> Result<PolicyInForce, GateError> {
        self.connection.policy().await
    }

    async fn policy_history(&self, page: PageQuery) -> Result<EventPage, GateError> {
        self.connection.policy_history(page).await
    }

    async fn apply_policy(&self, request: &PolicyRequest) -> Result<PolicyInForce, GateError> {
        self.connection.apply_policy(request).await
    }

    async fn tokens(&self, selection: TokenSelection, page: PageQuery) -> Result<TokenPage, GateError> {
        self.connection.tokens(selection, page).await
    }

    async fn create_token(&self, request: &TokenRequest) -> Result<NewToken, GateError> {
        self.connection.create_token(request).await
    }

    async fn revoke_token(&self, id: &str, request: &RevokeTokenRequest) -> Result<Token, GateError> {
        self.connection.revoke_token(id, request).await
    }

    async fn approver_keys(
        &self,
        selection: ApproverKeySelection,
        page: PageQuery,
    ) -> Result<ApproverKeyPage, GateError> {
        self.connection.approver_keys(selection, page).await
    }

    async fn add_approver_key(&self, request: &ApproverKeyRequest) -> Result<ApproverKey, GateError> {
        self.connection.add_approver_key(request).await
    }

    async fn remove_approver_key(
        &self,
        id: &str,
        request: &RemoveKeyRequest,
    ) -> Result<ApproverKey, GateError> {
        self.connection.remove_approver_key(id, request).await
    }

    async fn webhooks(&self) -> Result<WebhookList, GateError> {
        self.connection.webhooks().await
    }

    async fn add_webhook(&self, request: &WebhookRequest) -> Result<NewWebhook, GateError> {
        self.connection.add_webhook(request).await
    }

    async fn remove_webhook(&self, name: &str) -> Result<Webhook, GateError> {
        self.connection.remove_webhook(name).await
    }

    async fn test_webhook(&self, name: &str) -> Result<WebhookTestReport, GateError> {
        self.connection.test_webhook(name).await
    }

    async fn retry_webhook(&self, name: &str, request: &RetryWebhookRequest) -> Result<Webhook, GateError> {
        self.connection.retry_webhook(name, request).await
    }

    async fn advisors(&self) -> Result<AdvisorList, GateError> {
        self.connection.advisors().await
    }

    async fn report_advisor(
        &self,
        name: &str,
        request: &AdvisorReportRequest,
    ) -> Result<AdvisorList, GateError> {
        self.connection.report_advisor(name, request).await
    }

    async fn set_advisor_mode(
        &self,
        name: &str,
        request: &AdvisorModeRequest,
    ) -> Result<AdvisorList, GateError> {
        self.connection.set_advisor_mode(name, request).await
    }

    async fn tools(&self, page: PageQuery) -> Result<ToolPage, GateError> {
        self.connection.tools(page).await
    }

    async fn tool(&self, name: &ToolName) -> Result<ToolDetails, GateError> {
        self.connection.tool(name).await
    }

    async fn define_tools(&self, request: &DefineToolsRequest) -> Result<DefineToolsReport, GateError> {
        self.connection.define_tools(request).await
    }

    async fn accept_definition(
        &self,
        name: &ToolName,
        request: &AcceptDefinitionRequest,
    ) -> Result<ToolDetails, GateError> {
        self.connection.accept_definition(name, request).await
    }

    async fn close(&self, thread: &ThreadId) -> Result<CloseReport, GateError> {
        self.connection.close(thread).await
    }

    async fn ready(&self) -> Result<ReadinessReport, GateError> {
        self.connection.ready().await
    }

    async fn status(&self) -> Result<StatusReport, GateError> {
        self.connection.status().await
    }

    fn follow(&self, filter: LogFilter, after: i64) -> EventStream {
        Arc::clone(&self.connection).follow(filter, after).boxed()
    }

    /// Does nothing: idle connections close with the last copy of this gate.
    async fn shut_down(&self) {}
}
