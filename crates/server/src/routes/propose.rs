//! `POST /v1/threads/{thread}/tool-calls`

use super::{applied, held};
use crate::{
    App,
    extract::{Body, Caller, NoQuery, OfThread, Prefer},
    openapi::refusals,
    problem::Problem,
};
use axum::{Json, extract::State, http::StatusCode, response::Response};
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: CallDiffers, ThreadClosed);

/// Put a call before the policy.
///
/// The answer tells whether it may run: `state` is `allowed`, `denied` or `pending`. The same call again tells
/// where it stands. With `Prefer: wait=30` the answer to a call that people are asked about is held until it is
/// decided, for that many seconds at most.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/tool-calls",
    operation_id = "propose",
    tag = "executor",
    params(OfThread, Caller, Prefer),
    request_body(content = api::ProposeRequest),
    responses(
        (status = 201, description = "The call, and where it stands.", body = api::Call, headers(
            ("preference-applied" = String, description = "The preference that was honoured, such as `wait=30`."),
        )),
        Refusals
    )
)]
pub(super) async fn propose(
    State(app): State<App>,
    OfThread(thread): OfThread,
    caller: Caller,
    Prefer(wait): Prefer,
    _: NoQuery,
    Body(call): Body<api::ProposeRequest>,
) -> Result<Response, Problem> {
    let mut proposed = app.gate.acting_as(caller.agent()).propose(&thread, &call).await?;
    if wait.is_some() && proposed.is_pending() {
        proposed = held(&app, &thread, &call.id, wait).await?;
    }
    Ok(applied(wait, (StatusCode::CREATED, Json(proposed))))
}
