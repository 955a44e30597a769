//! `POST /v1/threads/{thread}/tool-calls/{id}/claim`

use super::Answer;
use crate::{
    App,
    extract::{Body, Caller, OfCall},
};
use axum::{Json, extract::State};
use countersign_gate::api;

/// Start a call. The answer's `arguments` are what may run.
pub(super) async fn claim(
    State(app): State<App>,
    OfCall(thread, id): OfCall,
    caller: Caller,
    Body(claim): Body<api::Claim>,
) -> Answer<api::Call> {
    Ok(Json(app.gate.acting_as(caller.agent()).claim(&thread, &id, &claim).await?))
}
