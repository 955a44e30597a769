//! The bodies of the Lace interface, whose clients know neither pages nor scopes.
//!
//! Sources: the approval design of Lace, and the web client of obra/lace: `useSessionEvents` (July 2025), and
//! `ToolApprovalProvider` with superjson (<https://github.com/flightcontrolhq/superjson>) since August 2025.

use countersign_api::{Call, CallId, GateError, Json, ThreadId, Timestamp, ToolName};
use countersign_events::{Decision, json::JsonTree};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A decision as a client of Lace sends it. `allow_session` is for the whole tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({"decision": "allow_once"})))]
#[serde(deny_unknown_fields)]
pub(crate) struct LaceDecision {
    /// `allow_once`, `allow_session` or `deny`.
    pub(crate) decision: LaceWord,
}

/// The words that Lace knows for a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!("allow_once")))]
#[serde(rename_all = "snake_case")]
pub(crate) enum LaceWord {
    /// This call may run.
    AllowOnce,
    /// This call and later ones of its tool may run.
    AllowSession,
    /// This call may not run.
    Deny,
}

/// The answer to a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({"success": true, "json": {"success": true}})))]
pub(crate) struct LaceAnswer {
    /// True: a decision that was not made is an error.
    pub(crate) success: bool,
    /// The same, where clients since August 2025 read it.
    pub(crate) json: LaceSuccess,
}

/// The answer to a decision, as superjson writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({"success": true})))]
pub(crate) struct LaceSuccess {
    /// True.
    pub(crate) success: bool,
}

impl LaceAnswer {
    /// The decision is made.
    pub(crate) const SUCCESS: Self = Self { success: true, json: LaceSuccess { success: true } };
}

/// The pending calls of a thread or a session, the oldest request first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({"pendingApprovals": [], "json": [], "meta": {"values": {}}})))]
#[serde(rename_all = "camelCase")]
pub(crate) struct LacePendingList {
    /// The calls.
    pub(crate) pending_approvals: Vec<LacePendingApproval>,
    /// The same, where clients since August 2025 read it: superjson takes the value of `json`.
    pub(crate) json: Vec<LacePendingApproval>,
    /// The types that superjson gives values back: each `requestedAt` is a date.
    #[schema(value_type = Object)]
    pub(crate) meta: Json,
}

/// A pending call: the columns of Lace's query, and the members that its client reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "tool_call_id": "call_1",
    "tool_call_data": {"id": "call_1", "name": "bash", "arguments": {"command": "ls"}},
    "requested_at": "2026-01-31T12:00:00.000Z",
    "toolCallId": "call_1",
    "toolCall": {"id": "call_1", "name": "bash", "arguments": {"command": "ls"}},
    "requestedAt": "2026-01-31T12:00:00.000Z",
    "requestData": {
        "requestId": "call_1", "toolCallId": "call_1", "toolName": "bash", "input": {"command": "ls"}, "isReadOnly": false,
        "riskLevel": "moderate"
    },
    "agentId": "t"
})))]
pub(crate) struct LacePendingApproval {
    /// The call's id.
    pub(crate) tool_call_id: CallId,
    /// The call.
    pub(crate) tool_call_data: LaceToolCall,
    /// The request's time.
    pub(crate) requested_at: Timestamp,
    /// The call's id.
    #[serde(rename = "toolCallId")]
    pub(crate) client_tool_call_id: CallId,
    /// The call.
    #[serde(rename = "toolCall")]
    pub(crate) client_tool_call: LaceToolCall,
    /// The request's time.
    #[serde(rename = "requestedAt")]
    pub(crate) client_requested_at: Timestamp,
    /// What the client shows.
    #[serde(rename = "requestData")]
    pub(crate) request_data: LaceRequestData,
    /// The thread of the agent that asks.
    #[serde(rename = "agentId")]
    pub(crate) agent_id: ThreadId,
}

/// The `TOOL_CALL` event data that people see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({"id": "call_1", "name": "bash", "arguments": {"command": "ls"}})))]
pub(crate) struct LaceToolCall {
    /// The call's id.
    pub(crate) id: CallId,
    /// The tool's name.
    pub(crate) name: ToolName,
    /// The arguments, with secrets masked.
    pub(crate) arguments: Json,
    /// Hints about the tool, as MCP defines them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub(crate) annotations: Option<Json>,
}

/// What Lace's dialog shows about a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "requestId": "call_1", "toolCallId": "call_1", "toolName": "bash", "input": {"command": "ls"}, "isReadOnly": false,
    "riskLevel": "moderate"
})))]
#[serde(rename_all = "camelCase")]
pub(crate) struct LaceRequestData {
    /// The call's id.
    pub(crate) request_id: CallId,
    /// The call's id.
    pub(crate) tool_call_id: CallId,
    /// The tool's name.
    pub(crate) tool_name: ToolName,
    /// The arguments, with secrets masked.
    pub(crate) input: Json,
    /// Whether the tool claims that it only reads.
    pub(crate) is_read_only: bool,
    /// The call's purpose, as the agent describes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool_description: Option<String>,
    /// Hints about the tool, as MCP defines them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json, required = false)]
    pub(crate) tool_annotations: Option<Json>,
    /// `destructive` if the tool claims that it destroys; else `moderate`. A claim to be harmless lowers nothing.
    pub(crate) risk_level: LaceRisk,
}

/// Lace's levels of risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!("moderate")))]
#[serde(rename_all = "snake_case")]
pub(crate) enum LaceRisk {
    /// Nothing is known.
    Moderate,
    /// The tool claims that it destroys.
    Destructive,
}

impl LaceWord {
    /// The decision that it means.
    pub(crate) const fn decision(self) -> Decision {
        match self {
            Self::AllowOnce => Decision::AllowOnce,
            Self::AllowSession => Decision::AllowSession,
            Self::Deny => Decision::Deny,
        }
    }
}

impl LacePendingList {
    /// The list of these calls. Those that are not pending are left out.
    ///
    /// # Errors
    /// Never: text and lists can be encoded.
    pub(crate) fn from_calls(calls: Vec<Call>) -> Result<Self, GateError> {
        let list: Vec<_> = calls.into_iter().filter_map(LacePendingApproval::from_call).collect();
        let dates: serde_json::Map<_, _> = (0..list.len())
            .map(|index| (format!("{index}.requestedAt"), serde_json::json!(["Date"])))
            .collect();
        let meta = Json::encode(&serde_json::json!({ "values": dates }));
        let meta = meta.map_err(|why| GateError::invalid("meta", &why))?;
        Ok(Self { pending_approvals: list.clone(), json: list, meta })
    }
}

impl LacePendingApproval {
    /// The call as a client of Lace sees it; `None` if it is not pending.
    pub(crate) fn from_call(call: Call) -> Option<Self> {
        let requested_at = call.request.as_ref()?.requested_at;
        let request_data = LaceRequestData::from_call(&call);
        let data = LaceToolCall {
            id: call.id.clone(),
            name: call.name,
            arguments: call.arguments,
            annotations: call.annotations,
        };
        Some(Self {
            tool_call_id: call.id.clone(),
            tool_call_data: data.clone(),
            requested_at,
            client_tool_call_id: call.id,
            client_tool_call: data,
            client_requested_at: requested_at,
            request_data,
            agent_id: call.thread_id,
        })
    }
}

impl LaceRequestData {
    /// What a client of Lace shows about a call.
    pub(crate) fn from_call(call: &Call) -> Self {
        let hints = call.annotations.as_ref().and_then(JsonTree::parse);
        let hint = |name: &str| hints.as_ref().and_then(|hints| hints.bool_of(name)) == Some(true);
        Self {
            request_id: call.id.clone(),
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            input: call.arguments.clone(),
            is_read_only: hint("readOnlyHint"),
            tool_description: call.description.clone(),
            tool_annotations: call.annotations.clone(),
            risk_level: if hint("destructiveHint") { LaceRisk::Destructive } else { LaceRisk::Moderate },
        }
    }
}
