//! `POST /v1/threads/{thread}/tool-calls/{id}/release`

use super::RouteAnswer;
use crate::{
    extract::{CallPath, DecideGate, JsonBody, NoQuery},
    openapi::refusals,
};
use axum::Json;
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
    params(CallPath),
    request_body(content = api::ReleaseRequest),
    responses((status = 200, description = "The call, released.", body = api::Call), Refusals)
)]
pub(super) async fn release(
    gate: DecideGate,
    CallPath(thread, id): CallPath,
    _: NoQuery,
    JsonBody(release): JsonBody<api::ReleaseRequest>,
) -> RouteAnswer<api::Call> {
    Ok(Json(gate.release(&thread, &id, &release).await?))
}
