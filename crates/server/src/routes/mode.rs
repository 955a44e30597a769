//! `GET` and `PUT /v1/threads/{thread}/mode`

use super::{
    RouteAnswer,
    log_tag::{TaggedSchema, answer_by_log_tag},
};
use crate::{
    extract::{AdminGate, IfNoneMatch, JsonBody, NoQuery, ReadGate, ThreadPath},
    openapi::refusals,
    problem::ProblemResponse,
};
use axum::{Json, response::Response};
use countersign_api::{self as api, ApprovalGate};

refusals!(SetRefusals: UnknownThread, NotAnApprover, SelfApproval, NotEligible, ThreadClosed);

/// Returns the mode of a thread.
#[utoipa::path(
    get,
    path = "/v1/threads/{thread}/mode",
    operation_id = "getMode",
    tag = "thread",
    params(ThreadPath, IfNoneMatch),
    responses(TaggedSchema<api::ThreadMode>)
)]
pub(super) async fn show(
    gate: ReadGate,
    ThreadPath(thread): ThreadPath,
    cached: IfNoneMatch,
    _: NoQuery,
) -> Result<Response, ProblemResponse> {
    answer_by_log_tag(&gate, Some(&thread), &cached, gate.mode(&thread)).await
}

/// Sets the mode of a thread.
///
/// The mode answers the calls that people would be asked about. `interactive`: people decide. `approve_all`: these
/// calls are allowed. `auto_deny`: they are denied. A mode never lifts a block. Only people may set the mode.
#[utoipa::path(
    put,
    path = "/v1/threads/{thread}/mode",
    operation_id = "setMode",
    tag = "thread",
    params(ThreadPath),
    request_body(content = api::ModeRequest),
    responses((status = 200, description = "The mode.", body = api::ThreadMode), SetRefusals)
)]
pub(super) async fn set(
    gate: AdminGate,
    ThreadPath(thread): ThreadPath,
    _: NoQuery,
    JsonBody(set): JsonBody<api::ModeRequest>,
) -> RouteAnswer<api::ThreadMode> {
    Ok(Json(gate.set_mode(&thread, &set).await?))
}
