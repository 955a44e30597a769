//! `GET /v1/tool-calls` and `GET /v1/threads/{thread}/tool-calls`

use super::log_tag::{TaggedSchema, log_tag};
use crate::{
    extract::{
        CallQuery, IfNoneMatch, QueryParameters, ReadGate, ThreadCallQuery, ThreadPath, not_modified,
        with_tag,
    },
    problem::ProblemResponse,
};
use axum::{
    Json,
    response::{IntoResponse, Response},
};
use countersign_api::{self as api, CallGate};
use countersign_events::{CallState, CallStateFilter};
use countersign_gate::EmbeddedGate;

/// Lists the calls of all threads, the newest first.
///
/// The filters `principal`, `since` and `until` apply to the proposal. A page may be short and still have a `next`,
/// because one request does not search the whole log for a rare match.
#[utoipa::path(
    get,
    path = "/v1/tool-calls",
    operation_id = "listCalls",
    tag = "log",
    extensions(("x-access" = json!(ReadGate::describe_access()))),
    params(CallQuery, IfNoneMatch),
    responses(TaggedSchema<api::CallPage>)
)]
pub(super) async fn list_all(
    gate: ReadGate,
    query: CallQuery,
    cached: IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    answer(&gate, query, &cached).await
}

/// Lists a thread's calls, the newest first.
///
/// The filters and pages work as in the list of all threads' calls.
#[utoipa::path(
    get,
    path = "/v1/threads/{thread}/tool-calls",
    operation_id = "listCallsOfThread",
    tag = "log",
    extensions(("x-access" = json!(ReadGate::describe_access()))),
    params(ThreadPath, ThreadCallQuery, IfNoneMatch),
    responses(TaggedSchema<api::CallPage>)
)]
pub(super) async fn list_in_thread(
    gate: ReadGate,
    ThreadPath(thread): ThreadPath,
    query: ThreadCallQuery,
    cached: IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    answer(&gate, query.in_thread(thread), &cached).await
}

async fn answer<T>(
    gate: &EmbeddedGate,
    QueryParameters { page, filter, state, .. }: QueryParameters<T>,
    cached: &IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    let tag = log_tag(gate, filter.thread_id.as_ref()).await?;
    if cached.has(&tag) {
        return Ok(not_modified(&tag));
    }
    let calls = gate.calls(&filter, state, page).await?;
    // A lease lapses without an event, so the log's length is not a valid tag for a list with a running lease.
    let has_lease = calls.calls.iter().any(|call| {
        call.state == CallState::Running
            && call.execution.as_ref().is_some_and(|execution| execution.lease_expires_at.is_some())
    });
    let is_timed = |filter: CallStateFilter| {
        let timed = [CallState::Running, CallState::Unknown, CallState::Allowed, CallState::Cancelled];
        filter == CallStateFilter::Lapsed || timed.iter().any(|state| filter == (*state).into())
    };
    if has_lease || state.is_some_and(is_timed) {
        return Ok(Json(calls).into_response());
    }
    Ok(with_tag(&tag, Json(calls)))
}
