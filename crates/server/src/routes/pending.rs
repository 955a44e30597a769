//! `GET /v1/approvals/pending` and `GET /v1/threads/{thread}/approvals/pending`

use super::log_tag::{TaggedSchema, log_and_policy_tag};
use crate::{
    extract::{IfNoneMatch, PendingQuery, QueryParameters, ReadGate, ThreadPath, ThreadPendingQuery},
    openapi::refusals,
    problem::ProblemResponse,
};
use axum::response::Response;
use countersign_api::{self as api, ApprovalGate};
use countersign_gate::EmbeddedGate;

refusals!(Refusals: BadCursor);

/// Lists the pending calls of all threads, the oldest request first.
///
/// The filter `principal` applies to the proposer of the call, `since` and `until` to the time of the request.
#[utoipa::path(
    get,
    path = "/v1/approvals/pending",
    operation_id = "listPending",
    tag = "approver",
    params(PendingQuery, IfNoneMatch),
    responses(TaggedSchema<api::PendingPage>, Refusals)
)]
pub(super) async fn list_all(
    gate: ReadGate,
    query: PendingQuery,
    cached: IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    answer(&gate, query, &cached).await
}

/// Lists the pending calls of a thread, the oldest request first.
#[utoipa::path(
    get,
    path = "/v1/threads/{thread}/approvals/pending",
    operation_id = "listPendingOfThread",
    tag = "approver",
    params(ThreadPath, ThreadPendingQuery, IfNoneMatch),
    responses(TaggedSchema<api::PendingPage>, Refusals)
)]
pub(super) async fn list_in_thread(
    gate: ReadGate,
    ThreadPath(thread): ThreadPath,
    query: ThreadPendingQuery,
    cached: IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    answer(&gate, query.in_thread(thread), &cached).await
}

async fn answer<T>(
    gate: &EmbeddedGate,
    QueryParameters { page, filter, .. }: QueryParameters<T>,
    cached: &IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    let tag = log_and_policy_tag(gate, filter.thread_id.as_ref()).await?;
    cached.respond_unless_cached(&tag, gate.pending(&filter, page)).await
}
