//! Parts of answers that several endpoints share.

use crate::{AppState, problem::ProblemResponse};
use axum::{
    Json,
    http::HeaderValue,
    response::{IntoResponse, Response},
};
use countersign_api::{self as api, ApprovalGate};
use countersign_gate::{CallId, ThreadId};
use std::time::Duration;

/// The tag of a thread, or a log, in which nothing has happened.
pub(super) const EMPTY: &str = "W/\"0\"";

/// Waits for the decision, if that is preferred, and no longer than the server runs.
pub(super) async fn wait_for_decision(
    app: &AppState,
    thread: &ThreadId,
    id: &CallId,
    wait: Option<Duration>,
) -> Result<api::Call, ProblemResponse> {
    let Some(span) = wait else { return Ok(app.gate.call(thread, id).await?) };
    let _counted = app.metrics.count_wait();
    tokio::select! {
        call = app.gate.wait(thread, id, Some(span)) => Ok(call?),
        () = app.stop.cancelled() => Ok(app.gate.call(thread, id).await?),
    }
}

/// Says which preference was honoured (RFC 7240, 3).
pub(super) fn with_preference_applied(wait: Option<Duration>, answer: impl IntoResponse) -> Response {
    let mut response = answer.into_response();
    let applied = wait.and_then(|span| HeaderValue::from_str(&format!("wait={}", span.as_secs())).ok());
    if let Some(applied) = applied {
        response.headers_mut().insert("preference-applied", applied);
    }
    response
}

pub(super) type RouteAnswer<T> = Result<Json<T>, ProblemResponse>;
