//! `GET /v1/tool-calls` and `GET /v1/threads/{thread}/tool-calls`

use super::log_tag::{TaggedSchema, log_tag};
use crate::{
    AppState,
    extract::{CallsOf, CallsOfThread, IfNoneMatch, OfThread, QueryParameters, not_modified, with_tag},
    problem::ProblemResponse,
};
use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use countersign_api::{self as api, ApprovalGate};
use countersign_gate::CallState as Standing;

/// The calls of all threads.
///
/// The newest first. `principal` is who proposed the call, `since` and `until` are about when. A page may be
/// short and still have a `next`: a filter that meets hardly anything is not to search the whole log at once.
#[utoipa::path(
    get,
    path = "/v1/tool-calls",
    operation_id = "listCalls",
    tag = "log",
    params(CallsOf, IfNoneMatch),
    responses(TaggedSchema<api::CallPage>)
)]
pub(super) async fn everywhere(
    State(app): State<AppState>,
    query: CallsOf,
    have: IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    answer(&app, query, &have).await
}

/// The calls of a thread.
///
/// As the calls of all threads, and of nothing but this one.
#[utoipa::path(
    get,
    path = "/v1/threads/{thread}/tool-calls",
    operation_id = "listCallsOfThread",
    tag = "log",
    params(OfThread, CallsOfThread, IfNoneMatch),
    responses(TaggedSchema<api::CallPage>)
)]
pub(super) async fn of_thread(
    State(app): State<AppState>,
    OfThread(thread): OfThread,
    query: CallsOfThread,
    have: IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    answer(&app, query.in_thread(thread), &have).await
}

async fn answer<T>(
    app: &AppState,
    QueryParameters { page, filter, state, .. }: QueryParameters<T>,
    have: &IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    let tag = log_tag(app, filter.thread_id.as_ref()).await?;
    if have.has(&tag) {
        return Ok(not_modified(&tag));
    }
    let calls = app.gate.calls(&filter, state, page).await?;
    // A lease lapses without an event, so a list in which one may is not known by the log's length.
    let lapses = calls.calls.iter().any(|call| {
        call.state == Standing::Running
            && call.execution.as_ref().is_some_and(|execution| execution.lease_expires_at.is_some())
    });
    if lapses || matches!(state, Some(Standing::Running | Standing::Unknown)) {
        return Ok(Json(calls).into_response());
    }
    Ok(with_tag(&tag, Json(calls)))
}
