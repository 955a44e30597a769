//! `GET /v1/threads/{thread}/tool-calls/{id}`

use super::{applied, held};
use crate::{
    App,
    extract::{OfCall, Prefer},
    problem::Problem,
};
use axum::{Json, extract::State, response::Response};

/// Where a call stands; with `Prefer: wait`, once it is decided.
pub(super) async fn show(
    State(app): State<App>,
    OfCall(thread, id): OfCall,
    Prefer(wait): Prefer,
) -> Result<Response, Problem> {
    let call = held(&app, &thread, &id, wait).await?;
    Ok(applied(wait, Json(call)))
}
