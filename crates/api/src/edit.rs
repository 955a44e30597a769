//! Edit previews: whether a call could be approved with other arguments.

use crate::{ErrorCode, Json};
use serde::{Deserialize, Serialize};

/// Other arguments for a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"arguments": {"command": "git push origin main"}}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EditRequest {
    /// The arguments, as a decision would have them.
    pub arguments: Json,
}

/// What a decision with these arguments would be told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "refusal": {"code": "blocked", "detail": "blocked by policy:no force pushes: history is shared"}
    }))))]
#[serde(rename_all = "camelCase")]
pub struct EditPreview {
    /// Why the arguments would be refused; absent if they would not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<EditRefusal>,
}

/// Why arguments are refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"code": "blocked", "detail": "blocked by policy:no force pushes: history is shared"}))))]
#[serde(rename_all = "camelCase")]
pub struct EditRefusal {
    /// The error code.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub code: ErrorCode,
    /// The reason, for people.
    pub detail: String,
}
