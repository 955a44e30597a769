//! The scope of a remembered decision, and the calls that it would have answered.

use crate::{CallId, Json};
use serde::{Deserialize, Serialize};

/// A request to preview the scope of a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"scope": {"command": "git status *"}}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScopeRequest {
    /// `"exact"`, `"tool"` or a pattern.
    #[serde(rename = "scope")]
    pub scope: Json,
}

/// The calls of a thread that a decision with this scope would have answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "scope": {"command": "git status *"},
        "says": "command `git status *`",
        "allows": 3,
        "denies": 3,
        "masked": 0,
        "calls": ["call_1", "call_4", "call_7"],
        "of": 12
    }))))]
#[serde(rename_all = "camelCase")]
pub struct ScopePreview {
    /// The scope, in the form in which a decision names it.
    #[serde(rename = "scope")]
    pub scope: Json,
    /// The scope in words.
    pub says: String,
    /// The number of other calls of this thread that a grant with this scope would have allowed.
    pub allows: usize,
    /// The number of other calls that a denial with this scope would have denied. It may be greater than `allows`: a
    /// grant must match every part of a compound command, a denial only one part.
    pub denies: usize,
    /// The number of calls of the same tool whose arguments are masked. A pattern cannot be compared with them, so they
    /// are in neither count.
    #[serde(default)]
    pub masked: usize,
    /// The ids of the last ten of the denied calls, the newest first.
    pub calls: Vec<CallId>,
    /// The number of other calls that were looked at: the last thousand of this thread, or fewer if their arguments
    /// are very long.
    pub of: usize,
}
