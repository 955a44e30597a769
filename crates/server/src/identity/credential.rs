//! The credential in the header `Authorization` (RFC 6750), and the page key beside a session cookie.

use crate::problem::ProblemResponse;
use axum::http::{HeaderMap, header};
use countersign_api::ErrorCode;
use countersign_approvals::access::{PageKey, TokenSecret};

/// The header in which pages send the key of their session, and in which a sign-in answers with it.
pub(crate) const PAGE_KEY: &str = "countersign-page-key";

/// Returns the page key of a request; `None` without the header.
pub(super) fn read_page_key(headers: &HeaderMap) -> Result<Option<PageKey>, ProblemResponse> {
    let Some(text) = crate::extract::header(headers, PAGE_KEY)? else { return Ok(None) };
    let key = PageKey::parse(text)
        .ok_or_else(|| unauthenticated("the page key has another form; sign in again"))?;
    Ok(Some(key))
}

/// Returns the token in the header `Authorization`; `None` without the header. Fails if it is not `Bearer` and a token.
pub(super) fn read_bearer(headers: &HeaderMap) -> Result<Option<TokenSecret>, ProblemResponse> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(unauthenticated("the request has more than one Authorization header"));
    }
    let token = value.to_str().ok().and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    let token = token.ok_or_else(|| unauthenticated("Authorization must be \"Bearer\" and a token"))?;
    parse_token(token).map(Some)
}

/// Reads a token that a caller sent. The error does not repeat it.
pub(crate) fn parse_token(text: &str) -> Result<TokenSecret, ProblemResponse> {
    TokenSecret::parse(text).map_err(|why| unauthenticated(&why.to_string()))
}

/// The problem for a request without a credential, or with one that is not accepted.
pub(crate) fn unauthenticated(why: &str) -> ProblemResponse {
    ProblemResponse::new(ErrorCode::Unauthenticated, why)
}
