//! `GET /v1/approvals/pending` and `GET /v1/threads/{thread}/approvals/pending`

use super::Answer;
use crate::{
    App,
    extract::{OfThread, PageOf},
};
use axum::{Json, extract::State};
use countersign_gate::{Filter, api};

/// What waits for people, in all threads.
pub(super) async fn everywhere(State(app): State<App>, PageOf(page): PageOf) -> Answer<api::Pending> {
    Ok(Json(app.gate.pending(&Filter::default(), page).await?))
}

/// What waits for people, in one thread.
pub(super) async fn of_thread(
    State(app): State<App>,
    OfThread(thread): OfThread,
    PageOf(page): PageOf,
) -> Answer<api::Pending> {
    Ok(Json(app.gate.pending(&Filter::of_thread(&thread), page).await?))
}
