//! `POST /v1/threads/{thread}/tool-calls/{id}/release`

use super::RouteAnswer;
use crate::{
    AppState,
    extract::{CallPath, JsonBody, NoQuery, RequestPrincipal},
    openapi::refusals,
};
use axum::{Json, extract::State};
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: UnknownCall, NotUnknown, NotAnApprover, SelfApproval, NotEligible);

/// Releases a call whose outcome is unknown, so that another executor may claim it.
///
/// The lease of the first executor has lapsed without a result, so the call may have run. The person who releases the
/// call accepts that it may run twice. Only people may release a call, and not the person who proposed it.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/tool-calls/{id}/release",
    operation_id = "release",
    tag = "approver",
    params(CallPath, RequestPrincipal),
    request_body(content = api::ReleaseRequest),
    responses((status = 200, description = "The call, released.", body = api::Call), Refusals)
)]
pub(super) async fn release(
    State(app): State<AppState>,
    CallPath(thread, id): CallPath,
    caller: RequestPrincipal,
    _: NoQuery,
    JsonBody(release): JsonBody<api::ReleaseRequest>,
) -> RouteAnswer<api::Call> {
    Ok(Json(app.gate.acting_as(caller.person()).release(&thread, &id, &release).await?))
}
