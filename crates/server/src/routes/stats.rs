//! `GET /v1/stats`

use super::RouteAnswer;
use crate::extract::{ReadAllGate, SpanQuery};
use axum::Json;
use countersign_api::{self as api, ApprovalGate};

/// Returns statistics of calls.
///
/// Counts the calls proposed from `since` on and before `until` by outcome, in total and for each tool, and gives the
/// time that people took to decide.
#[utoipa::path(
    get,
    path = "/v1/stats",
    operation_id = "getStats",
    tag = "log",
    params(SpanQuery),
    responses((status = 200, description = "The statistics.", body = api::CallStatistics))
)]
pub(super) async fn stats(gate: ReadAllGate, query: SpanQuery) -> RouteAnswer<api::CallStatistics> {
    Ok(Json(gate.stats(&query.filter, &mut |_, _| ()).await?))
}
