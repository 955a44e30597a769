//! `POST /v1/threads/{thread}/tool-calls/{id}/cancel`

use super::RouteAnswer;
use crate::{
    AppState,
    extract::{CallPath, JsonBody, NoQuery, RequestPrincipal},
    openapi::refusals,
};
use axum::{Json, extract::State};
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: UnknownCall, AlreadyDecided, AlreadyClaimed, AlreadyFinished);

/// Withdraws a call that no executor has claimed.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/tool-calls/{id}/cancel",
    operation_id = "cancel",
    tag = "executor",
    params(CallPath, RequestPrincipal),
    request_body(content = api::CancelRequest),
    responses((status = 200, description = "The call, cancelled.", body = api::Call), Refusals)
)]
pub(super) async fn cancel(
    State(app): State<AppState>,
    CallPath(thread, id): CallPath,
    caller: RequestPrincipal,
    _: NoQuery,
    JsonBody(cancel): JsonBody<api::CancelRequest>,
) -> RouteAnswer<api::Call> {
    Ok(Json(app.gate.acting_as(caller.agent()).cancel(&thread, &id, &cancel).await?))
}
