//! `GET /v1/approvals/pending` and `GET /v1/threads/{thread}/approvals/pending`

use super::log_tag::{TaggedSchema, log_and_policy_tag};
use crate::{
    AppState,
    extract::{IfNoneMatch, OfThread, PendingOf, PendingOfThread, QueryParameters},
    problem::ProblemResponse,
};
use axum::{extract::State, response::Response};
use countersign_api::{self as api, ApprovalGate};

/// What waits for people, in all threads.
///
/// The oldest first. `principal` is who proposed the call; `since` and `until` are about when people were asked.
#[utoipa::path(
    get,
    path = "/v1/approvals/pending",
    operation_id = "listPending",
    tag = "approver",
    params(PendingOf, IfNoneMatch),
    responses(TaggedSchema<api::PendingPage>)
)]
pub(super) async fn everywhere(
    State(app): State<AppState>,
    query: PendingOf,
    have: IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    answer(&app, query, &have).await
}

/// The pending calls of one thread.
#[utoipa::path(
    get,
    path = "/v1/threads/{thread}/approvals/pending",
    operation_id = "listPendingOfThread",
    tag = "approver",
    params(OfThread, PendingOfThread, IfNoneMatch),
    responses(TaggedSchema<api::PendingPage>)
)]
pub(super) async fn of_thread(
    State(app): State<AppState>,
    OfThread(thread): OfThread,
    query: PendingOfThread,
    have: IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    answer(&app, query.in_thread(thread), &have).await
}

async fn answer<T>(
    app: &AppState,
    QueryParameters { page, filter, .. }: QueryParameters<T>,
    have: &IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    let tag = log_and_policy_tag(app, filter.thread_id.as_ref()).await?;
    have.respond_unless_cached(&tag, app.gate.pending(&filter, page)).await
}
