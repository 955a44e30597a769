//! `POST /v1/threads/{thread}/tool-calls/{id}/result`

use super::RouteAnswer;
use crate::{
    AppState,
    extract::{CallPath, JsonBody, NoQuery, RequestPrincipal},
    openapi::refusals,
};
use axum::{Json, extract::State};
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: UnknownCall, AlreadyFinished, NotClaimed, NotTheExecutor);

/// Reports the result of a claimed call.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/tool-calls/{id}/result",
    operation_id = "finish",
    tag = "executor",
    params(CallPath, RequestPrincipal),
    request_body(content = api::ResultRequest),
    responses((status = 200, description = "The call, finished.", body = api::Call), Refusals)
)]
pub(super) async fn finish(
    State(app): State<AppState>,
    CallPath(thread, id): CallPath,
    caller: RequestPrincipal,
    _: NoQuery,
    JsonBody(finish): JsonBody<api::ResultRequest>,
) -> RouteAnswer<api::Call> {
    Ok(Json(app.gate.acting_as(caller.agent()).finish(&thread, &id, &finish).await?))
}
