//! `GET /v1/me`, `POST` and `DELETE /v1/sessions`, `DELETE /v1/sessions/current`

use super::oidc_sign_out::sign_out_headers;
use crate::{
    AppState,
    extract::{JsonBody, NoQuery, RequestCaller, RequestSource},
    identity::{CallerIdentity, PAGE_KEY, SESSION_COOKIE, SESSION_SPANS, parse_token, session_cookie},
    openapi::refusals,
    problem::ProblemResponse,
};
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
};
use countersign_api::{self as api, ErrorCode, SendOperation, operations};
use countersign_approvals::access::{PageKey, Right, TokenHolder, TokenSecret};
use countersign_events::{Role, TokenCreated, TokenKind};
use countersign_gate::{SessionPages, view_caller};
use serde::Deserialize;

refusals!(SignInRefusals: LinkUsed);

/// The link or the token that signs a person in.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(examples(json!({"token": "csgn_0123456789ab_…"})))]
pub(super) struct SignInRequest {
    /// A link token, or a person token.
    token: String,
}

/// The headers of an answer that starts or ends a session.
type SessionHeaders<const N: usize> = [(HeaderName, HeaderValue); N];

/// The answer to a person who has signed in: the two parts of the session secret, the cookie and the page key.
pub(super) type SignedIn = (StatusCode, SessionHeaders<2>, Json<api::CallerView>);

/// The answer to a caller who was signed out: the session cookie ends.
type SignedOut = (HeaderMap, Json<api::CallerView>);

/// A session that a sign-in has begun.
pub(super) struct NewSession<'a> {
    pub(super) secret: &'a TokenSecret,
    pub(super) pages: &'a SessionPages,
    pub(super) created: TokenCreated,
}

/// Returns the caller of this request, as its credential describes it.
#[utoipa::path(
    get,
    path = "/v1/me",
    operation_id = "getCaller",
    tag = "access",
    responses((status = 200, description = "The caller.", body = api::CallerView))
)]
pub(super) async fn show_caller(
    State(app): State<AppState>,
    RequestCaller(caller): RequestCaller,
    _: NoQuery,
) -> Json<api::CallerView> {
    let view = view_caller(&caller.holder, caller.expires_at());
    let decides_at = view.person.as_ref().map(|person| app.gate.level_of(person, &caller.holder));
    Json(api::CallerView { decides_at, ..view })
}

/// Signs a person in with a link or a token, and sets a session cookie.
///
/// The browser keeps the cookie, and the page the key in `countersign-page-key`: a session needs both, because browsers
/// send cookies to all ports of a host. A link signs in once. The session ends 12 hours after its last request, after a
/// week in any case, and with the link or token that it was made from. An agent token signs no one in.
#[utoipa::path(
    post,
    path = "/v1/sessions",
    operation_id = "signIn",
    tag = "access",
    request_body(content = SignInRequest),
    responses((status = 201, description = "The person who is signed in.", body = api::CallerView, headers(
        ("set-cookie" = String, description = "The session, closed to scripts and to other sites."),
        ("countersign-page-key" = String, description = "The key that the page sends with each request."),
    )), SignInRefusals)
)]
pub(super) async fn sign_in(
    State(app): State<AppState>,
    source: RequestSource,
    _: NoQuery,
    JsonBody(request): JsonBody<SignInRequest>,
) -> Result<SignedIn, ProblemResponse> {
    let secret = parse_token(request.token.trim())?;
    let mut found = app.gate.authenticate(&secret, TokenKind::Link).await?;
    if found.is_err() {
        found = app.gate.authenticate(&secret, TokenKind::Token).await?;
    }
    let record = found.map_err(|why| ProblemResponse::new(ErrorCode::Unauthenticated, why.to_string()))?;
    if record.created.role == Role::Agent {
        let why = "the token of an agent signs no one in; use it as \"Authorization: Bearer …\"";
        return Err(ProblemResponse::new(ErrorCode::NotPermitted, why));
    }
    app.gate.record_token_use(&record, &source.origin.peer.to_string());
    let pages = SessionPages::new(source.page.clone())?;
    let (secret, created) = app.gate.start_session(&record, &pages, SESSION_SPANS).await?;
    let session = NewSession { secret: &secret, pages: &pages, created };
    Ok(answer_sign_in(&app, &source, session, &record.holder))
}

/// The answer to a person who has signed in, with the session cookie and the page key.
pub(super) fn answer_sign_in(
    app: &AppState,
    source: &RequestSource,
    NewSession { secret, pages, created }: NewSession<'_>,
    holder: &TokenHolder,
) -> SignedIn {
    let (now, end) = (app.options.clock.now(), created.ends_at.or(created.expires_at));
    let cookie = session_cookie(secret.expose(), end.unwrap_or(now), now, &source.origin);
    let holder = TokenHolder { token: Some(created.id), ..holder.clone() };
    let caller = Json(view_caller(&holder, created.expires_at));
    let headers =
        [(header::SET_COOKIE, cookie), (HeaderName::from_static(PAGE_KEY), page_key_value(&pages.key))];
    (StatusCode::CREATED, headers, caller)
}

/// The key as a header. It has only letters and digits.
fn page_key_value(key: &PageKey) -> HeaderValue {
    let mut value = HeaderValue::from_str(key.expose()).unwrap_or(HeaderValue::from_static(""));
    value.set_sensitive(true);
    value
}

/// Signs out: ends the session or revokes the token of this request.
#[utoipa::path(
    delete,
    path = "/v1/sessions/current",
    operation_id = "signOut",
    tag = "access",
    responses((status = 200, description = "The caller who was signed out.", body = api::CallerView, headers(
        ("set-cookie" = String, description = "The end of the session's cookie."),
        ("countersign-sign-out" = String, description = "The path of this server at which the browser goes on to sign out at the identity provider; absent if the session was not made there."),
    )))
)]
pub(super) async fn sign_out(
    State(app): State<AppState>,
    source: RequestSource,
    RequestCaller(caller): RequestCaller,
    _: NoQuery,
) -> Result<SignedOut, ProblemResponse> {
    if let Some(id) = caller.token() {
        let reason = Some("signed out".to_owned());
        let gate = app.gate.acting_for(&caller.holder, Right::Read);
        gate.send(operations::RevokeToken { id: id.to_owned(), body: api::RevokeTokenRequest { reason } })
            .await?;
    }
    Ok(answer_signed_out(&app, &caller, &source))
}

/// Signs out everywhere: ends all sessions of the caller. Tokens stay.
#[utoipa::path(
    delete,
    path = "/v1/sessions",
    operation_id = "signOutEverywhere",
    tag = "access",
    // An agent has no sessions.
    extensions(("x-access" = json!({"roles": ["approver", "auditor", "admin"], "allThreads": false}))),
    responses((status = 200, description = "The caller who was signed out.", body = api::CallerView, headers(
        ("set-cookie" = String, description = "The end of the session's cookie."),
        ("countersign-sign-out" = String, description = "The path of this server at which the browser goes on to sign out at the identity provider; absent if the session was not made there."),
    )))
)]
pub(super) async fn sign_out_everywhere(
    State(app): State<AppState>,
    source: RequestSource,
    RequestCaller(caller): RequestCaller,
    _: NoQuery,
) -> Result<SignedOut, ProblemResponse> {
    if caller.holder.roles == [Role::Agent] {
        return Err(ProblemResponse::new(ErrorCode::NotPermitted, "an agent has no sessions"));
    }
    app.gate.acting_for(&caller.holder, Right::Read).end_sessions().await?;
    Ok(answer_signed_out(&app, &caller, &source))
}

fn answer_signed_out(app: &AppState, caller: &CallerIdentity, source: &RequestSource) -> SignedOut {
    let mut headers = sign_out_headers(app, caller, &source.origin);
    headers.append(header::SET_COOKIE, SESSION_COOKIE.expire(&source.origin));
    (headers, Json(view_caller(&caller.holder, caller.expires_at())))
}
