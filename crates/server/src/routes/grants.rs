//! `GET /v1/threads/{thread}/grants` and `DELETE /v1/threads/{thread}/grants/{seq}`

use super::Answer;
use crate::{
    App,
    extract::{Caller, OfThread},
    problem::Problem,
};
use axum::{
    Json,
    extract::{Path, State},
};
use countersign_gate::{Refused, api};
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
    let named = path.get("seq").map_or("", String::as_str);
    let grant = named.parse().map_err(|_| {
        let why = "a grant is named by its seq, the number of the event that gave it".to_owned();
        countersign_gate::Error::from(Refused::Invalid { field: "grant", why })
    })?;
    Ok(Json(app.gate.acting_as(caller.person()).revoke(&thread, grant).await?))
}
