//! Finds out who sent a request.

use super::{
    CallerIdentity, IdentifiedRequest, SESSION_SPANS,
    cookie::{SESSION_COOKIE, session_cookie},
    credential::{read_bearer, read_page_key, unauthenticated},
};
use crate::{AppState, guard::RequestOrigin, problem::ProblemResponse};
use axum::{
    extract::Request,
    http::{HeaderMap, HeaderValue},
};
use countersign_approvals::access::{TokenHolder, TokenRecord, TokenSecret};
use countersign_events::TokenKind;
use countersign_gate::SessionPages;
use std::sync::Arc;

/// Finds out who sent a request, and adds the answer to it. Returns the cookie if a session was continued.
pub(crate) async fn identify_caller(app: &AppState, request: &mut Request) -> Option<HeaderValue> {
    // The guard has found the origin of every request that comes this far.
    let origin = request.extensions().get::<RequestOrigin>().cloned()?;
    let mut identified = identify(app, request.headers(), &origin).await;
    if let Ok(identity) = &mut identified {
        identity.client = Some(app.clients.note_request(&identity.holder, request.headers()));
    }
    let mut cookie = None;
    if let Ok(CallerIdentity { record: Some(record), .. }) = &identified {
        app.gate.record_token_use(record, &origin.peer.to_string());
        if let Ok(Some(key)) = read_page_key(request.headers())
            && record.created.kind == TokenKind::Session
        {
            let pages = SessionPages { key, web_origin: None };
            cookie = continue_session(app, record, &pages, &origin).await;
        }
    }
    request.extensions_mut().insert::<IdentifiedRequest>(Arc::new(identified));
    cookie
}

async fn identify(
    app: &AppState,
    headers: &HeaderMap,
    origin: &RequestOrigin,
) -> Result<CallerIdentity, ProblemResponse> {
    if let Some(secret) = read_bearer(headers)? {
        return authenticate(app, &secret, TokenKind::Token).await;
    }
    if let Some(secret) = SESSION_COOKIE.read(headers, origin).and_then(|text| TokenSecret::parse(text).ok())
    {
        let key = read_page_key(headers)?.ok_or_else(|| {
            unauthenticated(
                "the cookie of a session counts only with the key of the page that signed in; sign in at /sign-in/",
            )
        })?;
        return authenticate(app, &secret.bound_to(&key), TokenKind::Session).await;
    }
    if let Some(identity) = &app.options.identity_header
        && origin.is_from_proxy
        && let Some(holder) = identity.read_holder(headers)?
    {
        return Ok(CallerIdentity { holder: Arc::new(holder), record: None, client: None });
    }
    if app.options.solo {
        return Ok(CallerIdentity {
            holder: Arc::new(TokenHolder::solo("local")),
            record: None,
            client: None,
        });
    }
    Err(unauthenticated(
        "the request has no credential; send a token as \"Authorization: Bearer csgn_…\" (`countersign token create` \
         makes one), or sign in at /sign-in/",
    ))
}

async fn authenticate(
    app: &AppState,
    secret: &TokenSecret,
    kind: TokenKind,
) -> Result<CallerIdentity, ProblemResponse> {
    match app.gate.authenticate(secret, kind).await? {
        Ok(record) => {
            Ok(CallerIdentity { holder: Arc::clone(&record.holder), record: Some(record), client: None })
        }
        Err(why) => Err(unauthenticated(&why.to_string())),
    }
}

/// Continues a session once half of its idle time is over. It does so once: a browser's concurrent requests keep the
/// old session.
async fn continue_session(
    app: &AppState,
    session: &TokenRecord,
    pages: &SessionPages,
    origin: &RequestOrigin,
) -> Option<HeaderValue> {
    let now = app.options.clock.now();
    let remaining = session.created.expires_at?.since(now);
    let may_last_longer = session.created.ends_at > session.created.expires_at;
    if session.has_sessions || remaining > SESSION_SPANS.idle / 2 || !may_last_longer {
        return None;
    }
    match app.gate.start_session(session, pages, SESSION_SPANS).await {
        Ok((secret, created)) => Some(session_cookie(secret.expose(), created.ends_at?, now, origin)),
        Err(error) => {
            tracing::warn!(%error, "a session was not continued");
            None
        }
    }
}
