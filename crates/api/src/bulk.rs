//! Deciding on several calls at once, each answered for itself.

use crate::{
    Call, CallId, DecisionRequest, GateError, Json, Problem, Sha256, ThreadId, ToolName,
    commands::{maybe_word, word},
};
use countersign_events::event::{Decision, GrantAgents};
use serde::{Deserialize, Serialize};

/// The most decisions that are taken at once.
pub const MAX_DECISIONS: usize = 1_000;

/// Decide on several calls: exactly those that were looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"decisions": [{"threadId": "t1", "id": "call_1", "decision": "allow_once"}]}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BulkDecisionRequest {
    /// The decisions, 1 to [`MAX_DECISIONS`].
    #[cfg_attr(feature = "openapi", schema(min_items = 1, max_items = 1000))]
    pub decisions: Vec<BulkDecisionItem>,
}

impl BulkDecisionRequest {
    /// Checks that there are 1 to [`MAX_DECISIONS`] decisions.
    pub fn check(&self) -> Result<(), GateError> {
        let number = self.decisions.len();
        if (1..=MAX_DECISIONS).contains(&number) {
            return Ok(());
        }
        let why = format!("there are {number}, and a request has 1 to {MAX_DECISIONS}");
        Err(GateError::invalid("decisions", &why))
    }
}

/// Decide on one of several calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"threadId": "t1", "id": "call_1", "decision": "allow_once"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BulkDecisionItem {
    /// The thread of the call.
    pub thread_id: ThreadId,
    /// Its id.
    pub id: CallId,
    /// `allow_once`, `allow_session` or `deny`.
    #[serde(deserialize_with = "word")]
    pub decision: Decision,
    /// And why: the log keeps it, and a denial tells the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The arguments that run instead of the proposed ones; only with `allow_once`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub arguments: Option<Json>,
    /// The hash of the arguments that were looked at: a decision on others is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_hash: Option<Sha256>,
    /// How wide it is remembered, as in a single decision.
    #[serde(default, rename = "scope", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub scope: Option<Json>,
    /// The agents whose later calls `allow_session` answers, as in a single decision.
    #[serde(default, deserialize_with = "maybe_word", skip_serializing_if = "Option::is_none")]
    pub agents: Option<GrantAgents>,
    /// At which level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
}

impl BulkDecisionItem {
    /// That decision on a call.
    #[must_use]
    pub fn new(thread_id: ThreadId, id: CallId, decide: DecisionRequest) -> Self {
        let DecisionRequest { decision, comment, arguments, arguments_hash, scope, agents, level } = decide;
        Self { thread_id, id, decision, comment, arguments, arguments_hash, scope, agents, level }
    }

    /// The decision by itself.
    #[must_use]
    pub fn request(&self) -> DecisionRequest {
        let Self { decision, comment, arguments, arguments_hash, scope, agents, level, .. } = self.clone();
        DecisionRequest { decision, comment, arguments, arguments_hash, scope, agents, level }
    }
}

/// The outcome of each decision, in the order of the decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"results": []}))))]
#[serde(rename_all = "camelCase")]
pub struct BulkDecisionResponse {
    /// One for each.
    pub results: Vec<BulkDecisionResult>,
}

/// The outcome of one of several decisions: the call, or the problem.
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
    /// The thread of the call.
    pub thread_id: ThreadId,
    /// Its id.
    pub id: CallId,
    /// The call, decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Call>,
    /// Why it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

/// The outcome of one of several decisions, in the gate's types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionAnswer {
    /// The thread of the call.
    pub thread_id: ThreadId,
    /// Its id.
    pub id: CallId,
    /// The call, decided, or why it was not.
    pub outcome: Result<Call, GateError>,
}

/// Deny all that waits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"tool": "deploy", "comment": "the release is off"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StopRequest {
    /// Only calls of that tool; all, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolName>,
    /// Why: the log keeps it, and the models are told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// The calls that a stop denied, and those that it could not deny.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"denied": [{"threadId": "t1", "id": "call_1"}], "cancelled": [], "left": []}))))]
#[serde(rename_all = "camelCase")]
pub struct StopReport {
    /// The calls that are denied now.
    pub denied: Vec<CallKey>,
    /// The calls that were allowed, had not started, and never will.
    #[serde(default)]
    pub cancelled: Vec<CallKey>,
    /// Calls that still wait, because others have to deny them, or more than one; the first thousand.
    pub left: Vec<CallKey>,
}

/// A call, by its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"threadId": "t1", "id": "call_1"}))))]
#[serde(rename_all = "camelCase")]
pub struct CallKey {
    /// Its thread.
    pub thread_id: ThreadId,
    /// Its id.
    pub id: CallId,
}
