//! Who runs a call, and how it ended.

use crate::event::{ErasedTexts, Status};
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
    /// The hash of the arguments it runs, which is the approved hash.
    pub arguments_hash: Sha256,
    /// When the lease ends: without a result by then, the executor is considered lost. Every claim has a lease end;
    /// only a row written by another program may have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_expires_at: Option<Timestamp>,
}

/// `TOOL_EXECUTION_RENEWED`: the executor still runs the call, and its lease ends later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionRenewed {
    /// The call that runs.
    pub tool_call_id: CallId,
    /// The current claim's executor.
    pub executor: String,
    /// The new lease end.
    pub lease_expires_at: Timestamp,
}

/// `TOOL_EXECUTION_RELEASED`: a person says that another executor may take over, knowing that it may run twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionReleased {
    /// The call whose outcome is unknown.
    pub tool_call_id: CallId,
    /// The lost claim's `seq`.
    pub claim: i64,
    /// And why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// `TOOL_EXECUTION_TAKEN_OVER`: another executor's claim after a lost one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionTakenOver {
    /// The lost claim's `seq`.
    pub claim: i64,
    /// The new claim.
    #[serde(flatten)]
    pub started: ExecutionStarted,
}

/// `TOOL_EXECUTION_MISMATCH`: the executor reports that it ran other arguments than were approved, or a call that was not
/// allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionMismatch {
    /// The call.
    pub tool_call_id: CallId,
    /// The executor that ran it, in its own words, if it has a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executor: Option<String>,
    /// The arguments that ran, with masked secrets.
    pub arguments: Json,
    /// SHA-256 of their canonical form before secrets were masked.
    pub arguments_hash: Sha256,
    /// Where in the arguments something was masked: JSON pointers (RFC 6901).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<String>,
    /// The hashes of erased content, if any was erased.
    #[serde(default, skip_serializing_if = "ErasedTexts::is_empty")]
    pub erased: ErasedTexts,
}

/// `TOOL_RESULT`: how the call ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// The call that ended.
    pub tool_call_id: CallId,
    /// How.
    pub status: Status,
    /// The result: any JSON, kept byte for byte; `null` if it was erased.
    pub content: Json,
}
