//! `POST /v1/threads/{thread}/tool-calls/{id}/claim`

use super::Answer;
use crate::{
    App,
    extract::{Body, Caller, NoQuery, OfCall},
    openapi::refusals,
};
use axum::{Json, extract::State};
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: UnknownCall, NotAllowed, AlreadyClaimed, ArgumentsChanged, DefinitionChanged, Blocked, ThreadClosed);

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
    request_body(content = api::ClaimRequest),
    responses((status = 200, description = "The call, running.", body = api::Call), Refusals)
)]
pub(super) async fn claim(
    State(app): State<App>,
    OfCall(thread, id): OfCall,
    caller: Caller,
    _: NoQuery,
    Body(claim): Body<api::ClaimRequest>,
) -> Answer<api::Call> {
    Ok(Json(app.gate.acting_as(caller.agent()).claim(&thread, &id, &claim).await?))
}
