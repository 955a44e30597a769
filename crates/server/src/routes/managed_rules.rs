//! `POST /v1/policy/managed-rules`, and `POST /v1/policy/managed-rules/remove`

use super::RouteAnswer;
use crate::{
    extract::{AdminGate, JsonBody, NoQuery},
    openapi::refusals,
};
use axum::Json;
use countersign_api as api;
use countersign_gate::{add_managed_rule, remove_managed_rule};

refusals!(ManagedRuleRefusals: NotAnApprover);

/// Adds one rule to the managed layer of the policy, and puts the policy in force.
///
/// The managed layer has the rules that people accepted one by one, `policy.d/managed.toml` among the layers. It may have
/// only rules that allow. Such a rule answers a call that would be asked because nothing else has a verdict for it: a rule
/// that asks or blocks is stricter and wins, and where the default blocks it has no effect. Files that are put in force
/// later keep the managed layer. If the name is taken in the layer, the rule gets a number.
#[utoipa::path(
    post,
    path = "/v1/policy/managed-rules",
    operation_id = "addManagedRule",
    tag = "policy",
    request_body(content = api::ManagedRuleRequest),
    responses((status = 200, description = "The policy in force.", body = api::PolicyInForce), ManagedRuleRefusals)
)]
pub(super) async fn add(
    gate: AdminGate,
    _: NoQuery,
    JsonBody(request): JsonBody<api::ManagedRuleRequest>,
) -> RouteAnswer<api::PolicyInForce> {
    Ok(Json(add_managed_rule(&*gate, &request).await?))
}

/// Removes one rule from the managed layer of the policy, and puts the policy in force.
#[utoipa::path(
    post,
    path = "/v1/policy/managed-rules/remove",
    operation_id = "removeManagedRule",
    tag = "policy",
    request_body(content = api::RemoveManagedRuleRequest),
    responses((status = 200, description = "The policy in force.", body = api::PolicyInForce), ManagedRuleRefusals)
)]
pub(super) async fn remove(
    gate: AdminGate,
    _: NoQuery,
    JsonBody(request): JsonBody<api::RemoveManagedRuleRequest>,
) -> RouteAnswer<api::PolicyInForce> {
    Ok(Json(remove_managed_rule(&*gate, &request).await?))
}
