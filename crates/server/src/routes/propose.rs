//! `POST /v1/threads/{thread}/tool-calls`

use super::{begin_wait, wait_for_decision, with_preference_applied};
use crate::{
    AppState,
    extract::{OperationGate, ReceivedOperation, WaitPreference},
    problem::ProblemResponse,
};
use axum::{Json, extract::State, http::StatusCode, response::Response};
use countersign_api::{CallGate, operations::ProposeCall};

/// Proposes a call, and waits for its decision if the caller prefers that.
pub(super) async fn propose(
    State(app): State<AppState>,
    gate: OperationGate<ProposeCall>,
    WaitPreference(wait): WaitPreference,
    ReceivedOperation(ProposeCall { thread, body: call }): ReceivedOperation<ProposeCall>,
) -> Result<Response, ProblemResponse> {
    let _place = begin_wait(&app, gate.identity(), wait)?;
    let mut proposed = gate.propose(&thread, &call).await?;
    if wait.is_some() && proposed.is_pending() {
        proposed = wait_for_decision(&app, &gate, &thread, &call.id, wait).await?;
    }
    Ok(with_preference_applied(wait, (StatusCode::CREATED, Json(proposed))))
}
