//! A call as the gate shows it.

use crate::{
    ApprovalRequest, ApprovalResponse, CallId, CallState, Json, Principal, Sha256, ThreadId, Timestamp,
    ToolName,
};
use countersign_events::event::{self, Status};
use serde::{Deserialize, Serialize};

/// A call, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "threadId": "t1",
        "id": "call_1",
        "name": "bash",
        "state": "pending",
        "arguments": {"command": "ls"},
        "argumentsHash": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
        "proposal": {"seq": 1, "principal": "agent:builder", "at": "2026-01-31T12:00:00.000Z"},
        "request": {
            "seq": 2,
            "requestedAt": "2026-01-31T12:00:00.000Z",
            "options": ["allow_once", "allow_session", "deny"],
            "reason": "no rule matches this call",
            "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
        }
    }))))]
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// The thread it belongs to.
    pub thread_id: ThreadId,
    /// Its id, unique in the thread.
    pub id: CallId,
    /// The tool.
    pub name: ToolName,
    /// Where it stands.
    pub state: CallState,
    /// The arguments that run: as proposed, or as an approver changed them.
    pub arguments: Json,
    /// SHA-256 of the canonical form of `arguments`.
    pub arguments_hash: Sha256,
    /// Where in `arguments` something is masked (JSON pointers). The hash is over the arguments as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<String>,
    /// Who proposed it, and when.
    pub proposal: CallProposal,
    /// Hints as MCP defines them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub annotations: Option<Json>,
    /// The impact that the agent claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub impact: Option<Json>,
    /// The agent's description of its purpose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The tool's own definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<event::ToolDefinition>,
    /// SHA-256 of the canonical form of definition and annotations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition_hash: Option<Sha256>,
    /// The earlier call that this one replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<CallId>,
    /// The request, if people were asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<ApprovalRequest>,
    /// The decision, once it is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<ApprovalResponse>,
    /// The claim, once an executor made one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<CallExecution>,
    /// Who was lost over it, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<CallExecution>,
    /// That a person lets another executor take over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub released: Option<ExecutionRelease>,
    /// How it ended, once it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<CallResult>,
}

/// That a person lets another executor take over a call whose outcome is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"seq": 6, "principal": "user:ada", "at": "2026-01-31T12:10:00.000Z", "claim": 4}))))]
#[serde(rename_all = "camelCase")]
pub struct ExecutionRelease {
    /// Its event.
    pub seq: i64,
    /// Who said so.
    pub principal: Principal,
    /// When.
    pub at: Timestamp,
    /// The claim that was lost.
    pub claim: i64,
    /// And why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// The proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"seq": 1, "principal": "agent:builder", "at": "2026-01-31T12:00:00.000Z"}))))]
#[serde(rename_all = "camelCase")]
pub struct CallProposal {
    /// Its event.
    pub seq: i64,
    /// Who made it.
    pub principal: Principal,
    /// When.
    pub at: Timestamp,
}

/// The claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"seq": 4, "executor": "worker-7", "principal": "agent:builder", "startedAt": "2026-01-31T12:00:03.000Z"}))))]
#[serde(rename_all = "camelCase")]
pub struct CallExecution {
    /// Its event.
    pub seq: i64,
    /// Who runs it, in the executor's own words.
    pub executor: String,
    /// On whose behalf.
    pub principal: Principal,
    /// When it started.
    pub started_at: Timestamp,
    /// When the outcome counts as unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_expires_at: Option<Timestamp>,
}

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "seq": 5,
        "status": "success",
        "content": "README.md",
        "principal": "agent:builder",
        "at": "2026-01-31T12:00:04.000Z"
    }))))]
#[serde(rename_all = "camelCase")]
pub struct CallResult {
    /// Its event.
    pub seq: i64,
    /// How.
    pub status: Status,
    /// The result.
    pub content: Json,
    /// Who says so.
    pub principal: Principal,
    /// When.
    pub at: Timestamp,
}

impl Call {
    /// True if an executor may claim it now.
    #[must_use]
    pub fn may_run(&self) -> bool {
        self.state == CallState::Allowed
    }

    /// True if it waits for a decision.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.state == CallState::Pending
    }
}
