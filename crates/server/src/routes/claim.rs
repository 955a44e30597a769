//! `POST /v1/threads/{thread}/tool-calls/{id}/claim`

use super::Answer;
use crate::{
    App,
    extract::{Body, Caller, NoQuery, OfCall},
    openapi::refusals,
};
use axum::{Json, extract::State};
use countersign_gate::api;

refusals!(Refusals: READS WRITES ASKED BODY, "unknown_call", "not_allowed", "already_claimed", "arguments_changed", "definition_changed", "blocked", "thread_closed");

/// Start a call.
///
/// The answer's `arguments` are what may run, and nothing else. A second claim is refused even to whoever made
/// the first, with who that was.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/tool-calls/{id}/claim",
    operation_id = "claim",
    tag = "executor",
    params(OfCall, Caller),
    request_body(content = api::Claim),
    responses((status = 200, description = "The call, running.", body = api::Call), Refusals)
)]
pub(super) async fn claim(
    State(app): State<App>,
    OfCall(thread, id): OfCall,
    caller: Caller,
    _: NoQuery,
    Body(claim): Body<api::Claim>,
) -> Answer<api::Call> {
    Ok(Json(app.gate.acting_as(caller.agent()).claim(&thread, &id, &claim).await?))
}
