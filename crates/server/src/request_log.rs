//! The middleware of all requests: an id, a span, a line in the log, and headers about caching and framing.

use crate::{
    AppState, guard,
    problem::{PROBLEM, ProblemResponse},
    request_id,
};
use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use countersign_api::{ErrorCode, random_id};
use std::time::{Duration, Instant};
use tracing::Instrument;

/// The log target of the lines about requests.
const ACCESS_TARGET: &str = "countersign_server::access";

/// The longest id that is taken over from a caller.
const MAX_ID_LENGTH: usize = 128;

/// Logs a request and its answer, and adds the common headers.
pub(crate) async fn log_request(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let id = caller_request_id(request.headers()).unwrap_or_else(|| random_id("req_"));
    let method = request.method().clone();
    // The route and not the path: names of threads and calls may say more than a log is to hold.
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let span = tracing::info_span!(target: ACCESS_TARGET, "request", id, %method, route);
    let began = Instant::now();
    let answered = request_id::ID
        .scope(id.clone(), async { add_missing_code(next.run(request).await) })
        .instrument(span.clone());
    let mut response = answered.await;
    let took = began.elapsed();
    span.in_scope(|| write_log_line(&route, response.status(), took));
    app.metrics.record_answer(&method, &route, response.status(), took);
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert(request_id::REQUEST_ID, id);
    }
    guard::add_browser_headers(headers);
    // A cache must revalidate each answer, because it may change at any moment.
    let usual = const { HeaderValue::from_static("private, no-cache") };
    headers.entry(header::CACHE_CONTROL).or_insert(usual);
    response
}

/// Gives a code to an error that some library answered with, and that has none.
fn add_missing_code(response: Response) -> Response {
    let status = response.status();
    let kind = response.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    if status.as_u16() < 400 || kind == Some(PROBLEM.as_bytes()) {
        return response;
    }
    let code = if status.is_server_error() { ErrorCode::Internal } else { ErrorCode::UnknownRoute };
    ProblemResponse::new(code, "this request cannot be answered").into_response()
}

/// The caller's own id, if it is one that can stand in a log.
fn caller_request_id(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(request_id::REQUEST_ID)?.to_str().ok()?;
    let sane = (1..=MAX_ID_LENGTH).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic());
    sane.then(|| id.to_owned())
}

/// A line for each request, without anything that it carries; its span names it. Health checks are
/// frequent, so they are logged at the debug level.
fn write_log_line(route: &str, status: StatusCode, took: Duration) {
    let (status, ms) = (status.as_u16(), took.as_millis());
    if matches!(route, "/healthz" | "/readyz" | "/metrics") {
        tracing::debug!(target: ACCESS_TARGET, status, ms, "answered");
    } else {
        tracing::info!(target: ACCESS_TARGET, status, ms, "answered");
    }
}
