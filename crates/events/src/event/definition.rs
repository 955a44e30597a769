//! The definitions that tools give of themselves, as the log knows them. The first one is accepted as it is. A later one
//! answers to no earlier approval until a person has accepted it.

use super::ToolDefinition;
use crate::{Json, Sha256, ToolName};
use serde::{Deserialize, Serialize};

/// `DEFINITION_SEEN`: the first definition of a tool. `DEFINITION_CHANGED`: another one, which no person has accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SeenDefinition {
    /// The tool.
    pub tool: ToolName,
    /// The hash of the definition and the annotations, before anything was masked.
    pub definition_hash: Sha256,
    /// The description and the schema. Absent if they are too large to keep, and in a state that needs only the hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<ToolDefinition>,
    /// The hints as MCP defines them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Json>,
    /// True if something in it was masked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
}

/// `DEFINITION_ACCEPTED`: approvals answer calls with this definition again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DefinitionAccepted {
    /// The tool.
    pub tool: ToolName,
    /// The hash of the definition that the person looked at.
    pub definition_hash: Sha256,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}
