//! Tools whose names people may take for each other.

use crate::ToolName;
use countersign_events::look_alike::Likeness;
use serde::{Deserialize, Serialize};

/// A tool whose name people may take for another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"name": "githud__create_issue", "likeness": "oneEdit"}))))]
#[serde(rename_all = "camelCase")]
pub struct LookAlike {
    /// The name.
    pub name: ToolName,
    /// How the names are alike.
    pub likeness: Likeness,
}
