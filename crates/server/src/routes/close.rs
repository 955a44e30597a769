//! `POST /v1/threads/{thread}/close`

use super::Answer;
use crate::{
    App,
    extract::{Body, Caller, OfThread},
};
use axum::{Json, extract::State};
use countersign_gate::api;
use serde::Deserialize;

/// There is nothing to say beside the thread.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

/// End a thread: its grants go, what is pending is cancelled, nothing new starts in it.
pub(super) async fn close(
    State(app): State<App>,
    OfThread(thread): OfThread,
    caller: Caller,
    Body(Nothing {}): Body<Nothing>,
) -> Answer<api::Closed> {
    Ok(Json(app.gate.acting_as(caller.agent()).close(&thread).await?))
}
