//! `GET` and `PUT /v1/threads/{thread}/policy`

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

/// Returns the tool policies of a thread.
#[utoipa::path(
    get,
    path = "/v1/threads/{thread}/policy",
    operation_id = "getPolicies",
    tag = "thread",
    params(ThreadPath, IfNoneMatch),
    responses(TaggedSchema<api::ThreadPolicies>)
)]
pub(super) async fn show(
    gate: ReadGate,
    ThreadPath(thread): ThreadPath,
    cached: IfNoneMatch,
    _: NoQuery,
) -> Result<Response, ProblemResponse> {
    answer_by_log_tag(&gate, Some(&thread), &cached, gate.policies(&thread)).await
}

/// Sets tool policies of a thread.
///
/// Tools that the request does not name keep their policy; `default` removes the policy of a tool. Only people may set
/// policies.
#[utoipa::path(
    put,
    path = "/v1/threads/{thread}/policy",
    operation_id = "setPolicies",
    tag = "thread",
    params(ThreadPath),
    request_body(content = api::ToolPoliciesRequest),
    responses((status = 200, description = "The tool policies of the thread.", body = api::ThreadPolicies), SetRefusals)
)]
pub(super) async fn set(
    gate: AdminGate,
    ThreadPath(thread): ThreadPath,
    _: NoQuery,
    JsonBody(set): JsonBody<api::ToolPoliciesRequest>,
) -> RouteAnswer<api::ThreadPolicies> {
    Ok(Json(gate.set_policies(&thread, &set).await?))
}
