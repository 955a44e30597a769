//! `POST /v1/threads/{thread}/tool-calls/{id}/result`

use super::Answer;
use crate::{
    App,
    extract::{Body, Caller, OfCall},
};
use axum::{Json, extract::State};
use countersign_gate::api;

/// Say what came of a call.
pub(super) async fn finish(
    State(app): State<App>,
    OfCall(thread, id): OfCall,
    caller: Caller,
    Body(finish): Body<api::Finish>,
) -> Answer<api::Call> {
    Ok(Json(app.gate.acting_as(caller.agent()).finish(&thread, &id, &finish).await?))
}
