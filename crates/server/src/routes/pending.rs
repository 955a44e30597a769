//! `GET /v1/approvals/pending` and `GET /v1/threads/{thread}/approvals/pending`

use super::log_tag::{TaggedSchema, log_and_policy_tag};
use crate::{
    AppState,
    extract::{IfNoneMatch, PendingQuery, QueryParameters, ReadGate, ThreadPath, ThreadPendingQuery},
    openapi::refusals,
    problem::ProblemResponse,
};
use axum::{extract::State, response::Response};
use countersign_api::{self as api, ApprovalGate};
use countersign_gate::EmbeddedGate;

refusals!(Refusals: BadCursor);

/// Lists the pending calls of all threads, the oldest request first.
///
/// The filter `principal` applies to the call's proposer, `since` and `until` to the request time.
#[utoipa::path(
    get,
    path = "/v1/approvals/pending",
    operation_id = "listPending",
    tag = "approver",
    extensions(("x-access" = json!(ReadGate::describe_access()))),
    params(PendingQuery, IfNoneMatch),
    responses(TaggedSchema<api::PendingPage>, Refusals)
)]
pub(super) async fn list_all(
    State(app): State<AppState>,
    gate: ReadGate,
    query: PendingQuery,
    cached: IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    answer(&app, &gate, query, &cached).await
}

/// Lists the pending calls of a thread, the oldest request first.
#[utoipa::path(
    get,
    path = "/v1/threads/{thread}/approvals/pending",
    operation_id = "listPendingOfThread",
    tag = "approver",
    extensions(("x-access" = json!(ReadGate::describe_access()))),
    params(ThreadPath, ThreadPendingQuery, IfNoneMatch),
    responses(TaggedSchema<api::PendingPage>, Refusals)
)]
pub(super) async fn list_in_thread(
    State(app): State<AppState>,
    gate: ReadGate,
    ThreadPath(thread): ThreadPath,
    query: ThreadPendingQuery,
    cached: IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    answer(&app, &gate, query.in_thread(thread), &cached).await
}

async fn answer<T>(
    app: &AppState,
    gate: &EmbeddedGate,
    QueryParameters { page, filter, .. }: QueryParameters<T>,
    cached: &IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    let tag = log_and_policy_tag(gate, filter.thread_id.as_ref()).await?;
    let listed = async {
        let page = gate.pending(&filter, page).await?;
        app.count_recovered(page.pending.len());
        Ok::<_, api::GateError>(page)
    };
    cached.respond_unless_cached(&tag, listed).await
}
