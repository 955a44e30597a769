//! `POST /v1/threads/{thread}/tool-calls/{id}/heartbeat`

use super::{RouteAnswer, close::EmptyBody};
use crate::{
    extract::{CallPath, ExecuteGate, JsonBody, NoQuery},
    openapi::refusals,
};
use axum::Json;
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: UnknownCall);

/// Tells that the proposer of a pending call still waits for its decision.
///
/// Approvers see when the proposer was last seen. A request with `Prefer: wait` tells the same while it is open, so this
/// is for agents that poll or that are called back. Send it at least every 20 seconds.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/tool-calls/{id}/heartbeat",
    operation_id = "heartbeat",
    tag = "executor",
    params(CallPath),
    request_body(content = EmptyBody),
    responses((status = 200, description = "The call in its current state.", body = api::Call), Refusals)
)]
pub(super) async fn heartbeat(
    gate: ExecuteGate,
    CallPath(thread, id): CallPath,
    _: NoQuery,
    JsonBody(EmptyBody {}): JsonBody<EmptyBody>,
) -> RouteAnswer<api::Call> {
    Ok(Json(gate.heartbeat(&thread, &id).await?))
}
