//! `POST /v1/threads/{thread}/tool-calls`

use super::{wait_for_decision, with_preference_applied};
use crate::{
    AppState,
    extract::{JsonBody, NoQuery, OfThread, RequestPrincipal, WaitPreference},
    openapi::refusals,
    problem::ProblemResponse,
};
use axum::{Json, extract::State, http::StatusCode, response::Response};
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: CallDiffers, ThreadClosed);

/// Put a call before the policy.
///
/// The answer tells whether it may run: `state` is `allowed`, `denied` or `pending`. The same call again tells
/// where it stands. With `WaitPreference: wait=30` the answer to a call that people are asked about is held until it is
/// decided, for that many seconds at most.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/tool-calls",
    operation_id = "propose",
    tag = "executor",
    params(OfThread, RequestPrincipal, WaitPreference),
    request_body(content = api::ProposeRequest),
    responses(
        (status = 201, description = "The call, and where it stands.", body = api::Call, headers(
            ("preference-applied" = String, description = "The preference that was honoured, such as `wait=30`."),
        )),
        Refusals
    )
)]
pub(super) async fn propose(
    State(app): State<AppState>,
    OfThread(thread): OfThread,
    caller: RequestPrincipal,
    WaitPreference(wait): WaitPreference,
    _: NoQuery,
    JsonBody(call): JsonBody<api::ProposeRequest>,
) -> Result<Response, ProblemResponse> {
    let mut proposed = app.gate.acting_as(caller.agent()).propose(&thread, &call).await?;
    if wait.is_some() && proposed.is_pending() {
        proposed = wait_for_decision(&app, &thread, &call.id, wait).await?;
    }
    Ok(with_preference_applied(wait, (StatusCode::CREATED, Json(proposed))))
}
