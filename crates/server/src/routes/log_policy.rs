//! `GET` and `PUT /v1/policy`, and `GET /v1/policy/history`

use super::{
    RouteAnswer,
    log_tag::{TaggedSchema, answer_by_log_tag},
};
use crate::{
    extract::{AdminGate, IfNoneMatch, JsonBody, ListQuery, NoQuery, ReadPolicyGate},
    openapi::refusals,
    problem::ProblemResponse,
};
use axum::{Json, response::Response};
use countersign_api::{self as api, ApprovalGate};

refusals!(ApplyRefusals: NotAnApprover);
refusals!(HistoryRefusals: BadCursor);

/// Returns the policy in force.
#[utoipa::path(
    get,
    path = "/v1/policy",
    operation_id = "getPolicy",
    tag = "policy",
    params(IfNoneMatch),
    responses(TaggedSchema<api::PolicyInForce>)
)]
pub(super) async fn show(
    gate: ReadPolicyGate,
    cached: IfNoneMatch,
    _: NoQuery,
) -> Result<Response, ProblemResponse> {
    answer_by_log_tag(&gate, None, &cached, gate.policy()).await
}

/// Puts a policy in force, for every process that uses the log.
///
/// A policy with an error changes nothing. The request names the policy that it replaces, and is refused if another one
/// is in force by then. A policy that is in force already changes nothing. Only people may change the policy.
#[utoipa::path(
    put,
    path = "/v1/policy",
    operation_id = "applyPolicy",
    tag = "policy",
    request_body(content = api::PolicyRequest),
    responses((status = 200, description = "The policy in force.", body = api::PolicyInForce), ApplyRefusals)
)]
pub(super) async fn apply(
    gate: AdminGate,
    _: NoQuery,
    JsonBody(request): JsonBody<api::PolicyRequest>,
) -> RouteAnswer<api::PolicyInForce> {
    Ok(Json(gate.apply_policy(&request).await?))
}

/// Returns the events that put policies in force, the oldest first.
#[utoipa::path(
    get,
    path = "/v1/policy/history",
    operation_id = "listPolicies",
    tag = "policy",
    params(ListQuery, IfNoneMatch),
    responses(TaggedSchema<api::EventPage>, HistoryRefusals)
)]
pub(super) async fn history(
    gate: ReadPolicyGate,
    cached: IfNoneMatch,
    query: ListQuery,
) -> Result<Response, ProblemResponse> {
    answer_by_log_tag(&gate, None, &cached, gate.policy_history(query.page)).await
}
