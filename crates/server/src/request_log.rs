//! The middleware of all requests: it adds an id, a span, a line in the log, and headers about caching and framing, and
//! rejects requests of foreign web pages.

use crate::{
    AppState,
    app_state::ServerState,
    guard::{self, RequestOrigin},
    identity::identify_caller,
    limits::{CallerKey, check_headers},
    problem::{PROBLEM, ProblemResponse},
    public_paths::needs_caller,
    request_id,
};
use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Redirect, Response},
};
use countersign_api::{ErrorCode, random_id};
use countersign_gate::{has_written_events, watch_written_events};
use std::{
    pin::pin,
    time::{Duration, Instant},
};
use tracing::Instrument;

/// The log target of request lines.
const ACCESS_TARGET: &str = "countersign_server::access";

/// The content type of the pages for people, which contain an error's code.
const PAGE: &str = "text/html; charset=utf-8";

/// The longest request id, in bytes, that the server accepts from a caller.
const MAX_ID_LENGTH: usize = 128;

/// Logs a request and its response, counts it, and adds the common headers.
pub(crate) async fn log_request(State(app): State<AppState>, mut request: Request, next: Next) -> Response {
    let id = caller_request_id(request.headers()).unwrap_or_else(|| random_id("req_"));
    let method = request.method().clone();
    // Log the route, not the path: ids of threads and calls may reveal more than a log should contain.
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let span = tracing::info_span!(target: ACCESS_TARGET, "request", id, %method, route);
    let began = Instant::now();
    let cors_origin = app.guard.cors_origin(request.headers());
    let is_cors = cors_origin.is_some();
    let answering = async {
        if let Err(problem) = check_headers(request.headers()).and_then(|()| app.guard.check(&mut request)) {
            return problem.into_response();
        }
        if is_cors && guard::is_preflight(&request) {
            return guard::answer_preflight();
        }
        match redirect_to_own_page(&app, &request) {
            Ok(None) => {}
            Ok(Some(location)) => return Redirect::temporary(&location).into_response(),
            Err(problem) => return problem.into_response(),
        }
        let cookie = if needs_caller(&route) { identify_caller(&app, &mut request).await } else { None };
        if let Err(problem) = check_rate(&app, &route, &request) {
            return problem.into_response();
        }
        let mut response = add_missing_code(next.run(request).await);
        if let Some(cookie) = cookie {
            // A response that ends the session or starts another one keeps its own cookie.
            response.headers_mut().entry(header::SET_COOKIE).or_insert(cookie);
        }
        response
    };
    let responding = request_id::ID.scope(id.clone(), answering).instrument(span.clone());
    let mut responding = pin!(watch_written_events(responding));
    let mut response = responding.as_mut().await;
    let has_written = has_written_events(responding);
    let took = began.elapsed();
    let is_for_debugging = is_health_check(&route) || has_written && response.status().is_success();
    span.in_scope(|| write_log_line(is_for_debugging, response.status(), took));
    app.metrics.record_answer(&method, &route, response.status(), took);
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert(request_id::REQUEST_ID, id);
    }
    app.guard.add_browser_headers(headers, cors_origin);
    // A cache must revalidate each response, because it may change at any moment.
    // The response depends on the caller, who may sign in as another person in the same browser.
    headers.append(
        header::VARY,
        const { HeaderValue::from_static("authorization, cookie, countersign-page-key") },
    );
    let revalidate = const { HeaderValue::from_static("private, no-cache") };
    headers.entry(header::CACHE_CONTROL).or_insert(revalidate);
    response
}

/// The address to which a browser is sent that opened a page under a name that is none of this server's pages.
fn redirect_to_own_page(app: &ServerState, request: &Request) -> Result<Option<String>, ProblemResponse> {
    let Some(origin) = request.extensions().get::<RequestOrigin>() else { return Ok(None) };
    app.guard.own.redirect(request.method(), request.uri(), request.headers(), origin)
}

/// Refuses a request beyond the rate of its caller. Health checks have no rate, because a supervisor would restart the
/// server.
fn check_rate(app: &ServerState, route: &str, request: &Request) -> Result<(), ProblemResponse> {
    if is_health_check(route) {
        return Ok(());
    }
    app.limiter.count_request(CallerKey::of_request(request.extensions()))
}

fn is_health_check(route: &str) -> bool {
    matches!(route, "/healthz" | "/readyz" | "/metrics")
}

/// Replaces an error response that a library created without a code.
fn add_missing_code(response: Response) -> Response {
    let status = response.status();
    let content_type = response.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    let has_code = content_type == Some(PROBLEM.as_bytes()) || content_type == Some(PAGE.as_bytes());
    if status.as_u16() < 400 || has_code {
        return response;
    }
    let code = if status.is_server_error() { ErrorCode::Internal } else { ErrorCode::UnknownRoute };
    ProblemResponse::new(code, "this request cannot be answered").into_response()
}

/// Returns the caller's request id if it is short enough and visible ASCII, so that it is safe to log.
fn caller_request_id(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(request_id::REQUEST_ID)?.to_str().ok()?;
    let is_valid = (1..=MAX_ID_LENGTH).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic());
    is_valid.then(|| id.to_owned())
}

/// Writes one line per request, without any of its content; the span has the id, method and route. Two kinds are logged at the
/// debug level: health checks, which are frequent, and accepted requests that have written, because each event has a line
/// with the same span.
fn write_log_line(is_for_debugging: bool, status: StatusCode, took: Duration) {
    let (status, ms) = (status.as_u16(), u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
    if is_for_debugging {
        tracing::debug!(target: ACCESS_TARGET, status, ms, "answered");
    } else {
        tracing::info!(target: ACCESS_TARGET, status, ms, "answered");
    }
}
