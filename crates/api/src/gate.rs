//! The operations that every gate offers, over a database or over a server.

use crate::{
    AcceptDefinitionRequest, AdvisorList, AdvisorModeRequest, AdvisorReportRequest, ApproverKey,
    ApproverKeyPage, ApproverKeyRequest, ApproverKeySelection, BulkDecisionRequest, Call, CallId, CallPage,
    CallStateFilter, CallStatistics, CancelRequest, ClaimRequest, CloseReport, ConversationReader,
    ConversationView, DecisionAnswer, DecisionRequest, DefineToolsReport, DefineToolsRequest, EraseRequest,
    ErasureReport, Event, EventPage, FlagRequest, GateError, GrantPage, GrantSelection, LogFilter,
    MessagePage, MessagesReport, MessagesRequest, ModeRequest, NewToken, NewWebhook, PageQuery, PendingPage,
    PolicyInForce, PolicyRequest, Principal, ProposeRequest, ReadinessReport, ReleaseRequest,
    RemoveKeyRequest, RenewRequest, ResultRequest, RetryWebhookRequest, RevokeTokenRequest, ScopePreview,
    ScopeRequest, StatisticsQuery, StatusReport, StopReport, StopRequest, ThreadId, ThreadMode, ThreadPage,
    ThreadPolicies, ThreadSummary, Token, TokenPage, TokenRequest, TokenSelection, ToolDetails, ToolName,
    ToolPage, ToolPoliciesRequest, Webhook, WebhookList, WebhookRequest, WebhookTestReport,
};
use async_trait::async_trait;
use countersign_events::event::MessageFormat;
use futures_util::Stream;
use std::{pin::Pin, sync::Arc, time::Duration};

/// Events in log order, until the stream fails or its gate is closed.
pub type EventStream = Pin<Box<dyn Stream<Item = Result<Arc<Event>, GateError>> + Send>>;

/// A gate that was chosen at run time. Cheap to clone.
pub type SharedGate = Arc<dyn ApprovalGate>;

/// The approval service, as one principal uses it.
///
/// Every operation acts for [`principal`](Self::principal). Repeating an operation with the same request is safe:
/// the gate answers with the state after the first one. The exception is a claim: a second claim is refused.
#[async_trait]
pub trait ApprovalGate: Send + Sync {
    /// Returns the principal that this gate acts for. Over a server, it is the one that the credential names, as far as the
    /// gate knows it.
    fn principal(&self) -> &Principal;

    /// Proposes a call, which the policy then judges. Proposing it again returns its current state.
    async fn propose(&self, thread: &ThreadId, request: &ProposeRequest) -> Result<Call, GateError>;

    /// Waits until the call is decided, for at most `timeout`, and then returns its state. Without `timeout`, waits
    /// without a limit.
    async fn wait(
        &self,
        thread: &ThreadId,
        id: &CallId,
        timeout: Option<Duration>,
    ) -> Result<Call, GateError>;

    /// Returns the current state of a call.
    async fn call(&self, thread: &ThreadId, id: &CallId) -> Result<Call, GateError>;

    /// Decides on a call. Repeating the decision succeeds; a different decision is refused, and the error contains the
    /// first.
    async fn decide(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &DecisionRequest,
    ) -> Result<Call, GateError>;

    /// Decides on several calls. Each decision has its own answer, in the order of the request.
    async fn decide_all(&self, request: &BulkDecisionRequest) -> Result<Vec<DecisionAnswer>, GateError>;

    /// Claims a call, to start it. After success, run the `arguments` of the answer and nothing else.
    async fn claim(&self, thread: &ThreadId, id: &CallId, request: &ClaimRequest) -> Result<Call, GateError>;

    /// Extends the lease of a claim. A renewal writes nothing while most of the lease remains.
    async fn renew_claim(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &RenewRequest,
    ) -> Result<Call, GateError>;

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

    /// Lets another executor take over a call whose outcome is unknown. Only people may release a call, because it may
    /// run twice.
    async fn release(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &ReleaseRequest,
    ) -> Result<Call, GateError>;

    /// Complains that a call was allowed. Only people may. Repeating it succeeds.
    async fn flag(&self, thread: &ThreadId, id: &CallId, request: &FlagRequest) -> Result<Call, GateError>;

    /// Erases the texts of a call that has ended: arguments, descriptions, comments and the content of the result. Their
    /// hashes stay, and so does everything else. Only people may. To repeat it writes nothing, and clears the files again.
    async fn erase(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &EraseRequest,
    ) -> Result<ErasureReport, GateError>;

    /// Tells that the proposer of a pending call still waits for its decision. An open [`wait`](Self::wait) tells the same
    /// by itself.
    async fn heartbeat(&self, thread: &ThreadId, id: &CallId) -> Result<Call, GateError>;

    /// Counts the calls of the thread's recent history that a decision with this scope would have answered.
    async fn preview_scope(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &ScopeRequest,
    ) -> Result<ScopePreview, GateError>;

    /// Denies every pending call, of one thread or of all threads, in one transaction. Only people may stop calls. The
    /// report lists the calls that are still pending, because this principal may not deny them or they need more
    /// denials.
    async fn stop(&self, thread: Option<&ThreadId>, request: &StopRequest) -> Result<StopReport, GateError>;

    /// Lists the pending calls, the oldest request first.
    async fn pending(&self, filter: &LogFilter, page: PageQuery) -> Result<PendingPage, GateError>;

    /// Lists the calls, the newest proposal first; with `state`, only those that it selects.
    async fn calls(
        &self,
        filter: &LogFilter,
        state: Option<CallStateFilter>,
        page: PageQuery,
    ) -> Result<CallPage, GateError>;

    /// Returns a page of the log, in order.
    async fn events(&self, filter: &LogFilter, page: PageQuery) -> Result<EventPage, GateError>;

    /// Streams every event with a `seq` above `after`, once and in order: first the recorded events, then new ones as
    /// they are written.
    fn follow(&self, filter: LogFilter, after: i64) -> EventStream;

    /// Returns the `seq` of the last event of the thread, or of the whole log; 0 without events.
    async fn tip(&self, thread: Option<&ThreadId>) -> Result<i64, GateError>;

    /// Lists the threads, the most recently active first.
    async fn threads(&self, page: PageQuery) -> Result<ThreadPage, GateError>;

    /// Returns the summary of a thread. Fails if the thread has no events.
    async fn thread(&self, thread: &ThreadId) -> Result<ThreadSummary, GateError>;

    /// Counts the calls that were proposed in the time span of the query: a page of them, which reads a limited part of the
    /// log, the newest first. [`count_all_calls`](crate::count_all_calls) adds the pages up.
    async fn stats(&self, query: &StatisticsQuery) -> Result<CallStatistics, GateError>;

    /// Lists the active grants of a thread, or all of them, the oldest first.
    async fn grants(
        &self,
        thread: &ThreadId,
        selection: GrantSelection,
        page: PageQuery,
    ) -> Result<GrantPage, GateError>;

    /// Revokes a grant, so that it answers no more calls, and returns the first page of the remaining grants. Only
    /// people may revoke a grant.
    async fn revoke(&self, thread: &ThreadId, grant: i64) -> Result<GrantPage, GateError>;

    /// Returns the mode of a thread.
    async fn mode(&self, thread: &ThreadId) -> Result<ThreadMode, GateError>;

    /// Sets the mode of a thread. Only people may set it.
    async fn set_mode(&self, thread: &ThreadId, request: &ModeRequest) -> Result<ThreadMode, GateError>;

    /// Returns the tool policies of a thread.
    async fn policies(&self, thread: &ThreadId) -> Result<ThreadPolicies, GateError>;

    /// Sets tool policies of a thread. Only people may set them.
    async fn set_policies(
        &self,
        thread: &ThreadId,
        request: &ToolPoliciesRequest,
    ) -> Result<ThreadPolicies, GateError>;

    /// Adds messages to the conversation of a thread. A message that the log has already, at its place, is not stored
    /// again.
    async fn add_messages(
        &self,
        thread: &ThreadId,
        request: &MessagesRequest,
    ) -> Result<MessagesReport, GateError>;

    /// Lists the conversation of a thread. The cursor of a page is the place of its first message.
    async fn messages(&self, thread: &ThreadId, page: PageQuery) -> Result<MessagePage, GateError>;

    /// Returns the whole conversation of a thread in one format, for a model or for a client. Without a format, it is that
    /// of its last message.
    async fn conversation_view(
        &self,
        thread: &ThreadId,
        reader: ConversationReader,
        format: Option<MessageFormat>,
    ) -> Result<ConversationView, GateError>;

    /// Returns the policy in force.
    async fn policy(&self) -> Result<PolicyInForce, GateError>;

    /// Returns the events that put policies in force, the oldest first.
    async fn policy_history(&self, page: PageQuery) -> Result<EventPage, GateError>;

    /// Puts a policy in force. Only people may, and only if they know the one that it replaces. A policy that is in force
    /// already changes nothing.
    async fn apply_policy(&self, request: &PolicyRequest) -> Result<PolicyInForce, GateError>;

    /// Lists tokens, the oldest first.
    async fn tokens(&self, selection: TokenSelection, page: PageQuery) -> Result<TokenPage, GateError>;

    /// Creates a token. The answer alone contains its secret.
    async fn create_token(&self, request: &TokenRequest) -> Result<NewToken, GateError>;

    /// Revokes a token, with everything that was made from it. Repeating it succeeds.
    async fn revoke_token(&self, id: &str, request: &RevokeTokenRequest) -> Result<Token, GateError>;

    /// Lists the keys of approvers, the oldest first, with the identity of the log.
    async fn approver_keys(
        &self,
        selection: ApproverKeySelection,
        page: PageQuery,
    ) -> Result<ApproverKeyPage, GateError>;

    /// Adds a key of an approver. Repeating it succeeds.
    async fn add_approver_key(&self, request: &ApproverKeyRequest) -> Result<ApproverKey, GateError>;

    /// Removes a key of an approver, whose proofs are not accepted from then on. Repeating it succeeds.
    async fn remove_approver_key(
        &self,
        id: &str,
        request: &RemoveKeyRequest,
    ) -> Result<ApproverKey, GateError>;

    /// Lists the webhooks, the oldest first, with the messages that are not delivered.
    async fn webhooks(&self) -> Result<WebhookList, GateError>;

    /// Adds a webhook. The answer alone contains its signing secret. Only people may.
    async fn add_webhook(&self, request: &WebhookRequest) -> Result<NewWebhook, GateError>;

    /// Removes the webhook with this name, and returns it as it was. Only people may.
    async fn remove_webhook(&self, name: &str) -> Result<Webhook, GateError>;

    /// Sends a test message to the target of a webhook, once.
    async fn test_webhook(&self, name: &str) -> Result<WebhookTestReport, GateError>;

    /// Sends parked messages of a webhook again. Only people may.
    async fn retry_webhook(&self, name: &str, request: &RetryWebhookRequest) -> Result<Webhook, GateError>;

    /// Lists the advisors of the policy in force, with the mode in effect of each.
    async fn advisors(&self) -> Result<AdvisorList, GateError>;

    /// Records a report on an advisor. Only people may.
    async fn report_advisor(
        &self,
        name: &str,
        request: &AdvisorReportRequest,
    ) -> Result<AdvisorList, GateError>;

    /// Lets an advisor decide, or only advise. Only people may. Repeating it succeeds.
    async fn set_advisor_mode(
        &self,
        name: &str,
        request: &AdvisorModeRequest,
    ) -> Result<AdvisorList, GateError>;

    /// Lists the tools whose definitions the log knows.
    async fn tools(&self, page: PageQuery) -> Result<ToolPage, GateError>;

    /// Returns a tool with its definitions and their differences.
    async fn tool(&self, name: &ToolName) -> Result<ToolDetails, GateError>;

    /// Records the definitions of tools that an agent met, as far as the log does not have them.
    async fn define_tools(&self, request: &DefineToolsRequest) -> Result<DefineToolsReport, GateError>;

    /// Accepts a definition of a tool. Only people may. Repeating it succeeds.
    async fn accept_definition(
        &self,
        name: &ToolName,
        request: &AcceptDefinitionRequest,
    ) -> Result<ToolDetails, GateError>;

    /// Closes a thread: its grants end, its pending calls are cancelled, and it accepts no new calls.
    async fn close(&self, thread: &ThreadId) -> Result<CloseReport, GateError>;

    /// Checks that the log accepts writes and that the feed keeps up with it.
    async fn ready(&self) -> Result<ReadinessReport, GateError>;

    /// Reports who is connected and what is pending, as far as this gate can know.
    async fn status(&self) -> Result<StatusReport, GateError>;

    /// Ends background tasks and closes connections. This also closes every copy of the gate.
    async fn shut_down(&self);
}
