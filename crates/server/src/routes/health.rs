//! `GET /healthz`, `GET /readyz`, and a page for people who open the address in a browser.

use super::{RouteAnswer, app_page::app_page};
use crate::{AppState, app_state::ServerState, openapi::refusals, problem::ProblemResponse};
use axum::{
    Json,
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use countersign_api::{self as api, ApprovalGate, ErrorCode, GateError};
use serde::Serialize;

refusals!(Refusals: NotReady);

/// The report that the process runs.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(examples(json!({"status": "ok"})))]
pub(super) struct LivenessReport {
    /// Always `ok`.
    status: &'static str,
}

/// Reports that the process runs.
#[utoipa::path(
    get,
    path = "/healthz",
    operation_id = "getHealth",
    tag = "service",
    responses((status = 200, description = "The process runs.", body = LivenessReport))
)]
pub(super) async fn liveness() -> Json<LivenessReport> {
    Json(LivenessReport { status: "ok" })
}

/// Checks that the service can do its work.
///
/// Sends a command through the writer, reads the log, and checks that the feed has delivered the log's end. If a check
/// fails, `check` of the problem names it: `database` if PostgreSQL is unreachable or refuses, otherwise `log`, `feed`
/// or `gate`.
#[utoipa::path(
    get,
    path = "/readyz",
    operation_id = "getReadiness",
    tag = "service",
    responses((status = 200, description = "The service is ready.", body = api::ReadinessReport), Refusals)
)]
pub(super) async fn readiness(State(app): State<AppState>) -> RouteAnswer<api::ReadinessReport> {
    let ready = check_readiness(&app).await.map_err(|error| {
        let check = failed_check(&error);
        tracing::error!(check, code = error.code(), %error, "not ready");
        ProblemResponse::new(ErrorCode::NotReady, format!("{error} ({})", error.code())).with_check(check)
    })?;
    Ok(Json(ready))
}

/// Checks the gate, and reports the certificate and the checkpoints of this server.
pub(super) async fn check_readiness(app: &ServerState) -> Result<api::ReadinessReport, GateError> {
    let mut ready = app.gate.ready().await?;
    if let Some(certificate) = &app.options.certificate {
        let report = certificate.report();
        ready.certificate_trouble = report.trouble(app.options.clock.now());
        ready.certificate_expires_at = report.expires_at;
    }
    if let Some(checkpoints) = &app.options.checkpoints {
        checkpoints.describe(&mut ready);
    }
    Ok(ready)
}

/// Returns the inbox to a browser, and to other clients plain text with the most important paths.
#[utoipa::path(
    get,
    path = "/",
    operation_id = "getWelcome",
    tag = "service",
    responses((status = 200, description = "The inbox, or a short text.", body = String))
)]
pub(super) async fn welcome(headers: HeaderMap) -> Response {
    let text = || {
        format!(
            "Countersign {}: the approval service between an AI agent and its tools.\n\
         Pending calls: /v1/approvals/pending\nThe log: /v1/events\n\
         The API: /openapi.json, and its reference: /docs\n",
            env!("CARGO_PKG_VERSION")
        )
    };
    app_page(&headers).unwrap_or_else(|| text().into_response())
}

/// Returns the failed check.
fn failed_check(error: &GateError) -> &'static str {
    match (error.code, error.facts.reason) {
        (ErrorCode::NotReady, _) => "feed",
        (ErrorCode::DatabaseUnavailable, Some(reason)) if reason.needs_a_server() => "database",
        (ErrorCode::DatabaseUnavailable | ErrorCode::Damaged | ErrorCode::ShuttingDown, _) => "log",
        _ => "gate",
    }
}
