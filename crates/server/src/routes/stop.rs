//! `POST /v1/approvals/stop` and `POST /v1/threads/{thread}/stop`

use super::RouteAnswer;
use crate::{
    AppState,
    extract::{JsonBody, NoQuery, OfThread, RequestPrincipal},
    openapi::refusals,
};
use axum::{Json, extract::State};
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: NotAnApprover);

/// Deny everything that waits.
///
/// All calls that wait for people, in every thread, or those of one tool: in one transaction. What the caller may
/// not deny, or cannot deny alone, is left as it is and told.
#[utoipa::path(
    post,
    path = "/v1/approvals/stop",
    operation_id = "stop",
    tag = "approver",
    params(RequestPrincipal),
    request_body(content = api::StopRequest),
    responses((status = 200, description = "What was denied, and what is left.", body = api::StopReport), Refusals)
)]
pub(super) async fn everywhere(
    State(app): State<AppState>,
    caller: RequestPrincipal,
    _: NoQuery,
    JsonBody(stop): JsonBody<api::StopRequest>,
) -> RouteAnswer<api::StopReport> {
    Ok(Json(app.gate.acting_as(caller.person()).stop(None, &stop).await?))
}

/// Deny everything that waits in a thread.
///
/// All its calls that wait for people, or those of one tool: in one transaction. What the caller may not deny, or
/// cannot deny alone, is left as it is and told.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/stop",
    operation_id = "stopThread",
    tag = "approver",
    params(OfThread, RequestPrincipal),
    request_body(content = api::StopRequest),
    responses((status = 200, description = "What was denied, and what is left.", body = api::StopReport), Refusals)
)]
pub(super) async fn of_thread(
    State(app): State<AppState>,
    OfThread(thread): OfThread,
    caller: RequestPrincipal,
    _: NoQuery,
    JsonBody(stop): JsonBody<api::StopRequest>,
) -> RouteAnswer<api::StopReport> {
    Ok(Json(app.gate.acting_as(caller.person()).stop(Some(&thread), &stop).await?))
}
