//! `POST /v1/threads/{thread}/tool-calls/{id}/cancel`

use super::Answer;
use crate::{
    App,
    extract::{Body, Caller, OfCall},
};
use axum::{Json, extract::State};
use countersign_gate::api;

/// Withdraw a call that nobody runs yet.
pub(super) async fn cancel(
    State(app): State<App>,
    OfCall(thread, id): OfCall,
    caller: Caller,
    Body(cancel): Body<api::Cancel>,
) -> Answer<api::Call> {
    Ok(Json(app.gate.acting_as(caller.agent()).cancel(&thread, &id, &cancel).await?))
}
