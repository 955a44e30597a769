//! Who runs a call, and how it ended.

use super::Status;
use crate::{CallId, Json, Sha256, Timestamp};
use serde::{Deserialize, Serialize};

/// `TOOL_EXECUTION_STARTED`: the claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionStarted {
    /// The call that starts.
    pub tool_call_id: CallId,
    /// Who runs it, in the executor's own words.
    pub executor: String,
    /// The hash of the arguments it runs, which is the one that was approved.
    pub arguments_hash: Sha256,
    /// When to think that the executor was lost; never, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_expires_at: Option<Timestamp>,
}

/// `TOOL_EXECUTION_RELEASED`: a person says that another executor may take over, knowing that it may run twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionReleased {
    /// The call whose outcome is unknown.
    pub tool_call_id: CallId,
    /// The `seq` of the claim that was lost.
    pub claim: i64,
    /// And why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// `TOOL_EXECUTION_TAKEN_OVER`: another executor's claim after a lost one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionTakenOver {
    /// The `seq` of the claim that was lost.
    pub claim: i64,
    /// The new claim.
    #[serde(flatten)]
    pub started: ExecutionStarted,
}

/// `TOOL_RESULT`: how the call ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// The call that ended.
    pub tool_call_id: CallId,
    /// How.
    pub status: Status,
    /// The result: any JSON, kept byte for byte.
    pub content: Json,
}
