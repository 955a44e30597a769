//! `GET /healthz`, `GET /readyz`, and a word for whoever opens the address in a browser.

use super::Answer;
use crate::{App, openapi::refusals, problem::Problem};
use axum::{Json, extract::State};
use countersign_gate::api;
use serde::Serialize;

refusals!(Always:);
refusals!(Refusals:, "not_ready");

/// The process lives.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(examples(json!({"status": "ok"})))]
pub(super) struct Alive {
    /// `ok`.
    status: &'static str,
}

/// Whether the process lives.
#[utoipa::path(
    get,
    path = "/healthz",
    operation_id = "getHealth",
    tag = "service",
    responses((status = 200, description = "It does.", body = Alive), Always)
)]
pub(super) async fn alive() -> Json<Alive> {
    Json(Alive { status: "ok" })
}

/// Whether it can do its work.
///
/// An order goes all the way through the writer, the log is read, and the feed must have what is in it. If
/// something fails, `check` of the problem says what: `database` if PostgreSQL is away or says no, else `log`,
/// `feed` or `gate`.
#[utoipa::path(
    get,
    path = "/readyz",
    operation_id = "getReadiness",
    tag = "service",
    responses((status = 200, description = "It can.", body = api::Ready), Refusals)
)]
pub(super) async fn ready(State(app): State<App>) -> Answer<api::Ready> {
    let ready = app.gate.ready().await.map_err(|error| {
        let check = match &error {
            countersign_gate::Error::Store(error) if error.is_of_a_server() => "database",
            countersign_gate::Error::Store(_) => "log",
            countersign_gate::Error::FeedBehind { .. } => "feed",
            _ => "gate",
        };
        tracing::error!(check, code = error.code(), %error, "not ready");
        Problem::new("not_ready", format!("{error} ({})", error.code())).checking(check)
    })?;
    Ok(Json(ready))
}

/// What this is.
#[utoipa::path(
    get,
    path = "/",
    operation_id = "getWelcome",
    tag = "service",
    responses((status = 200, description = "A few lines for people.", body = String), Always)
)]
pub(super) async fn welcome() -> String {
    format!(
        "Countersign {}: the approval service between an AI agent and its tools.\n\
         What waits for people: /v1/approvals/pending\nThe log: /v1/events\n\
         The API: /openapi.json, and to try it: /docs\n",
        env!("CARGO_PKG_VERSION")
    )
}
