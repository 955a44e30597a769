//! `POST /v1/threads/{thread}/tool-calls/{id}/result`

use super::Answer;
use crate::{
    App,
    extract::{Body, Caller, NoQuery, OfCall},
    openapi::refusals,
};
use axum::{Json, extract::State};
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: UnknownCall, AlreadyFinished, NotClaimed, NotTheExecutor);

/// Say what came of a call.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/tool-calls/{id}/result",
    operation_id = "finish",
    tag = "executor",
    params(OfCall, Caller),
    request_body(content = api::ResultRequest),
    responses((status = 200, description = "The call, finished.", body = api::Call), Refusals)
)]
pub(super) async fn finish(
    State(app): State<App>,
    OfCall(thread, id): OfCall,
    caller: Caller,
    _: NoQuery,
    Body(finish): Body<api::ResultRequest>,
) -> Answer<api::Call> {
    Ok(Json(app.gate.acting_as(caller.agent()).finish(&thread, &id, &finish).await?))
}
