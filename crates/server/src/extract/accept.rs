//! `Accept`: the answer format, where an endpoint has two.

use crate::problem::ProblemResponse;
use axum::{
    extract::FromRequestParts,
    http::{header::ACCEPT, request::Parts},
};

/// Whether the caller reads JSON and no stream. A client that names no format gets the stream.
pub struct PrefersJson(pub bool);

impl<S: Sync> FromRequestParts<S> for PrefersJson {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ProblemResponse> {
        let accepted = parts.headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
        Ok(Self(accepted.contains("application/json") && !accepted.contains("text/event-stream")))
    }
}
