//! `GET /healthz`, `GET /readyz`, and a word for whoever opens the address in a browser.

use super::Answer;
use crate::App;
use axum::{Json, extract::State};
use countersign_gate::api;
use serde_json::{Value, json};

/// The process lives.
pub(super) async fn alive() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

/// The log can be written and read.
pub(super) async fn ready(State(app): State<App>) -> Answer<api::Ready> {
    Ok(Json(app.gate.ready().await?))
}

/// What this is.
pub(super) async fn welcome() -> String {
    format!(
        "Countersign {}: the approval service between an AI agent and its tools.\n\
         What waits for people: /v1/approvals/pending\nThe log: /v1/events\n",
        env!("CARGO_PKG_VERSION")
    )
}
