//! The bodies of the interface of Lace, whose clients know neither pages nor scopes.

use crate::{Call, CallId, Json, Timestamp, ToolName};
use countersign_events::event::Decision;
use serde::{Deserialize, Serialize};

/// A decision as a client of Lace sends it. `allow_session` is for the whole tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"decision": "allow_once"}))))]
#[serde(deny_unknown_fields)]
pub struct LaceDecision {
    /// `allow_once`, `allow_session` or `deny`.
    pub decision: LaceWord,
}

/// The words that Lace knows for a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!("allow_once"))))]
#[serde(rename_all = "snake_case")]
pub enum LaceWord {
    /// This call may run.
    AllowOnce,
    /// This call and later ones of its tool may run.
    AllowSession,
    /// This call may not run.
    Deny,
}

/// The answer to a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"success": true}))))]
pub struct LaceAnswer {
    /// True: a decision that was not made is an error.
    pub success: bool,
}

/// The pending calls of a thread, the oldest request first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"pendingApprovals": []}))))]
#[serde(rename_all = "camelCase")]
pub struct LacePendingList {
    /// The calls.
    pub pending_approvals: Vec<LacePendingApproval>,
}

/// A pending call, in the columns of Lace's query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "tool_call_id": "call_1",
        "tool_call_data": {"id": "call_1", "name": "bash", "arguments": {"command": "ls"}},
        "requested_at": "2026-01-31T12:00:00.000Z"
    }))))]
pub struct LacePendingApproval {
    /// The id of the call.
    pub tool_call_id: CallId,
    /// The call.
    pub tool_call_data: LaceToolCall,
    /// The time of the request.
    pub requested_at: Timestamp,
}

/// The data of a `TOOL_CALL` event that people see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"id": "call_1", "name": "bash", "arguments": {"command": "ls"}}))))]
pub struct LaceToolCall {
    /// The id of the call.
    pub id: CallId,
    /// The name of the tool.
    pub name: ToolName,
    /// The arguments, with secrets masked.
    pub arguments: Json,
    /// Hints about the tool, as MCP defines them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub annotations: Option<Json>,
}

impl LaceWord {
    /// The decision that it means.
    #[must_use]
    pub const fn decision(self) -> Decision {
        match self {
            Self::AllowOnce => Decision::AllowOnce,
            Self::AllowSession => Decision::AllowSession,
            Self::Deny => Decision::Deny,
        }
    }
}

impl LacePendingApproval {
    /// The call as a client of Lace sees it; `None` if it is not pending.
    #[must_use]
    pub fn from_call(call: Call) -> Option<Self> {
        let requested_at = call.request.as_ref()?.requested_at;
        let data = LaceToolCall {
            id: call.id.clone(),
            name: call.name,
            arguments: call.arguments,
            annotations: call.annotations,
        };
        Some(Self { tool_call_id: call.id, tool_call_data: data, requested_at })
    }
}
