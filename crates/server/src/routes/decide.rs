//! `POST /v1/threads/{thread}/approvals/{id}`

use super::Answer;
use crate::{
    App,
    extract::{Body, Caller, OfCall},
};
use axum::{Json, extract::State};
use countersign_gate::api;

/// Decide. The second decision loses, and is told who won.
pub(super) async fn decide(
    State(app): State<App>,
    OfCall(thread, id): OfCall,
    caller: Caller,
    Body(decide): Body<api::Decide>,
) -> Answer<api::Call> {
    Ok(Json(app.gate.acting_as(caller.person()).decide(&thread, &id, &decide).await?))
}
