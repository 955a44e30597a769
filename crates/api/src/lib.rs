//! The request and response types of the HTTP API, and the trait that every gate implements.
//!
//! A gate is the approval service: propose a tool call, wait for the decision, claim the call, and report its
//! result. `gate::EmbeddedGate` offers these operations over an open database, and `client::HttpGate` offers the
//! same over a server. Request types reject unknown fields; clients must accept new fields in responses.

mod advisors;
mod approver_keys;
mod bulk;
mod call;
mod chat_accounts;
mod commands;
mod conversation_view;
mod cursor;
mod daily;
mod delegations;
mod durations;
mod edit;
mod error;
mod filter;
mod gate;
mod grant_limits;
#[cfg(feature = "retry")]
pub mod held_claim;
mod look_alike;
mod messages;
mod object;
pub mod operations;
mod outcome;
mod page;
mod page_address;
mod policy;
mod policy_tools;
mod problem;
mod proposed_place;
mod push;
mod random;
mod readiness;
mod repetition;
mod request;
mod response;
#[cfg(feature = "retry")]
pub mod retry;
mod scope;
mod send_operation;
mod settings;
mod stats;
mod stats_sum;
mod status;
mod tokens;
mod tools;
mod utc_offset;
mod webhooks;

pub use advisors::{
    Advisor, AdvisorDrift, AdvisorList, AdvisorModeRequest, AdvisorReport, AdvisorReportCounts,
    AdvisorReportRequest, CallAdvice, CallFlag, FlagRequest,
};
pub use approver_keys::{
    ApproverKey, ApproverKeyPage, ApproverKeyRequest, PasskeyCreation, ProofRequest, RemoveKeyRequest,
};
pub use bulk::{
    BulkDecisionItem, BulkDecisionRequest, BulkDecisionResponse, BulkDecisionResult, CallKey, CallToStop,
    DecisionAnswer, MAX_DECISIONS, StopReport, StopRequest,
};
pub use call::{
    Call, CallArchive, CallErasure, CallExecution, CallMismatch, CallProposal, CallResult, ExecutionRelease,
    TakenBackApproval,
};
pub use chat_accounts::{ChatAccount, ChatAccountList, LinkChatAccountRequest};
pub use commands::{
    CancelRequest, ClaimRequest, DecisionRequest, EraseRequest, ErasureReport, ProposeRequest,
    ProposedDefinition, ProposedImpact, ReleaseRequest, RenewRequest, ResultRequest, TakeBackRequest,
};
pub use conversation_view::{ConversationReader, ConversationView, LeftOutPart, UnfinishedCall};
pub use countersign_events::Place;
pub use cursor::{BadLogCursor, LogCursor};
pub use daily::{DailyQuery, DailyReview, DailyRule, ObservedCalls, ReviewedCall, WithheldRule};
pub use delegations::{Delegation, DelegationList, DelegationRequest, EndDelegationRequest};
pub use durations::{DurationHistogram, DurationPercentiles};
pub use edit::{EditPreview, EditRefusal, EditRequest};
pub use error::{ErrorCode, ErrorFacts, GateError, UnavailableReason};
pub use filter::LogFilter;
pub use gate::{ApprovalGate, CallGate, EventStream, SharedCallGate, SharedGate};
pub use look_alike::LookAlike;
pub use messages::{
    Message, MessageDecision, MessageDecisionOutcome, MessagePage, MessageReceipt, MessagesReport,
    MessagesRequest, PendingCallName,
};
pub use operations::{
    AnyAnswer, AnyOperation, CallOperation, LogOperation, Operation, RetryClass, ThreadOperation,
    WireOperation,
};
pub use page::{
    CallPage, EventPage, MAX_PAGE, PageQuery, PendingPage, SelectionQuery, ThreadPage, ThreadSummary,
};
pub use page_address::{PAGE_HOST, page_address};
pub use policy::{PolicyInForce, PolicyRequest};
pub use policy_tools::{
    AnalysisExtent, CandidatePolicy, ListedRule, ManagedRuleRequest, PolicyCheckRequest, PolicyReplayRequest,
    PolicyRuleList, PolicyVerdict, PolicyWarning, RemoveManagedRuleRequest, VerdictRule, VerdictTerms,
};
pub use problem::Problem;
pub use push::{PushDevice, PushDeviceList, PushDeviceRequest, PushKeys, QuietHoursRequest};
pub use random::{fill_random, random_id};
pub use readiness::{OpenRequestCount, ReadinessReport};
pub use repetition::find_earlier_calls;
pub use request::{ApprovalRequest, ApprovalVote, DefinitionChange, EventMark, SameCall};
pub use response::{ApprovalResponse, GrantOrigin};
pub use scope::{EarlierCalls, ScopePreview, ScopeRequest, WaitingCalls};
pub use send_operation::SendOperation;
pub use settings::{
    CloseReport, Grant, GrantEnd, GrantEndCause, GrantPage, ModeRequest, ProlongRequest, ThreadMode,
    ThreadPolicies, ThreadToolPolicy, ToolPoliciesRequest,
};
pub use stats::{
    CallCounts, CallStatistics, DayStatistics, MAX_STATISTICS_DAYS, MAX_STATISTICS_RULES,
    MAX_STATISTICS_THINGS, RuleHits, StatisticsQuery, ToolStatistics, TouchedThing,
};
pub use stats_sum::{count_all_calls, most_touched, sort_rules, sort_tools};
pub use status::{
    AgentActivity, ApproverActivity, ConnectedClient, ExecutorClaim, PendingOverview, ServiceReport,
    StatusReport, ThreadPendingCount, WebhookDeliveryStatus,
};
pub use tokens::{CallerView, NewToken, RevokeTokenRequest, Token, TokenPage, TokenRequest, TokenState};
pub use tools::{
    AcceptDefinitionRequest, DefineToolsReport, DefineToolsRequest, DefinitionAcceptance, KnownTool, MetTool,
    RecordedDefinition, ToolApproval, ToolDetails, ToolPage,
};
pub use utc_offset::{NotADate, NotAnOffset, UtcOffset};
pub use webhooks::{
    FailingMessage, NewWebhook, ParkedMessageView, RetryWebhookRequest, RotateWebhookRequest, Webhook,
    WebhookList, WebhookRequest, WebhookTestReport,
};

// The parameter types of the trait, so that a caller needs no other crate.
pub use countersign_events::{
    CallId, CallState, CallStateFilter, EffectPattern, Event, EventType, Json, Principal, Sha256, ThreadId,
    Timestamp, ToolName,
};

/// Parses a thread's id. The error names the field `thread`.
pub fn parse_thread_id(thread: &str) -> Result<ThreadId, GateError> {
    ThreadId::new(thread).map_err(|why| GateError::invalid("thread", &why))
}

/// Parses a tool's name. The error names the field `tool`.
pub fn parse_tool_name(name: &str) -> Result<ToolName, GateError> {
    ToolName::new(name).map_err(|why| GateError::invalid("tool", &why))
}

/// Parses a call's id. The error names the field `id`.
pub fn parse_call_id(id: &str) -> Result<CallId, GateError> {
    CallId::new(id).map_err(|why| GateError::invalid("id", &why))
}
