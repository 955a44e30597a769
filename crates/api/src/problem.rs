//! Error response bodies (RFC 9457).

use crate::{ApprovalResponse, ApprovalVote, CallExecution, CallResult, ErrorCode, UnavailableReason};
use serde::{Deserialize, Serialize};

/// An error, sent as `application/problem+json`. Programs switch on `code`; `detail` is for people.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "title": "Conflict",
        "status": 409,
        "code": "arguments_changed",
        "detail": "the arguments are not those that were approved",
        "requestId": "req_p8kac36y74wt"
    }))))]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// The HTTP status name.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// The stable code of the error.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub code: ErrorCode,
    /// The mistake in this request, and the remedy.
    pub detail: String,
    /// The request id in the server log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The line number of the mistake in the body, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column of the mistake in its line, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The invalid parameter or header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// The failed check: `database`, `log`, `feed` or `gate`. Only with `not_ready`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// Why the database is unavailable: `busy`, `full`, `lost` and others. Only with `database_unavailable`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = String, required = false))]
    pub reason: Option<UnavailableReason>,
    /// The pause in seconds before the next attempt. The server sends it in the header `Retry-After`, not in the body.
    #[serde(skip)]
    pub retry_after: Option<u64>,
    /// The log's last `seq`. Only with `bad_cursor`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tip: Option<i64>,
    /// The earlier decision that the request conflicts with. If a grant made it, `grantOrigin` names the person who gave
    /// the grant, as in a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<ApprovalResponse>,
    /// The earlier vote that the request conflicts with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vote: Option<ApprovalVote>,
    /// The earlier claim that the request conflicts with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<CallExecution>,
    /// The earlier result that the request conflicts with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<CallResult>,
    /// The statement that the approver must sign. Only with `proof_required`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
}
