//! `/sign-in/oidc/out` and `/sign-in/oidc/signed-out`: signing out at an identity provider. The session here has ended
//! before: a provider that is down keeps no one signed in.

use super::{
    oidc::{COOKIE_SPAN, find_provider, page_origin, problem_of, with_cookie},
    outcome_page::{problem_page, signed_out_page},
};
use crate::{
    AppState,
    guard::RequestOrigin,
    identity::{ACCOUNT_COOKIE, CallerIdentity, SIGN_OUT_COOKIE},
    problem::ProblemResponse,
};
use axum::{
    Extension, Router,
    extract::{Query, State, rejection::QueryRejection},
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::{IntoResponse, Redirect, Response},
    routing::get,
};
use serde::Deserialize;

/// The path at which a browser whose session has ended goes on to the provider.
const OUT: &str = "/sign-in/oidc/out";

/// The path to which the provider sends the browser back.
const BACK: &str = "/sign-in/oidc/signed-out";

/// The header that names [`OUT`] in the answer to a sign-out.
const SIGN_OUT: HeaderName = HeaderName::from_static("countersign-sign-out");

pub(super) fn routes() -> Router<AppState> {
    Router::new().route(OUT, get(leave)).route(BACK, get(come_back))
}

/// The parameters with which the provider sends the browser back.
#[derive(Deserialize)]
struct ReturnQuery {
    state: Option<String>,
}

/// The headers with which a browser goes on to sign out at the provider; none if the caller's session does not come
/// from there.
pub(super) fn sign_out_headers(app: &AppState, caller: &CallerIdentity, origin: &RequestOrigin) -> HeaderMap {
    let account = caller.record.as_ref().and_then(|record| record.created.account.as_ref());
    let provider = app.options.oidc.as_deref();
    let provider =
        provider.filter(|provider| account.is_some_and(|account| account.issuer == provider.issuer()));
    let cookie = provider.and_then(|provider| provider.begin_sign_out(app.options.clock.now()));
    let mut headers = HeaderMap::new();
    if let Some(cookie) = cookie {
        headers.append(header::SET_COOKIE, SIGN_OUT_COOKIE.set(&cookie, COOKIE_SPAN, origin));
        headers.insert(SIGN_OUT, HeaderValue::from_static(OUT));
    }
    headers
}

/// Sends the browser to the provider.
async fn leave(
    State(app): State<AppState>,
    Extension(origin): Extension<RequestOrigin>,
    headers: HeaderMap,
) -> Response {
    let cookies = [SIGN_OUT_COOKIE, ACCOUNT_COOKIE].map(|cookie| cookie.read(&headers, &origin));
    let attempt = async {
        let provider = find_provider(&app)?;
        let address = page_origin(&app, &origin)?;
        let (redirect, now) = (format!("{address}{BACK}"), app.options.clock.now());
        let location = provider.sign_out_location(cookies[0], cookies[1], &redirect, now).await;
        location.map_err(|error| problem_of(&error))
    };
    let page = match attempt.await {
        Ok(Some(location)) => Redirect::to(&location).into_response(),
        Ok(None) => with_cookie(
            signed_out_page("You are signed out here. The identity provider may still know you."),
            SIGN_OUT_COOKIE.expire(&origin),
        ),
        // The browser may try again, so it keeps its cookies.
        Err(problem) => return problem_page("Not signed out at the identity provider", problem),
    };
    with_cookie(page, ACCOUNT_COOKIE.expire(&origin))
}

/// Shows that the provider has ended its session.
async fn come_back(
    State(app): State<AppState>,
    Extension(origin): Extension<RequestOrigin>,
    headers: HeaderMap,
    query: Result<Query<ReturnQuery>, QueryRejection>,
) -> Response {
    let state = query.ok().and_then(|Query(query)| query.state);
    let checked = find_provider(&app).and_then(|provider| {
        let cookie = SIGN_OUT_COOKIE.read(&headers, &origin);
        let checked = provider.finish_sign_out(state.as_deref(), cookie, app.options.clock.now());
        checked.map_err(|error| problem_of(&error)).map(|()| provider.label())
    });
    let page: Result<_, ProblemResponse> =
        checked.map(|label| signed_out_page(&format!("You are signed out here and at {label}.")));
    let page = page.unwrap_or_else(|problem| problem_page("Not signed out", problem));
    with_cookie(page, SIGN_OUT_COOKIE.expire(&origin))
}
