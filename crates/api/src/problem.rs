//! Errors as they travel (RFC 9457).

use crate::{ApprovalResponse, ApprovalVote, CallExecution, CallResult, ErrorCode, UnavailableReason};
use serde::{Deserialize, Serialize};

/// `application/problem+json`. Programs switch on `code`; `detail` is for people.
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
    /// The name of the HTTP status.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// The stable word.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub code: ErrorCode,
    /// The mistake in this request, and the remedy.
    pub detail: String,
    /// Under which id the server's log speaks of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The line of the body where it is wrong, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column of that line, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The parameter or header that is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// The check that fails, if the server is not ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// Why the database is unavailable: `busy`, `full`, `lost` and others. Only with `database_unavailable`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = String, required = false))]
    pub reason: Option<UnavailableReason>,
    /// After how many seconds the server would like to be asked again: a header says so, and not the body.
    #[serde(skip)]
    pub retry_after: Option<u64>,
    /// The decision that stands in the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<ApprovalResponse>,
    /// The vote that stands in the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vote: Option<ApprovalVote>,
    /// The claim that stands in the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<CallExecution>,
    /// The result that stands in the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<CallResult>,
}
