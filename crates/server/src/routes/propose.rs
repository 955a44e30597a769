//! `POST /v1/threads/{thread}/tool-calls`

use super::{applied, held};
use crate::{
    App,
    extract::{Body, Caller, OfThread, Prefer},
    problem::Problem,
};
use axum::{Json, extract::State, http::StatusCode, response::Response};
use countersign_gate::api;

/// Put a call before the policy. The same call again tells where it stands.
pub(super) async fn propose(
    State(app): State<App>,
    OfThread(thread): OfThread,
    caller: Caller,
    Prefer(wait): Prefer,
    Body(call): Body<api::Propose>,
) -> Result<Response, Problem> {
    let mut proposed = app.gate.acting_as(caller.agent()).propose(&thread, &call).await?;
    if wait.is_some() && proposed.is_pending() {
        proposed = held(&app, &thread, &call.id, wait).await?;
    }
    Ok(applied(wait, (StatusCode::CREATED, Json(proposed))))
}
