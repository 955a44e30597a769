//! Error responses: problem details (RFC 9457), each with a stable code.

use crate::{codes, request_id};
use axum::{
    Json,
    http::{HeaderValue, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use countersign_api::{self as api, ErrorCode, GateError};

/// The content type of an error.
pub(crate) const PROBLEM: &str = "application/problem+json";

/// The pause in seconds after which people may have decided some calls.
const DECISION_PAUSE: u64 = 30;
/// The value of `WWW-Authenticate` (RFC 9110, 11.6.1).
const CHALLENGE: HeaderValue = HeaderValue::from_static("Bearer realm=\"countersign\"");

/// An error response.
#[derive(Debug, Clone)]
pub struct ProblemResponse(Box<api::Problem>);

impl ProblemResponse {
    /// Creates a problem with this code, whose status is in [`codes::CODES`].
    pub(crate) fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        let status = codes::find(code).and_then(|entry| StatusCode::from_u16(entry.status).ok());
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self(Box::new(api::Problem {
            title: status.canonical_reason().unwrap_or("Error").to_owned(),
            status: status.as_u16(),
            code,
            detail: detail.into(),
            ..api::Problem::default()
        }))
    }

    /// Creates the problem for a well-formed request with an invalid value.
    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::Invalid, detail)
    }

    /// Adds the invalid parameter or header.
    pub(crate) fn with_parameter(mut self, parameter: &str) -> Self {
        self.0.parameter = Some(parameter.to_owned());
        self
    }

    /// Adds the position in the body: the line from 1, and the column in bytes.
    pub(crate) fn with_position(mut self, line: usize, column: usize) -> Self {
        (self.0.line, self.0.column) = (Some(line), Some(column));
        self
    }

    /// Adds the failed readiness check.
    pub(crate) fn with_check(mut self, check: &str) -> Self {
        self.0.check = Some(check.to_owned());
        self
    }

    /// Adds the pause in seconds after which the caller may try again.
    pub(crate) fn with_retry_after(mut self, seconds: u64) -> Self {
        self.0.retry_after = Some(seconds);
        self
    }

    /// Adds the request id. Only streams need it: they fail after their request has left the task-local scope of
    /// its id.
    pub(crate) fn with_request_id(mut self, request_id: Option<String>) -> Self {
        self.0.request_id = request_id;
        self
    }

    /// Returns the problem, to be embedded in another response.
    pub(crate) fn into_problem(self) -> api::Problem {
        *self.0
    }

    pub(crate) fn shutting_down() -> Self {
        Self::new(ErrorCode::ShuttingDown, "the server is stopping; try again with the next one")
    }
}

impl From<GateError> for ProblemResponse {
    fn from(error: GateError) -> Self {
        let mut problem = Self::new(error.code, error.detail.clone());
        if problem.0.status >= 500 {
            tracing::error!(code = error.code(), %error, "a request failed");
        }
        if error.code == ErrorCode::TooManyPending {
            problem = problem.with_retry_after(DECISION_PAUSE);
        }
        let api::ErrorFacts { reason, tip, response, vote, execution, result, statement, .. } = *error.facts;
        problem.0.reason = reason;
        problem.0.tip = tip;
        problem.0.response = response;
        problem.0.vote = vote;
        problem.0.execution = execution;
        problem.0.result = result;
        problem.0.statement = statement;
        problem
    }
}

impl From<countersign_gate::GateFailure> for ProblemResponse {
    fn from(error: countersign_gate::GateFailure) -> Self {
        GateError::from(error).into()
    }
}

impl IntoResponse for ProblemResponse {
    fn into_response(mut self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        self.0.request_id = request_id::request_id();
        let retry_after = self.0.retry_after;
        let mut response = (status, Json(self.0)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, const { HeaderValue::from_static("application/problem+json") });
        headers.insert(header::CACHE_CONTROL, const { HeaderValue::from_static("no-store") });
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, CHALLENGE);
        }
        if matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(retry_after.unwrap_or(1)));
        }
        response
    }
}

/// Creates the response after a panic. The panic message goes only to the log, because it may contain secrets.
pub(crate) fn panic_response(panic: &(dyn std::any::Any + Send)) -> Response {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a value that is not text");
    tracing::error!(panic = text, "a request ended in a panic");
    ProblemResponse::new(
        ErrorCode::Internal,
        "the server failed; its log has the details under the id of this request",
    )
    .into_response()
}

pub(crate) async fn unknown_route(uri: Uri) -> ProblemResponse {
    let detail = format!("{} does not exist; the API begins with /v1/threads", uri.path());
    ProblemResponse::new(ErrorCode::UnknownRoute, detail)
}

pub(crate) async fn wrong_method(method: Method, uri: Uri) -> ProblemResponse {
    ProblemResponse::new(ErrorCode::WrongMethod, format!("{} does not support {method}", uri.path()))
}
