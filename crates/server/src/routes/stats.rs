//! `GET /v1/stats`

use super::RouteAnswer;
use crate::extract::{ReadAllGate, StatisticsQuery};
use axum::Json;
use countersign_api::{self as api, ApprovalGate};

/// Returns statistics of calls.
///
/// Counts the calls proposed from `since` on and before `until` by outcome, in total and for each tool, and gives the
/// time that people took to decide. `rules` counts the calls that each rule judged. With `utcOffsetMinutes`, `days` has
/// the counts of each day.
///
/// An answer covers at most 5,000 events, the newest first. Send `next` as `after` for earlier calls. Page counts add up,
/// and `decisionTimes` gives their percentiles.
#[utoipa::path(
    get,
    path = "/v1/stats",
    operation_id = "getStats",
    tag = "log",
    params(StatisticsQuery),
    responses((status = 200, description = "The statistics.", body = api::CallStatistics))
)]
pub(super) async fn stats(
    gate: ReadAllGate,
    parameters: StatisticsQuery,
) -> RouteAnswer<api::CallStatistics> {
    let query = api::StatisticsQuery {
        since: parameters.filter.since,
        until: parameters.filter.until,
        days_at: parameters.days_at,
        after: parameters.page.after,
    };
    Ok(Json(gate.stats(&query).await?))
}
