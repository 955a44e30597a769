//! The endpoints: one file each, and what they share.

mod log_tag;
mod calls;
mod cancel;
mod claim;
mod close;
mod decide;
mod decide_all;
mod document;
mod events;
mod finish;
mod grants;
mod health;
mod metrics;
mod mode;
mod pending;
mod policy;
mod propose;
mod reach;
mod release;
mod show;
mod stats;
mod stop;
mod threads;

use crate::{
    AppState,
    openapi::{self, ApiDocument},
    problem::ProblemResponse,
};
use axum::{
    Json, Router,
    http::HeaderValue,
    response::{IntoResponse, Response},
};
use countersign_api::{self as api, ApprovalGate};
use countersign_gate::{CallId, ThreadId};
use std::time::Duration;
use utoipa::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};

/// The routes, and the document that describes them.
pub(crate) fn router() -> (Router<AppState>, utoipa::openapi::OpenApi) {
    let (router, mut document) = OpenApiRouter::with_openapi(ApiDocument::openapi())
        .routes(routes!(health::welcome))
        .routes(routes!(health::liveness))
        .routes(routes!(health::readiness))
        .routes(routes!(metrics::metrics))
        .routes(routes!(document::document))
        .routes(routes!(pending::everywhere))
        .routes(routes!(decide_all::decide_all))
        .routes(routes!(stop::everywhere))
        .routes(routes!(events::everywhere))
        .routes(routes!(stats::stats))
        .routes(routes!(calls::everywhere))
        .routes(routes!(threads::list))
        .routes(routes!(threads::show))
        .routes(routes!(propose::propose, calls::of_thread))
        .routes(routes!(show::show))
        .routes(routes!(claim::claim))
        .routes(routes!(finish::finish))
        .routes(routes!(cancel::cancel))
        .routes(routes!(release::release))
        .routes(routes!(reach::reach))
        .routes(routes!(pending::of_thread, decide::decide_pending))
        .routes(routes!(decide::decide))
        .routes(routes!(events::of_thread))
        .routes(routes!(grants::list))
        .routes(routes!(grants::revoke))
        .routes(routes!(mode::show, mode::set))
        .routes(routes!(policy::show, policy::set))
        .routes(routes!(stop::of_thread))
        .routes(routes!(close::close))
        .split_for_parts();
    openapi::complete(&mut document);
    (router.merge(document::page()), document)
}

/// The tag of a thread, or a log, in which nothing has happened.
const EMPTY: &str = "W/\"0\"";

/// Waits for the decision, if that is preferred, and no longer than the server runs.
async fn wait_for_decision(
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
fn with_preference_applied(wait: Option<Duration>, answer: impl IntoResponse) -> Response {
    let mut response = answer.into_response();
    let applied = wait.and_then(|span| HeaderValue::from_str(&format!("wait={}", span.as_secs())).ok());
    if let Some(applied) = applied {
        response.headers_mut().insert("preference-applied", applied);
    }
    response
}

type RouteAnswer<T> = Result<Json<T>, ProblemResponse>;
