//! `GET /v1/status`

use super::{RouteAnswer, health::check_readiness};
use crate::{
    AppState,
    extract::{NoQuery, ReadAllGate},
};
use axum::{Json, extract::State};
use countersign_api::{self as api, ApprovalGate};

/// Returns who is connected and what is pending.
///
/// `agents`, `executors`, `approvers`, `webhooks` and `pending` come from the log. `clients` is what this server has seen
/// of its own callers since it started: their programs, open streams and waiting requests. Other servers of the same log
/// have clients of their own.
#[utoipa::path(
    get,
    path = "/v1/status",
    operation_id = "getStatus",
    tag = "service",
    responses((status = 200, description = "The status.", body = api::StatusReport))
)]
pub(super) async fn show(
    State(app): State<AppState>,
    gate: ReadAllGate,
    _: NoQuery,
) -> RouteAnswer<api::StatusReport> {
    let mut status = gate.status().await?;
    let (ready, trouble) = match check_readiness(&app).await {
        Ok(report) => (true, trouble_of(report)),
        Err(error) => (false, vec![error.to_string()]),
    };
    let (version, started_at) = (env!("CARGO_PKG_VERSION").to_owned(), app.clients.started_at());
    status.service = Some(api::ServiceReport { version, started_at, ready, trouble });
    status.clients = Some(app.clients.list());
    Ok(Json(status))
}

fn trouble_of(report: api::ReadinessReport) -> Vec<String> {
    let policy = report.policy_trouble.map(|why| format!("the server still uses an older policy: {why}"));
    let found = [policy, report.webhook_trouble, report.certificate_trouble, report.checkpoint_trouble];
    found.into_iter().flatten().collect()
}
