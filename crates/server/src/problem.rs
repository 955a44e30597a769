//! Errors as they leave the server: the only place that knows status codes.

use axum::{
    Json,
    http::{Method, StatusCode, Uri, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use countersign_gate::{Error, Refused, StoreError, api};

/// An error on its way out.
#[derive(Debug)]
pub(crate) struct Problem(Box<api::Problem>);

impl Problem {
    pub(crate) fn new(status: StatusCode, code: &str, detail: impl Into<String>) -> Self {
        Self(Box::new(api::Problem {
            title: status.canonical_reason().unwrap_or("Error").to_owned(),
            status: status.as_u16(),
            code: code.to_owned(),
            detail: detail.into(),
            response: None,
            execution: None,
            result: None,
        }))
    }

    pub(crate) fn shutting_down() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "shutting_down",
            "the server is stopping; try again with the next one",
        )
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let status = match &error {
            Error::Refused(refused) => of_refusal(refused),
            Error::Store(error) => of_store(error),
            Error::Remote(problem) => StatusCode::from_u16(problem.status).unwrap_or(StatusCode::BAD_GATEWAY),
            Error::Unreachable { .. } | Error::Strange { .. } => StatusCode::BAD_GATEWAY,
            Error::FeedBehind { .. } => StatusCode::SERVICE_UNAVAILABLE,
            Error::BadUrl { .. } | Error::OnlyOverAFile => StatusCode::UNPROCESSABLE_ENTITY,
        };
        if status.is_server_error() {
            tracing::error!(code = error.code(), %error, "a request failed");
        }
        let mut problem = Self::new(status, error.code(), error.to_string());
        problem.0.response = error.response();
        problem.0.execution = error.execution();
        problem.0.result = match &error {
            Error::Refused(Refused::AlreadyFinished { result }) => Some(result.as_ref().into()),
            _ => None,
        };
        problem
    }
}

fn of_refusal(refused: &Refused) -> StatusCode {
    match refused {
        Refused::UnknownCall { .. } | Refused::UnknownGrant { .. } | Refused::UnknownThread(_) => {
            StatusCode::NOT_FOUND
        }
        Refused::NotAnApprover(_) | Refused::SelfApproval(_) => StatusCode::FORBIDDEN,
        Refused::Invalid { .. } | Refused::NotOffered(_) => StatusCode::UNPROCESSABLE_ENTITY,
        Refused::CallDiffers { .. }
        | Refused::AlreadyDecided { .. }
        | Refused::NotAllowed { .. }
        | Refused::AlreadyClaimed { .. }
        | Refused::AlreadyFinished { .. }
        | Refused::NotClaimed { .. }
        | Refused::NotTheExecutor { .. }
        | Refused::ArgumentsChanged { .. }
        | Refused::Blocked { .. }
        | Refused::ThreadClosed { .. } => StatusCode::CONFLICT,
    }
}

fn of_store(error: &StoreError) -> StatusCode {
    match error {
        StoreError::Refused(refused) => of_refusal(refused),
        StoreError::Damaged(_) | StoreError::Corrupt { .. } => StatusCode::INTERNAL_SERVER_ERROR,
        StoreError::Full(_) => StatusCode::INSUFFICIENT_STORAGE,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let retry = status == StatusCode::SERVICE_UNAVAILABLE || status == StatusCode::INSUFFICIENT_STORAGE;
        let mut response = (status, Json(self.0)).into_response();
        let headers = response.headers_mut();
        headers
            .insert(CONTENT_TYPE, const { axum::http::HeaderValue::from_static("application/problem+json") });
        if retry {
            headers.insert("retry-after", const { axum::http::HeaderValue::from_static("1") });
        }
        response
    }
}

pub(crate) async fn unknown_route(uri: Uri) -> Problem {
    let detail = format!("there is nothing at {}; the API begins with /v1/threads", uri.path());
    Problem::new(StatusCode::NOT_FOUND, "unknown_route", detail)
}

pub(crate) async fn wrong_method(method: Method, uri: Uri) -> Problem {
    let detail = format!("{} does not take {method}", uri.path());
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "wrong_method", detail)
}
