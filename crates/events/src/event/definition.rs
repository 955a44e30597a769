//! Tool definitions in the log, as the tools supply them. The first definition is accepted as it is. No earlier
//! approval covers a later definition until a person has accepted it.

use super::ToolDefinition;
use crate::{Json, Sha256, ToolName};
use serde::{Deserialize, Serialize};

macro_rules! definition_events {
    ([$next:ident $(, $rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest),*] $($rows)* Definition {
            /// A tool is known with this definition from here on. It belongs to the log as a whole.
            DefinitionSeen(SeenDefinition) = "DEFINITION_SEEN" { once_per: ["tool"], },
            /// A tool has a definition that no person has accepted.
            DefinitionChanged(SeenDefinition) = "DEFINITION_CHANGED" { once_per: ["tool", "definitionHash"], },
            /// A person accepted a tool definition.
            DefinitionAccepted(DefinitionAccepted) = "DEFINITION_ACCEPTED" { once_per: ["tool", "definitionHash"], },
        } }
    };
}
pub(super) use definition_events;

/// `DEFINITION_SEEN`: the first definition of a tool. `DEFINITION_CHANGED`: another one, which no person has accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SeenDefinition {
    /// The tool.
    pub tool: ToolName,
    /// The hash of definition and annotations, before anything was masked.
    pub definition_hash: Sha256,
    /// The description and the schema. Absent if they are too large to keep, and in a state that needs only the hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<ToolDefinition>,
    /// The hints as MCP defines them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Json>,
    /// Whether something in it was masked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
}

/// `DEFINITION_ACCEPTED`: approvals answer calls with this definition again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DefinitionAccepted {
    /// The tool.
    pub tool: ToolName,
    /// The hash of the definition that the person saw.
    pub definition_hash: Sha256,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}
