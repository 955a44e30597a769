//! `POST /v1/threads/{thread}/tool-calls/{id}/cancel`

use super::RouteAnswer;
use crate::{
    extract::{CallPath, ExecuteGate, JsonBody, NoQuery},
    openapi::refusals,
};
use axum::Json;
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: UnknownCall, AlreadyDecided, AlreadyClaimed, AlreadyFinished);

/// Withdraws a call that no executor has claimed.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/tool-calls/{id}/cancel",
    operation_id = "cancel",
    tag = "executor",
    params(CallPath),
    request_body(content = api::CancelRequest),
    responses((status = 200, description = "The call, cancelled.", body = api::Call), Refusals)
)]
pub(super) async fn cancel(
    gate: ExecuteGate,
    CallPath(thread, id): CallPath,
    _: NoQuery,
    JsonBody(cancel): JsonBody<api::CancelRequest>,
) -> RouteAnswer<api::Call> {
    Ok(Json(gate.cancel(&thread, &id, &cancel).await?))
}
