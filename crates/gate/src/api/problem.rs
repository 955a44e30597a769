//! Errors as they travel (RFC 9457).

use super::{Execution, Outcome, Response};
use serde::{Deserialize, Serialize};

/// `application/problem+json`. Programs switch on `code`; `detail` is for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// What the HTTP status is called.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// The stable word.
    pub code: String,
    /// What was wrong with this request, and what to do.
    pub detail: String,
    /// The decision that stands in the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Response>,
    /// The claim that stands in the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<Execution>,
    /// The result that stands in the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Outcome>,
}
