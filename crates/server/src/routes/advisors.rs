//! `GET /v1/advisors`, `POST /v1/advisors/{name}/reports`, `POST /v1/advisors/{name}/mode`

use super::RouteAnswer;
use crate::{
    extract::{AdminGate, AdvisorPath, JsonBody, NoQuery, ReadPolicyGate},
    openapi::refusals,
};
use axum::Json;
use countersign_api::{self as api, ApprovalGate};

refusals!(NameRefusals: UnknownAdvisor);

/// Lists the advisors of the policy in force, with the mode in effect of each and the reason for it.
///
/// The list never has an address beyond its host, the arguments of a program, or a key.
#[utoipa::path(
    get,
    path = "/v1/advisors",
    operation_id = "listAdvisors",
    tag = "advisors",
    responses((status = 200, description = "The advisors.", body = api::AdvisorList))
)]
pub(super) async fn list(gate: ReadPolicyGate, _: NoQuery) -> RouteAnswer<api::AdvisorList> {
    Ok(Json(gate.advisors().await?))
}

/// Records a report on an advisor: how its answers compare with the decisions of people.
///
/// An advisor of the mode `decide` decides only if its last report meets the thresholds of the policy, or if a person has
/// said that it may.
#[utoipa::path(
    post,
    path = "/v1/advisors/{name}/reports",
    operation_id = "reportAdvisor",
    tag = "advisors",
    params(AdvisorPath),
    request_body(content = api::AdvisorReportRequest),
    responses((status = 200, description = "The advisors.", body = api::AdvisorList))
)]
pub(super) async fn report(
    gate: AdminGate,
    AdvisorPath(name): AdvisorPath,
    _: NoQuery,
    JsonBody(request): JsonBody<api::AdvisorReportRequest>,
) -> RouteAnswer<api::AdvisorList> {
    Ok(Json(gate.report_advisor(&name, &request).await?))
}

/// Lets an advisor decide, or only advise.
///
/// `decide` needs a statement, which the log keeps. It lets the advisor decide where the policy does, even if no report
/// meets the thresholds, and lifts a fall-back.
#[utoipa::path(
    post,
    path = "/v1/advisors/{name}/mode",
    operation_id = "setAdvisorMode",
    tag = "advisors",
    params(AdvisorPath),
    request_body(content = api::AdvisorModeRequest),
    responses((status = 200, description = "The advisors.", body = api::AdvisorList), NameRefusals)
)]
pub(super) async fn set_mode(
    gate: AdminGate,
    AdvisorPath(name): AdvisorPath,
    _: NoQuery,
    JsonBody(request): JsonBody<api::AdvisorModeRequest>,
) -> RouteAnswer<api::AdvisorList> {
    Ok(Json(gate.set_advisor_mode(&name, &request).await?))
}
