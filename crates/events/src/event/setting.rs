//! The settings of a thread.

use super::{Mode, ToolPolicy};
use crate::ToolName;
use serde::{Deserialize, Serialize};

/// `TOOL_POLICY_SET`: a thread's own rule for a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolPolicySet {
    /// The tool.
    pub tool: ToolName,
    /// The tool's policy in this thread.
    pub policy: ToolPolicy,
    /// The level that it takes to loosen it, if it restricts the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
}

/// `GRANT_REVOKED`: a standing grant was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GrantRevoked {
    /// The `seq` of the response that gave it.
    pub grant: i64,
}

/// `THREAD_MODE_SET`: how the thread answers what is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadMode {
    /// The mode.
    pub mode: Mode,
    /// The level that it takes to end it, if it denies calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
}

/// `THREAD_CLOSED`: the thread is over. It has nothing more to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadClosed {}
