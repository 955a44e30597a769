//! The settings of the log and of a thread.

use super::{Mode, ToolPolicy};
use crate::{Sha256, ToolName};
use serde::{Deserialize, Serialize};

/// `POLICY_SET`: the policy in force from here on. It belongs to the log as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicySet {
    /// The text of the policy's main file.
    pub text: String,
    /// The texts of the files in `policy.d`, in the order of their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<PolicyLayer>,
    /// The hash of the texts, which the requests and responses of this policy carry.
    pub hash: Sha256,
    /// The place that the texts came from, for people: a file, `shipped`, or an earlier event.
    pub source: String,
}

/// A further file of a policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "name": "policy.d/10-security.toml",
        "text": "[[rule]]\nname = \"no force pushes\"\ntool = \"bash\"\ncommand = \"git push*--force*\"\nverdict = \"block\"\n"
    }))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicyLayer {
    /// The name of the file, such as `policy.d/10-security.toml`.
    pub name: String,
    /// Its text.
    pub text: String,
}

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
