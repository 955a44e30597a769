//! `POST /v1/threads/{thread}/tool-calls/{id}/cancel`

use super::Answer;
use crate::{
    App,
    extract::{Body, Caller, NoQuery, OfCall},
    openapi::refusals,
};
use axum::{Json, extract::State};
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: UnknownCall, AlreadyDecided, AlreadyClaimed, AlreadyFinished);

/// Withdraw a call that nobody runs yet.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/tool-calls/{id}/cancel",
    operation_id = "cancel",
    tag = "executor",
    params(OfCall, Caller),
    request_body(content = api::CancelRequest),
    responses((status = 200, description = "The call, cancelled.", body = api::Call), Refusals)
)]
pub(super) async fn cancel(
    State(app): State<App>,
    OfCall(thread, id): OfCall,
    caller: Caller,
    _: NoQuery,
    Body(cancel): Body<api::CancelRequest>,
) -> Answer<api::Call> {
    Ok(Json(app.gate.acting_as(caller.agent()).cancel(&thread, &id, &cancel).await?))
}
