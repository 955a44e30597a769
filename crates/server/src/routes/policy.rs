//! `GET` and `PUT /v1/threads/{thread}/policy`

use super::{
    Answer,
    by_log::{Tagged, by_log},
};
use crate::{
    App,
    extract::{Body, Caller, IfNoneMatch, NoQuery, OfThread},
    openapi::refusals,
    problem::Problem,
};
use axum::{Json, extract::State, response::Response};
use countersign_api::{self as api, ApprovalGate};

refusals!(SetRefusals: NotAnApprover, ThreadClosed);

/// What a thread says of tools itself.
#[utoipa::path(
    get,
    path = "/v1/threads/{thread}/policy",
    operation_id = "getPolicies",
    tag = "thread",
    params(OfThread, IfNoneMatch),
    responses(Tagged<api::ThreadPolicies>)
)]
pub(super) async fn show(
    State(app): State<App>,
    OfThread(thread): OfThread,
    have: IfNoneMatch,
    _: NoQuery,
) -> Result<Response, Problem> {
    by_log(&app, Some(&thread), &have, app.gate.policies(&thread)).await
}

/// Give tools policies of the thread's own.
///
/// Tools that are not named keep what they have; `default` takes an own policy away. Only people set them.
#[utoipa::path(
    put,
    path = "/v1/threads/{thread}/policy",
    operation_id = "setPolicies",
    tag = "thread",
    params(OfThread, Caller),
    request_body(content = api::ToolPoliciesRequest),
    responses((status = 200, description = "The own policies of the thread.", body = api::ThreadPolicies), SetRefusals)
)]
pub(super) async fn set(
    State(app): State<App>,
    OfThread(thread): OfThread,
    caller: Caller,
    _: NoQuery,
    Body(set): Body<api::ToolPoliciesRequest>,
) -> Answer<api::ThreadPolicies> {
    Ok(Json(app.gate.acting_as(caller.person()).set_policies(&thread, &set).await?))
}
