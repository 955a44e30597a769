//! `POST /v1/approvals/stop` and `POST /v1/threads/{thread}/stop`

use super::RouteAnswer;
use crate::{
    extract::{DecideAllGate, DecideGate, JsonBody, NoQuery, ThreadPath},
    openapi::refusals,
};
use axum::Json;
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: NotAnApprover);

/// Denies the pending calls of all threads.
///
/// Denies all of them, or only those of one tool, in one transaction. Calls that the caller may not deny, or that need
/// more denials, stay pending and are listed in `left`.
#[utoipa::path(
    post,
    path = "/v1/approvals/stop",
    operation_id = "stop",
    tag = "approver",
    request_body(content = api::StopRequest),
    responses((status = 200, description = "The denied calls, and those that are still pending.", body = api::StopReport), Refusals)
)]
pub(super) async fn stop_all(
    gate: DecideAllGate,
    _: NoQuery,
    JsonBody(stop): JsonBody<api::StopRequest>,
) -> RouteAnswer<api::StopReport> {
    Ok(Json(gate.stop(None, &stop).await?))
}

/// Denies the pending calls of a thread.
///
/// Denies all of them, or only those of one tool, in one transaction. Calls that the caller may not deny, or that need
/// more denials, stay pending and are listed in `left`.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/stop",
    operation_id = "stopThread",
    tag = "approver",
    params(ThreadPath),
    request_body(content = api::StopRequest),
    responses((status = 200, description = "The denied calls, and those that are still pending.", body = api::StopReport), Refusals)
)]
pub(super) async fn stop_thread(
    gate: DecideGate,
    ThreadPath(thread): ThreadPath,
    _: NoQuery,
    JsonBody(stop): JsonBody<api::StopRequest>,
) -> RouteAnswer<api::StopReport> {
    Ok(Json(gate.stop(Some(&thread), &stop).await?))
}
