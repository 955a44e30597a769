//! `Accept`: the form of the answer, where an endpoint has two.

use crate::problem::ProblemResponse;
use axum::{
    extract::FromRequestParts,
    http::{header::ACCEPT, request::Parts},
};

/// True if the caller reads JSON and no stream. A client that names no form gets the stream.
pub(crate) struct PrefersJson(pub(crate) bool);

impl<S: Sync> FromRequestParts<S> for PrefersJson {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ProblemResponse> {
        let accepted = parts.headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
        Ok(Self(accepted.contains("application/json") && !accepted.contains("text/event-stream")))
    }
}
