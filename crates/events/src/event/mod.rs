//! The rows of the log, and what each type of them says.

mod advisor;
mod approval;
mod approver_key;
mod archive;
mod body;
mod definition;
mod erasure;
mod execution;
mod kind;
mod message;
mod newer;
mod place;
mod proposal;
mod setting;
mod state;
mod token;
mod verdict;
mod webhook;
mod words;

pub use advisor::{
    AdviceTokens, AdvisorModeSet, AdvisorReported, ApprovalAdvice, CallFlagged, Confidence,
    InvalidConfidence, is_advisor_name,
};
pub use approval::{
    ApprovalEscalation, ApprovalReminder, ApprovalRequest, ApprovalResponse, ApprovalVote, ChangedDefinition,
    SameCall, SuggestedScope,
};
pub use approver_key::{ApproverKeyAdded, ApproverKeyRemoved, DecisionProof};
pub use archive::ThreadArchived;
pub use body::Body;
pub use definition::{DefinitionAccepted, SeenDefinition};
pub use erasure::{CallErased, ErasedRow, ErasedTexts};
pub use execution::{
    ExecutionMismatch, ExecutionReleased, ExecutionRenewed, ExecutionStarted, ExecutionTakenOver, ToolResult,
};
pub use kind::{EventType, NewerType, UnknownType};
pub use message::ConversationMessage;
pub use newer::NewerEvent;
pub use place::Place;
pub use proposal::{ShadowVerdict, ToolCall, ToolDefinition};
pub use setting::{GrantRevoked, PolicyLayer, PolicySet, ThreadClosed, ThreadMode, ToolPolicySet};
pub use state::{CallState, CallStateFilter};
pub use token::{ProviderAccount, TokenCreated, TokenRevoked, TokenUsed};
pub use verdict::Verdict;
pub use webhook::{WebhookAdded, WebhookDelivered, WebhookParked, WebhookRemoved, WebhookRetried};
pub use words::{
    AdviceFailure, AdviceVerdict, AdvisorMode, AdvisorProtocol, Basis, Decision, GrantAgents, MessageFormat,
    Mode, OnExpiry, ProofKind, ProofRequirement, ReportSource, RiskLevel, Role, Source, Status, TokenKind,
    ToolPolicy, UnknownWord, WebhookFormat, WebhookTopic,
};

use crate::{Json, Principal, Sha256, ThreadId, Timestamp};
use serde::{Deserialize, Serialize};

/// One row of `events`, as every reader gets it. `data` is the column's own text: fields that a newer
/// version wrote are still in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Position in the log: 1, 2, 3, … without a gap, in commit order.
    pub seq: i64,
    /// The thread it belongs to; [`ThreadId::whole_log`] for an event of the log as a whole.
    #[serde(deserialize_with = "ThreadId::deserialize_of_event")]
    pub thread_id: ThreadId,
    /// The type of the event.
    #[serde(rename = "type")]
    pub kind: EventType,
    /// When, by the clock of the process that wrote it.
    pub timestamp: Timestamp,
    /// Who caused it.
    pub principal: Principal,
    /// The facts, an object in camelCase; [`Body::read`] gives them types.
    pub data: Json,
    /// The link of the [chain](crate::chain); absent on a row inserted by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<Sha256>,
}
