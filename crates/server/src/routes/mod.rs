//! The endpoints: one file each, and what they share.

mod cancel;
mod claim;
mod close;
mod decide;
mod events;
mod finish;
mod grants;
mod health;
mod pending;
mod propose;
mod show;

use crate::{App, problem::Problem};
use axum::{
    Json, Router,
    http::HeaderValue,
    response::{IntoResponse, Response},
    routing::{delete, get, post},
};
use countersign_gate::{CallId, ThreadId, api};
use std::time::Duration;

pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/", get(health::welcome))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/v1/approvals/pending", get(pending::everywhere))
        .route("/v1/events", get(events::everywhere))
        .route("/v1/threads/{thread}/tool-calls", post(propose::propose))
        .route("/v1/threads/{thread}/tool-calls/{id}", get(show::show))
        .route("/v1/threads/{thread}/tool-calls/{id}/claim", post(claim::claim))
        .route("/v1/threads/{thread}/tool-calls/{id}/result", post(finish::finish))
        .route("/v1/threads/{thread}/tool-calls/{id}/cancel", post(cancel::cancel))
        .route("/v1/threads/{thread}/approvals/pending", get(pending::of_thread).post(decide::decide_pending))
        .route("/v1/threads/{thread}/approvals/{id}", post(decide::decide))
        .route("/v1/threads/{thread}/events", get(events::of_thread))
        .route("/v1/threads/{thread}/grants", get(grants::list))
        .route("/v1/threads/{thread}/grants/{seq}", delete(grants::revoke))
        .route("/v1/threads/{thread}/close", post(close::close))
}

/// Waits for the decision, if that is preferred, and no longer than the server runs.
async fn held(
    app: &App,
    thread: &ThreadId,
    id: &CallId,
    wait: Option<Duration>,
) -> Result<api::Call, Problem> {
    let Some(span) = wait else { return Ok(app.gate.call(thread, id).await?) };
    tokio::select! {
        call = app.gate.wait(thread, id, Some(span)) => Ok(call?),
        () = app.stop.cancelled() => Ok(app.gate.call(thread, id).await?),
    }
}

/// Says which preference was honoured (RFC 7240, 3).
fn applied(wait: Option<Duration>, answer: impl IntoResponse) -> Response {
    let mut response = answer.into_response();
    let applied = wait.and_then(|span| HeaderValue::from_str(&format!("wait={}", span.as_secs())).ok());
    if let Some(applied) = applied {
        response.headers_mut().insert("preference-applied", applied);
    }
    response
}

type Answer<T> = Result<Json<T>, Problem>;
