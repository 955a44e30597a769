//! `GET /v1/threads` and `GET /v1/threads/{thread}`

use super::log_tag::{TaggedSchema, answer_by_log_tag, log_tag};
use crate::{
    extract::{IfNoneMatch, ListQuery, NoQuery, ReadGate, ThreadPath},
    openapi::refusals,
    problem::ProblemResponse,
};
use axum::response::Response;
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: UnknownThread);

/// Lists the threads, the most recently active first.
#[utoipa::path(
    get,
    path = "/v1/threads",
    operation_id = "listThreads",
    tag = "log",
    params(ListQuery, IfNoneMatch),
    responses(TaggedSchema<api::ThreadPage>)
)]
pub(super) async fn list(
    gate: ReadGate,
    query: ListQuery,
    cached: IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    answer_by_log_tag(&gate, None, &cached, gate.threads(query.page)).await
}

/// Returns the summary of a thread.
#[utoipa::path(
    get,
    path = "/v1/threads/{thread}",
    operation_id = "getThread",
    tag = "log",
    params(ThreadPath, IfNoneMatch),
    responses(TaggedSchema<api::ThreadSummary>, Refusals)
)]
pub(super) async fn show(
    gate: ReadGate,
    ThreadPath(thread): ThreadPath,
    cached: IfNoneMatch,
    _: NoQuery,
) -> Result<Response, ProblemResponse> {
    let tag = log_tag(&gate, Some(&thread)).await?;
    // A thread without events does not exist, so a matching tag must not hide the 404.
    let cached = if tag == super::EMPTY { IfNoneMatch::empty() } else { cached };
    cached.respond_unless_cached(&tag, gate.thread(&thread)).await
}
