//! `POST /v1/threads/{thread}/approvals/{id}`

use super::Answer;
use crate::{
    App,
    extract::{Body, Caller, OfCall, OfThread},
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

/// The same for a call whose id happens to be the word under which a thread's pending calls are listed.
pub(super) async fn decide_pending(
    State(app): State<App>,
    OfThread(thread): OfThread,
    caller: Caller,
    Body(decide): Body<api::Decide>,
) -> Answer<api::Call> {
    let id = countersign_gate::call_id("pending")?;
    Ok(Json(app.gate.acting_as(caller.person()).decide(&thread, &id, &decide).await?))
}
