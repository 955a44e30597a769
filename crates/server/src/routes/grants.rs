//! `GET /v1/threads/{thread}/grants` and `DELETE /v1/threads/{thread}/grants/{seq}`

use super::Answer;
use crate::{
    App,
    extract::{Caller, OfThread, cursor},
    problem::Problem,
};
use axum::{
    Json,
    extract::{Path, State},
};
use countersign_gate::api;
use std::collections::HashMap;

/// The standing grants of a thread.
pub(super) async fn list(State(app): State<App>, OfThread(thread): OfThread) -> Answer<api::Grants> {
    Ok(Json(app.gate.grants(&thread).await?))
}

/// Take a grant back; what it answered before stays answered.
pub(super) async fn revoke(
    State(app): State<App>,
    OfThread(thread): OfThread,
    Path(path): Path<HashMap<String, String>>,
    caller: Caller,
) -> Result<Json<api::Grants>, Problem> {
    let grant = cursor(path.get("seq").map_or("", String::as_str))?;
    Ok(Json(app.gate.acting_as(caller.person()).revoke(&thread, grant).await?))
}
