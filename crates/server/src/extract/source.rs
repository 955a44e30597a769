//! The extractor of the place that a request comes from.

use crate::{guard::RequestOrigin, problem::ProblemResponse};
use axum::{extract::FromRequestParts, http::request::Parts};
use countersign_api::ErrorCode;

/// The place that a request comes from.
pub(crate) struct RequestSource {
    /// The address of the client, as events name it.
    pub(crate) peer: String,
    /// True if the client uses HTTPS, to this server or to a trusted proxy.
    pub(crate) is_https: bool,
}

impl<S: Sync> FromRequestParts<S> for RequestSource {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ProblemResponse> {
        let why = || ProblemResponse::new(ErrorCode::Internal, "the origin of this request is not known");
        let origin = parts.extensions.get::<RequestOrigin>().ok_or_else(why)?;
        Ok(Self { peer: origin.peer.to_string(), is_https: origin.is_https })
    }
}
