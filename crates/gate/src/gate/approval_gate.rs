//! The operations of every gate: each is passed to the service with the caller and what the caller sees.

use super::EmbeddedGate;
use crate::{GateFailure, KeyRegistration};
use async_trait::async_trait;
use countersign_api::{
    AcceptDefinitionRequest, AdvisorList, AdvisorModeRequest, AdvisorReportRequest, ApprovalGate,
    ApproverKey, ApproverKeyPage, ApproverKeyRequest, ApproverKeySelection, BulkDecisionRequest, Call,
    CallPage, CallStatistics, CancelRequest, ClaimRequest, CloseReport, ConversationReader, ConversationView,
    DecisionAnswer, DecisionRequest, DefineToolsReport, DefineToolsRequest, EraseRequest, ErasureReport,
    EventPage, EventStream, FlagRequest, GateError, GrantPage, GrantSelection, LogFilter, MessagePage,
    MessagesReport, MessagesRequest, ModeRequest, NewToken, NewWebhook, PageQuery, PendingPage,
    PolicyInForce, PolicyRequest, ProposeRequest, ReadinessReport, ReleaseRequest, RemoveKeyRequest,
    RenewRequest, ResultRequest, RetryWebhookRequest, RevokeTokenRequest, ScopePreview, ScopeRequest,
    StatisticsQuery, StatusReport, StopReport, StopRequest, ThreadMode, ThreadPage, ThreadPolicies,
    ThreadSummary, Token, TokenPage, TokenRequest, TokenSelection, ToolDetails, ToolPage,
    ToolPoliciesRequest, Webhook, WebhookList, WebhookRequest, WebhookTestReport,
};
use countersign_approvals::Refused;
use countersign_events::{CallId, CallStateFilter, Principal, ThreadId, ToolName, event::MessageFormat};
use std::{sync::Arc, time::Duration};

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
        Ok(self.service.wait(&self.by, thread, id, timeout).await?)
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

    async fn flag(&self, thread: &ThreadId, id: &CallId, request: &FlagRequest) -> Result<Call, GateError> {
        Ok(self.service.flag(&self.by, thread, id, request).await?)
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
        Ok(self.service.heartbeat(&self.by, thread, id).await?)
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

    async fn stats(&self, query: &StatisticsQuery) -> Result<CallStatistics, GateError> {
        Ok(self.service.stats(query).await?)
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

    async fn add_messages(
        &self,
        thread: &ThreadId,
        request: &MessagesRequest,
    ) -> Result<MessagesReport, GateError> {
        Ok(self.service.add_messages(&self.by, thread, request).await?)
    }

    async fn conversation_view(
        &self,
        thread: &ThreadId,
        reader: ConversationReader,
        format: Option<MessageFormat>,
    ) -> Result<ConversationView, GateError> {
        Ok(self.service.conversation_view(thread, reader, format).await?)
    }

    async fn messages(&self, thread: &ThreadId, page: PageQuery) -> Result<MessagePage, GateError> {
        Ok(self.service.messages(thread, page).await?)
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

    async fn approver_keys(
        &self,
        selection: ApproverKeySelection,
        page: PageQuery,
    ) -> Result<ApproverKeyPage, GateError> {
        Ok(self.service.approver_keys(selection, page).await?)
    }

    async fn add_approver_key(&self, request: &ApproverKeyRequest) -> Result<ApproverKey, GateError> {
        // A program that opens the database administers it.
        let registration = KeyRegistration { as_admin: true, ..KeyRegistration::default() };
        Ok(self.service.add_approver_key(&self.by, request, registration).await?)
    }

    async fn remove_approver_key(
        &self,
        id: &str,
        request: &RemoveKeyRequest,
    ) -> Result<ApproverKey, GateError> {
        Ok(self.service.remove_approver_key(&self.by, id, request).await?)
    }

    async fn webhooks(&self) -> Result<WebhookList, GateError> {
        Ok(self.service.webhooks().await?)
    }

    async fn add_webhook(&self, request: &WebhookRequest) -> Result<NewWebhook, GateError> {
        Ok(self.service.add_webhook(&self.by, self.webhooks.as_deref(), request).await?)
    }

    async fn remove_webhook(&self, name: &str) -> Result<Webhook, GateError> {
        Ok(self.service.remove_webhook(&self.by, name).await?)
    }

    async fn test_webhook(&self, name: &str) -> Result<WebhookTestReport, GateError> {
        Ok(self.service.test_webhook(self.webhooks.as_deref(), name).await?)
    }

    async fn retry_webhook(&self, name: &str, request: &RetryWebhookRequest) -> Result<Webhook, GateError> {
        Ok(self.service.retry_webhook(&self.by, name, request).await?)
    }

    async fn advisors(&self) -> Result<AdvisorList, GateError> {
        Ok(self.service.advisors().await?)
    }

    async fn report_advisor(
        &self,
        name: &str,
        request: &AdvisorReportRequest,
    ) -> Result<AdvisorList, GateError> {
        self.service.report_advisor(&self.by, name, request).await?;
        Ok(self.service.advisors().await?)
    }

    async fn set_advisor_mode(
        &self,
        name: &str,
        request: &AdvisorModeRequest,
    ) -> Result<AdvisorList, GateError> {
        self.service.set_advisor_mode(&self.by, name, request).await?;
        Ok(self.service.advisors().await?)
    }

    async fn tools(&self, page: PageQuery) -> Result<ToolPage, GateError> {
        Ok(self.service.tools(&self.threads, page).await?)
    }

    async fn tool(&self, name: &ToolName) -> Result<ToolDetails, GateError> {
        Ok(self.service.tool(&self.threads, name).await?)
    }

    async fn define_tools(&self, request: &DefineToolsRequest) -> Result<DefineToolsReport, GateError> {
        Ok(self.service.define_tools(&self.by, request).await?)
    }

    async fn accept_definition(
        &self,
        name: &ToolName,
        request: &AcceptDefinitionRequest,
    ) -> Result<ToolDetails, GateError> {
        Ok(self.service.accept_definition(&self.by, name, request).await?)
    }

    async fn close(&self, thread: &ThreadId) -> Result<CloseReport, GateError> {
        Ok(self.service.close(&self.by, thread).await?)
    }

    async fn status(&self) -> Result<StatusReport, GateError> {
        Ok(self.service.status(&self.threads).await?)
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
