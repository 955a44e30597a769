//! `POST /v1/approvals/decide`

use super::RouteAnswer;
use crate::{
    extract::{DecideGate, JsonBody, NoQuery},
    problem::ProblemResponse,
};
use axum::Json;
use countersign_api::{self as api, ApprovalGate};

/// Decides on several calls.
///
/// Each decision has its own result, in request order: the call if the decision was accepted, the problem if it was
/// refused. A refused decision does not affect the others.
#[utoipa::path(
    post,
    path = "/v1/approvals/decide",
    operation_id = "decideAll",
    tag = "approver",
    extensions(("x-access" = json!(DecideGate::describe_access()))),
    request_body(content = api::BulkDecisionRequest),
    responses((status = 200, description = "The result of each decision.", body = api::BulkDecisionResponse))
)]
pub(super) async fn decide_all(
    gate: DecideGate,
    _: NoQuery,
    JsonBody(all): JsonBody<api::BulkDecisionRequest>,
) -> RouteAnswer<api::BulkDecisionResponse> {
    let answers = gate.decide_all(&all).await?;
    Ok(Json(api::BulkDecisionResponse { results: answers.into_iter().map(bulk_result).collect() }))
}

fn bulk_result(answer: api::DecisionAnswer) -> api::BulkDecisionResult {
    let api::DecisionAnswer { thread_id, id, outcome } = answer;
    let (call, problem) = match outcome {
        Ok(call) => (Some(call), None),
        Err(error) => (None, Some(ProblemResponse::from(error).into_problem())),
    };
    api::BulkDecisionResult { thread_id, id, call, problem }
}
