//! Decisions on several calls in one request, each with its own result; and the stop of all pending calls.

use crate::grant_limits::{read_grant_seconds, read_uses};
use crate::{
    Call, CallId, DecisionRequest, GateError, Json, Principal, Problem, ProofRequest, Sha256, ThreadId,
    ToolName,
    commands::{is_false, maybe_word, read_word},
    object::{read_objects, read_optional_object},
};
use countersign_events::{Decision, DecisionChannel, GrantAgents};
use serde::{Deserialize, Serialize};

/// The most decisions in one request.
pub const MAX_DECISIONS: usize = 1_000;

/// Decisions on several calls. Each decision names its call, so that only calls that the approver saw are decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"decisions": [{"threadId": "conversation-7", "id": "call_1", "decision": "allow_once"}]}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BulkDecisionRequest {
    /// The decisions, 1 to 1000.
    #[cfg_attr(feature = "openapi", schema(min_items = 1, max_items = 1000))]
    #[serde(deserialize_with = "read_objects")]
    pub decisions: Vec<BulkDecisionItem>,
}

impl BulkDecisionRequest {
    /// Checks that there are 1 to [`MAX_DECISIONS`] decisions; otherwise fails with
    /// [`ErrorCode::Invalid`](crate::ErrorCode).
    pub fn check(&self) -> Result<(), GateError> {
        let number = self.decisions.len();
        if (1..=MAX_DECISIONS).contains(&number) {
            return Ok(());
        }
        let why = format!("must contain 1 to {MAX_DECISIONS} decisions, not {number}");
        Err(GateError::invalid("decisions", &why))
    }
}

/// A decision on one of several calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"threadId": "t1", "id": "call_1", "decision": "allow_once"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BulkDecisionItem {
    /// The call's thread.
    pub thread_id: ThreadId,
    /// The call's id.
    pub id: CallId,
    /// `allow_once`, `allow_session` or `deny`.
    #[serde(deserialize_with = "read_word")]
    pub decision: Decision,
    /// The reason. The log keeps it, and the model gets a denial's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The arguments that run instead of the proposed ones; only with `allow_once`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub arguments: Option<Json>,
    /// The answers to the questions of the call, as in a single decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Vec<Vec<String>>>,
    /// The hash of the arguments that the approver saw. The decision is refused if the arguments have another hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_hash: Option<Sha256>,
    /// The scope in which the decision is remembered, as in a single decision.
    #[serde(default, rename = "scope", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub scope: Option<Json>,
    /// The agents whose later calls `allow_session` answers, as in a single decision.
    #[serde(default, deserialize_with = "maybe_word", skip_serializing_if = "Option::is_none")]
    pub agents: Option<GrantAgents>,
    /// How long the decision is remembered, in seconds, as in a single decision.
    #[serde(default, deserialize_with = "read_grant_seconds", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 2_592_000))]
    pub expires_in_seconds: Option<u32>,
    /// The number of later calls that the decision answers, as in a single decision.
    #[serde(default, deserialize_with = "read_uses", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 1_000))]
    pub uses: Option<u32>,
    /// The level at which the approver decides, as in a single decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Whether the decision also decides the calls that wait, as in a single decision.
    #[serde(default, skip_serializing_if = "is_false")]
    pub and_waiting: bool,
    /// The proof that the approver made this decision, as in a single decision. Each call needs its own.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "read_optional_object")]
    pub proof: Option<ProofRequest>,
    /// The surface on which the person decides, as in a single decision.
    #[serde(default, deserialize_with = "maybe_word", skip_serializing_if = "Option::is_none")]
    pub channel: Option<DecisionChannel>,
    /// The person in whose place the approver decides, as in a single decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_behalf_of: Option<Principal>,
}

impl BulkDecisionItem {
    /// Creates an item that makes this decision on a call.
    #[must_use]
    pub fn new(thread_id: ThreadId, id: CallId, decide: DecisionRequest) -> Self {
        let DecisionRequest {
            decision,
            comment,
            arguments,
            answers,
            arguments_hash,
            scope,
            agents,
            expires_in_seconds,
            uses,
            level,
            and_waiting,
            proof,
            channel,
            on_behalf_of,
        } = decide;
        Self {
            thread_id,
            id,
            decision,
            comment,
            arguments,
            answers,
            arguments_hash,
            scope,
            agents,
            expires_in_seconds,
            uses,
            level,
            and_waiting,
            proof,
            channel,
            on_behalf_of,
        }
    }

    /// Returns the decision without the call.
    #[must_use]
    pub fn request(&self) -> DecisionRequest {
        let Self {
            decision,
            comment,
            arguments,
            answers,
            arguments_hash,
            scope,
            agents,
            expires_in_seconds,
            uses,
            level,
            and_waiting,
            proof,
            channel,
            on_behalf_of,
            ..
        } = self.clone();
        DecisionRequest {
            decision,
            comment,
            arguments,
            answers,
            arguments_hash,
            scope,
            agents,
            expires_in_seconds,
            uses,
            level,
            and_waiting,
            proof,
            channel,
            on_behalf_of,
        }
    }
}

/// The outcome of each decision, in request order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"results": []}))))]
#[serde(rename_all = "camelCase")]
pub struct BulkDecisionResponse {
    /// One result for each decision.
    pub results: Vec<BulkDecisionResult>,
}

/// The outcome of one of several decisions: either the call or the problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "threadId": "t1",
        "id": "call_9",
        "problem": {
            "title": "Not Found",
            "status": 404,
            "code": "unknown_call",
            "detail": "thread t1 has no call call_9"
        }
    }))))]
#[serde(rename_all = "camelCase")]
pub struct BulkDecisionResult {
    /// The call's thread.
    pub thread_id: ThreadId,
    /// The call's id.
    pub id: CallId,
    /// The call, if the decision was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Call>,
    /// The problem, if the decision was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

/// The outcome of one of several decisions, in the gate's types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionAnswer {
    /// The call's thread.
    pub thread_id: ThreadId,
    /// The call's id.
    pub id: CallId,
    /// The decided call, or the reason why the decision was refused.
    pub outcome: Result<Call, GateError>,
}

/// A request to deny all pending calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"tool": "bash", "comment": "the release is off"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StopRequest {
    /// Denies only calls of this tool; without it, calls of all tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolName>,
    /// Ends only these calls, so that a person ends exactly the calls that were on show; without it, all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<Vec<CallToStop>>,
    /// The reason. The log keeps it, and the models get it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// A call that a stop ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"threadId": "t1", "id": "call_1"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CallToStop {
    /// The call's thread.
    pub thread_id: ThreadId,
    /// The call's id.
    pub id: CallId,
}

/// The calls that a stop denied, and those that it could not deny.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"denied": [{"threadId": "t1", "id": "call_1"}], "cancelled": [], "left": []}))))]
#[serde(rename_all = "camelCase")]
pub struct StopReport {
    /// The calls that the stop denied.
    pub denied: Vec<CallKey>,
    /// The calls that were allowed and had not started. The stop cancelled them.
    #[serde(default)]
    pub cancelled: Vec<CallKey>,
    /// The calls that are still pending, because the caller may not deny them or they need more denials; at most the
    /// first thousand.
    pub left: Vec<CallKey>,
}

/// A call identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"threadId": "t1", "id": "call_1"}))))]
#[serde(rename_all = "camelCase")]
pub struct CallKey {
    /// The call's thread.
    pub thread_id: ThreadId,
    /// The call's id.
    pub id: CallId,
}
