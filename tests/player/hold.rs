//! An executor that claims a call and reports no result.

use crate::{PlayerError, print_line};
use countersign_api::{self as api, CallGate};
use countersign_events::EventType;
use countersign_gate::EmbeddedGate;
use serde::Deserialize;
use serde_json::json;

/// The call, the lease and the executor's name.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HoldOptions {
    thread: String,
    id: String,
    executor: String,
    lease_seconds: u32,
}

/// Waits for the decision, claims the call, reports the claim, and waits until the process is killed.
pub(crate) async fn hold(gate: &EmbeddedGate, hold: &HoldOptions) -> Result<(), PlayerError> {
    let (thread, id) =
        (countersign_api::parse_thread_id(&hold.thread)?, countersign_api::parse_call_id(&hold.id)?);
    let call = gate.wait(&thread, &id, None).await?;
    let lease_seconds = Some(hold.lease_seconds);
    let claim = api::ClaimRequest { lease_seconds, ..api::ClaimRequest::for_call(&call, &hold.executor) };
    let claimed = gate.claim(&thread, &id, &claim).await?;
    print_line(&json!({"event": EventType::ExecutionStarted.as_str(), "id": claimed.id}));
    std::future::pending().await
}
