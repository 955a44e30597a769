//! `GET /v1/stats`

use super::RouteAnswer;
use crate::{AppState, extract::Span};
use axum::{Json, extract::State};
use countersign_api::{self as api, ApprovalGate};

/// Statistics of calls.
///
/// Of the calls that were proposed from `since` on and before `until`: how many of each tool were asked about,
/// allowed, denied and so on, and how long people took to decide.
#[utoipa::path(
    get,
    path = "/v1/stats",
    operation_id = "getStats",
    tag = "log",
    params(Span),
    responses((status = 200, description = "The numbers.", body = api::CallStatistics))
)]
pub(super) async fn stats(State(app): State<AppState>, query: Span) -> RouteAnswer<api::CallStatistics> {
    Ok(Json(app.gate.stats(&query.filter, &mut |_, _| ()).await?))
}
