//! `GET /metrics`

use crate::{AppState, extract::ReadAllGate, problem::ProblemResponse};
use axum::{
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use countersign_api::ErrorCode;

/// The content type of OpenMetrics, which Prometheus and others read.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Returns the service's metrics, for Prometheus.
///
/// The metrics cover approver response times, decisions by kind and source, advisor drift, abandoned and recovered
/// requests, open requests, commits and queries, streams and their lag, and HTTP requests.
#[utoipa::path(
    get,
    path = "/metrics",
    operation_id = "getMetrics",
    tag = "service",
    extensions(("x-access" = json!(ReadAllGate::describe_access()))),
    responses(
        (
            status = 200,
            description = "The metrics as OpenMetrics text.",
            body = String,
            content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8",
        ),
    )
)]
pub(super) async fn metrics(
    State(app): State<AppState>,
    gate: ReadAllGate,
) -> Result<Response, ProblemResponse> {
    let now = gate.count_open_requests().await?;
    gate.refresh_advisor_metrics().await?;
    let age = now.oldest.map(|oldest| app.options.clock.now().since(oldest));
    let text = app.metrics.text(now.open, age);
    let text =
        text.map_err(|_| ProblemResponse::new(ErrorCode::Internal, "the metrics cannot be encoded"))?;
    Ok(([(header::CONTENT_TYPE, const { HeaderValue::from_static(OPEN_METRICS) })], text).into_response())
}
