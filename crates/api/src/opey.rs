//! The bodies of the interface of Opey, whose names are in snake case.

use crate::{CallId, DecisionRequest, Json};
use countersign_events::event::Decision;
use serde::{Deserialize, Serialize};

/// A decision as a client of Opey sends it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"tool_call_id": "call_1", "approval": "approve", "approval_level": "admin"}))))]
#[serde(deny_unknown_fields)]
pub struct OpeyDecision {
    /// The call.
    pub tool_call_id: CallId,
    /// `approve` or `deny`.
    pub approval: OpeyWord,
    /// The level at which the approver decides. `once` and `session` are no levels: `once` is what every approval is, and
    /// `session` allows the tool for the rest of the thread.
    #[serde(default, alias = "level", skip_serializing_if = "Option::is_none")]
    pub approval_level: Option<String>,
}

/// The words that Opey knows for a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!("approve"))))]
#[serde(rename_all = "snake_case")]
pub enum OpeyWord {
    /// The call may run.
    Approve,
    /// The call may not run.
    Deny,
}

/// The pending calls of a thread, the oldest request first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"pending": [{
    "type": "approval_request", "tool_call_id": "call_1", "tool_name": "bash", "tool_input": {"command": "ls"}
}]}))))]
pub struct OpeyPendingList {
    /// The `approval_request` of each call.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<Object>))]
    pub pending: Vec<Json>,
}

impl OpeyDecision {
    /// The decision that it means.
    #[must_use]
    pub fn decision(&self) -> DecisionRequest {
        let level = self.approval_level.as_deref();
        let decision = match (self.approval, level) {
            (OpeyWord::Deny, _) => DecisionRequest::plain(Decision::Deny),
            (OpeyWord::Approve, Some("session")) => DecisionRequest::for_session(Json::string("tool")),
            (OpeyWord::Approve, _) => DecisionRequest::plain(Decision::AllowOnce),
        };
        let level = level.filter(|level| !matches!(*level, "once" | "session"));
        DecisionRequest { level: level.map(str::to_owned), ..decision }
    }
}
