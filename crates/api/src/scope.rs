//! The scope of remembered decisions, the calls that a scope would have answered, and the waiting calls that it can
//! decide.

use crate::grant_limits::read_uses;
use crate::{CallId, Json, commands::maybe_word};
use countersign_events::GrantAgents;
use serde::{Deserialize, Serialize};

/// A request to preview a decision's scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"scope": {"command": "git status **"}}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScopeRequest {
    /// `"exact"`, `"tool"` or a pattern.
    #[serde(rename = "scope")]
    pub scope: Json,
    /// The agents whose calls an approval would answer, as in the decision. Only the waiting calls depend on it.
    #[serde(default, deserialize_with = "maybe_word", skip_serializing_if = "Option::is_none")]
    pub agents: Option<GrantAgents>,
    /// The number of later calls that the decision answers, as in the decision. Only the waiting calls depend on it.
    #[serde(default, deserialize_with = "read_uses", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 1_000))]
    pub uses: Option<u32>,
    /// The decision's level, as in the decision. Only the waiting calls depend on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
}

impl ScopeRequest {
    /// A request about this scope, for the call's agent and the requested level.
    #[must_use]
    pub const fn new(scope: Json) -> Self {
        Self { scope, agents: None, uses: None, level: None }
    }
}

/// The thread's calls that a decision with this scope would have answered, and those that it can decide now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "scope": {"command": "git status **"},
        "description": "command `git status **`",
        "earlier": {"compared": 12, "allows": 3, "denies": 3, "masked": 0, "calls": ["call_1", "call_4", "call_7"]},
        "waiting": {"allows": ["call_8"], "denies": ["call_8", "call_9"]}
    }))))]
#[serde(rename_all = "camelCase")]
pub struct ScopePreview {
    /// The scope, as a decision names it.
    #[serde(rename = "scope")]
    pub scope: Json,
    /// The scope description.
    pub description: String,
    /// The comparison with calls that no longer wait.
    pub earlier: EarlierCalls,
    /// The other waiting calls that the decision also decides with `andWaiting`.
    pub waiting: WaitingCalls,
}

/// The thread's calls that no longer wait and that a scope covers: among its last thousand calls, or fewer if their
/// arguments are very long.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"compared": 12, "allows": 3, "denies": 3, "masked": 0, "calls": ["call_1", "call_4", "call_7"]}))))]
#[serde(rename_all = "camelCase")]
pub struct EarlierCalls {
    /// The number of calls that were compared.
    pub compared: usize,
    /// The number of calls that a grant with this scope would have allowed.
    pub allows: usize,
    /// The number of calls that a denial with this scope would have denied. It may be greater than `allows`: a grant must
    /// match every part of a compound command, a denial only one part.
    pub denies: usize,
    /// The number of calls of the same tool whose arguments are masked. A pattern cannot be compared with them, so they
    /// are in neither count.
    #[serde(default)]
    pub masked: usize,
    /// The ids of the last ten denied calls, the newest first.
    pub calls: Vec<CallId>,
}

/// The thread's other waiting calls that a decision with this scope, by this approver, also decides with `andWaiting`;
/// at most a thousand of each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"allows": ["call_8"], "denies": ["call_8", "call_9"]}))))]
#[serde(rename_all = "camelCase")]
pub struct WaitingCalls {
    /// The calls that `allow_session` would allow, the oldest first.
    pub allows: Vec<CallId>,
    /// The calls that a remembered `deny` would deny, the oldest first.
    pub denies: Vec<CallId>,
}
