//! `/sign-in/oidc` and `/sign-in/oidc/callback`: signing in at an identity provider. Browsers open them, so they answer with
//! redirects and pages.

use super::outcome_page::{failed_page, signed_in_page};
use crate::{
    AppState,
    guard::RequestOrigin,
    identity::{ACCOUNT_COOKIE, ACCOUNT_SESSION_SPANS, SIGN_IN_COOKIE, session_cookie},
    problem::ProblemResponse,
};
use axum::{
    Extension, Router,
    extract::{Query, State, rejection::QueryRejection},
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Redirect, Response},
    routing::get,
};
use countersign_api::ErrorCode;
use countersign_approvals::access::PageKey;
use countersign_gate::{AccountHolder, SessionPages};
use countersign_oidc::{FinishedSignIn, OidcProvider, ProviderAnswer, SignInError};
use std::time::Duration;

/// The path to which the provider sends the browser back.
const CALLBACK: &str = "/sign-in/oidc/callback";

/// The time for which the browser keeps the sign-in state. The state itself says when it ends.
pub(super) const COOKIE_SPAN: Duration = Duration::from_mins(10);

pub(super) fn routes() -> Router<AppState> {
    Router::new().route("/sign-in/oidc", get(begin)).route(CALLBACK, get(finish))
}

/// The session of a person who has signed in at the provider.
struct StartedSession {
    /// The session's cookie, and that of the account.
    cookies: [HeaderValue; 2],
    key: PageKey,
}

/// Sends the browser to the provider.
async fn begin(State(app): State<AppState>, Extension(origin): Extension<RequestOrigin>) -> Response {
    let attempt = async {
        let provider = find_provider(&app)?;
        let address = page_origin(&app, &origin)?;
        let now = app.options.clock.now();
        provider.begin(&format!("{address}{CALLBACK}"), now).await.map_err(|error| problem_of(&error))
    };
    match attempt.await {
        Ok(start) => {
            let cookie = SIGN_IN_COOKIE.set(&start.cookie, COOKIE_SPAN, &origin);
            with_cookie(Redirect::to(&start.location).into_response(), cookie)
        }
        Err(problem) => failed_page(problem),
    }
}

/// Reads the provider's answer, and starts the person's session.
async fn finish(
    State(app): State<AppState>,
    Extension(origin): Extension<RequestOrigin>,
    headers: HeaderMap,
    answer: Result<Query<ProviderAnswer>, QueryRejection>,
) -> Response {
    let cookie = SIGN_IN_COOKIE.read(&headers, &origin);
    let attempt = async {
        let Query(answer) = answer.map_err(|_| {
            let why = "the answer of the identity provider cannot be read; sign in again";
            ProblemResponse::new(ErrorCode::SignInFailed, why)
        })?;
        start_session(&app, &answer, cookie, &origin).await
    };
    let page = match attempt.await {
        Ok(StartedSession { cookies, key }) => cookies.into_iter().fold(signed_in_page(&key), with_cookie),
        Err(problem) => failed_page(problem),
    };
    // The state is for one attempt, successful or not.
    with_cookie(page, SIGN_IN_COOKIE.expire(&origin))
}

/// The opened page's origin, to which the provider sends the browser back.
pub(super) fn page_origin(app: &AppState, origin: &RequestOrigin) -> Result<String, ProblemResponse> {
    origin.page_origin.clone().ok_or_else(|| {
        let own = app.guard.own.first().map_or_else(String::new, |own| format!(": open {own}/sign-in/"));
        let why = format!("{:?} is not an address of this server's pages{own}", origin.host);
        ProblemResponse::new(ErrorCode::ForeignHost, why)
    })
}

async fn start_session(
    app: &AppState,
    answer: &ProviderAnswer,
    cookie: Option<&str>,
    origin: &RequestOrigin,
) -> Result<StartedSession, ProblemResponse> {
    let now = app.options.clock.now();
    let finished = find_provider(app)?.finish(answer, cookie, now).await;
    let FinishedSignIn { person, account, sign_in, account_cookie } =
        finished.map_err(|error| problem_of(&error))?;
    let holder = AccountHolder {
        account,
        sign_in,
        name: person.name,
        role: person.role,
        level: person.level,
        groups: person.groups,
    };
    let pages = SessionPages::new(Some(page_origin(app, origin)?))?;
    let (session, created) = app.gate.start_account_session(&holder, &pages, ACCOUNT_SESSION_SPANS).await?;
    let account = match &account_cookie {
        Some(cookie) => ACCOUNT_COOKIE.set(cookie, ACCOUNT_SESSION_SPANS.longest, origin),
        None => ACCOUNT_COOKIE.expire(origin),
    };
    let session = session_cookie(session.expose(), created.ends_at.unwrap_or(now), now, origin);
    Ok(StartedSession { cookies: [session, account], key: pages.key })
}

pub(super) fn find_provider(app: &AppState) -> Result<&OidcProvider, ProblemResponse> {
    app.options.oidc.as_deref().ok_or_else(|| {
        let why = "this server has no identity provider; sign in with a link or a token";
        ProblemResponse::new(ErrorCode::UnknownRoute, why)
    })
}

pub(super) fn problem_of(error: &SignInError) -> ProblemResponse {
    let code = match error {
        SignInError::Unavailable(_) => ErrorCode::ProviderUnavailable,
        SignInError::Failed(_) => ErrorCode::SignInFailed,
        SignInError::Refused(_) => ErrorCode::SignInRefused,
    };
    ProblemResponse::new(code, error.to_string())
}

pub(super) fn with_cookie(mut response: Response, cookie: HeaderValue) -> Response {
    response.headers_mut().append(header::SET_COOKIE, cookie);
    response
}
