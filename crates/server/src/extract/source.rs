//! Extracts where a request comes from.

use crate::{guard::RequestOrigin, problem::ProblemResponse};
use axum::{
    extract::FromRequestParts,
    http::{header, request::Parts},
};
use countersign_api::ErrorCode;

/// Where a request comes from.
pub(crate) struct RequestSource {
    /// The client and the address that it used, to this server or to a trusted proxy.
    pub(crate) origin: RequestOrigin,
    /// The origin of the page that sent the request, if it is this server's page; `None` for programs other than
    /// browsers.
    pub(crate) page: Option<String>,
}

impl<S: Sync> FromRequestParts<S> for RequestSource {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ProblemResponse> {
        let why = || ProblemResponse::new(ErrorCode::Internal, "the origin of this request is not known");
        let origin = parts.extensions.get::<RequestOrigin>().ok_or_else(why)?.clone();
        // The guard has checked that a named page belongs to this server, or to an origin that the settings name.
        let is_own = |sent: &&str| origin.page_origin.as_deref() == Some(*sent);
        let sent = parts.headers.get(header::ORIGIN).and_then(|sent| sent.to_str().ok());
        let page = sent.filter(is_own).map(str::to_owned);
        Ok(Self { origin, page })
    }
}
