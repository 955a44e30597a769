//! `GET /healthz`, `GET /readyz`, and a page for people who open the address in a browser.

use super::RouteAnswer;
use crate::{AppState, openapi::refusals, problem::ProblemResponse};
use axum::{Json, extract::State};
use countersign_api::{self as api, ApprovalGate, ErrorCode, GateError};
use serde::Serialize;

refusals!(Refusals: NotReady);

/// The process lives.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(examples(json!({"status": "ok"})))]
pub(super) struct LivenessReport {
    /// `ok`.
    status: &'static str,
}

/// True if the process lives.
#[utoipa::path(
    get,
    path = "/healthz",
    operation_id = "getHealth",
    tag = "service",
    responses((status = 200, description = "It does.", body = LivenessReport))
)]
pub(super) async fn liveness() -> Json<LivenessReport> {
    Json(LivenessReport { status: "ok" })
}

/// True if it can do its work.
///
/// An order goes all the way through the writer, the log is read, and the feed must have what is in it. If
/// something fails, `check` of the problem says what: `database` if PostgreSQL is away or says no, else `log`,
/// `feed` or `gate`.
#[utoipa::path(
    get,
    path = "/readyz",
    operation_id = "getReadiness",
    tag = "service",
    responses((status = 200, description = "It can.", body = api::ReadinessReport), Refusals)
)]
pub(super) async fn readiness(State(app): State<AppState>) -> RouteAnswer<api::ReadinessReport> {
    let ready = app.gate.ready().await.map_err(|error| {
        let check = failed_check(&error);
        tracing::error!(check, code = error.code(), %error, "not ready");
        ProblemResponse::new(ErrorCode::NotReady, format!("{error} ({})", error.code())).with_check(check)
    })?;
    Ok(Json(ready))
}

/// The name of the program.
#[utoipa::path(
    get,
    path = "/",
    operation_id = "getWelcome",
    tag = "service",
    responses((status = 200, description = "A few lines for people.", body = String))
)]
pub(super) async fn welcome() -> String {
    format!(
        "Countersign {}: the approval service between an AI agent and its tools.\n\
         What waits for people: /v1/approvals/pending\nThe log: /v1/events\n\
         The API: /openapi.json, and to try it: /docs\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// The part that the readiness check found to fail.
fn failed_check(error: &GateError) -> &'static str {
    match (error.code, error.facts.reason) {
        (ErrorCode::NotReady, _) => "feed",
        (ErrorCode::DatabaseUnavailable, Some(reason)) if reason.is_of_a_server() => "database",
        (ErrorCode::DatabaseUnavailable | ErrorCode::Damaged | ErrorCode::ShuttingDown, _) => "log",
        _ => "gate",
    }
}
