//! `POST /v1/threads/{thread}/tool-calls/{id}/result`

use super::Answer;
use crate::{
    App,
    extract::{Body, Caller, NoQuery, OfCall},
    openapi::refusals,
};
use axum::{Json, extract::State};
use countersign_gate::api;

refusals!(Refusals: READS WRITES ASKED BODY, "unknown_call", "already_finished", "not_claimed", "not_the_executor");

/// Say what came of a call.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/tool-calls/{id}/result",
    operation_id = "finish",
    tag = "executor",
    params(OfCall, Caller),
    request_body(content = api::Finish),
    responses((status = 200, description = "The call, finished.", body = api::Call), Refusals)
)]
pub(super) async fn finish(
    State(app): State<App>,
    OfCall(thread, id): OfCall,
    caller: Caller,
    _: NoQuery,
    Body(finish): Body<api::Finish>,
) -> Answer<api::Call> {
    Ok(Json(app.gate.acting_as(caller.agent()).finish(&thread, &id, &finish).await?))
}
