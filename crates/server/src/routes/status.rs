//! `GET /v1/status`

use super::{RouteAnswer, health::check_readiness};
use crate::{
    AppState,
    extract::{OperationGate, ReceivedOperation},
};
use axum::{Json, extract::State};
use countersign_api::{self as api, SendOperation, operations::ShowStatus};

/// Adds what this server knows about itself and about its clients.
pub(super) async fn show(
    State(app): State<AppState>,
    gate: OperationGate<ShowStatus>,
    ReceivedOperation(operation): ReceivedOperation<ShowStatus>,
) -> RouteAnswer<api::StatusReport> {
    let mut status = gate.send(operation).await?;
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
