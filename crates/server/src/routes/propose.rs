//! `POST /v1/threads/{thread}/tool-calls`

use super::{begin_wait, wait_for_decision, with_preference_applied};
use crate::{
    AppState,
    extract::{ExecuteGate, JsonBody, NoQuery, ThreadPath, WaitPreference},
    openapi::refusals,
    problem::ProblemResponse,
};
use axum::{Json, extract::State, http::StatusCode, response::Response};
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: CallDiffers, AmbiguousArguments, ThreadClosed, TooManyPending, TooManyWaits);

/// Proposes a call, which the policy then judges.
///
/// `state` of the response is `allowed`, `denied` or `pending`. Proposing the same call again returns its current
/// state. With `Prefer: wait=30`, the response to a pending call is held until the call is decided, for at most that
/// many seconds.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/tool-calls",
    operation_id = "propose",
    tag = "executor",
    params(ThreadPath, WaitPreference),
    request_body(content = api::ProposeRequest),
    responses(
        (status = 201, description = "The call in its current state.", body = api::Call, headers(
            ("preference-applied" = String, description = "The preference that the server applied, such as `wait=30`."),
        )),
        Refusals
    )
)]
pub(super) async fn propose(
    State(app): State<AppState>,
    ThreadPath(thread): ThreadPath,
    gate: ExecuteGate,
    WaitPreference(wait): WaitPreference,
    _: NoQuery,
    JsonBody(call): JsonBody<api::ProposeRequest>,
) -> Result<Response, ProblemResponse> {
    let _place = begin_wait(&app, gate.identity(), wait)?;
    let mut proposed = gate.propose(&thread, &call).await?;
    if wait.is_some() && proposed.is_pending() {
        proposed = wait_for_decision((&app, &gate), &thread, &call.id, wait).await?;
    }
    Ok(with_preference_applied(wait, (StatusCode::CREATED, Json(proposed))))
}
