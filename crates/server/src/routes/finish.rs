//! `POST /v1/threads/{thread}/tool-calls/{id}/result`

use super::RouteAnswer;
use crate::{
    extract::{CallPath, ExecuteGate, JsonBody, NoQuery},
    openapi::refusals,
};
use axum::Json;
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: UnknownCall, AlreadyFinished, NotClaimed, NotTheExecutor);

/// Reports the result of a claimed call.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/tool-calls/{id}/result",
    operation_id = "finish",
    tag = "executor",
    params(CallPath),
    request_body(content = api::ResultRequest),
    responses((status = 200, description = "The call, finished.", body = api::Call), Refusals)
)]
pub(super) async fn finish(
    gate: ExecuteGate,
    CallPath(thread, id): CallPath,
    _: NoQuery,
    JsonBody(finish): JsonBody<api::ResultRequest>,
) -> RouteAnswer<api::Call> {
    Ok(Json(gate.finish(&thread, &id, &finish).await?))
}
