//! `POST /v1/approvals/decide`

use super::Answer;
use crate::{
    App,
    extract::{Body, Caller, NoQuery},
    openapi::refusals,
    problem::Problem,
};
use axum::{Json, extract::State};
use countersign_gate::api;

refusals!(Refusals: READS WRITES ASKED BODY);

/// Decide on several calls at once.
///
/// Each is answered for itself, in the order of the decisions: the call if the decision was taken, the problem
/// if it was not. A refusal spoils none of the others.
#[utoipa::path(
    post,
    path = "/v1/approvals/decide",
    operation_id = "decideAll",
    tag = "approver",
    params(Caller),
    request_body(content = api::DecideAll),
    responses((status = 200, description = "What came of each decision.", body = api::Decided), Refusals)
)]
pub(super) async fn decide_all(
    State(app): State<App>,
    caller: Caller,
    _: NoQuery,
    Body(all): Body<api::DecideAll>,
) -> Answer<api::Decided> {
    let answered = app.gate.acting_as(caller.person()).decide_all(&all).await?;
    Ok(Json(api::Decided { results: answered.into_iter().map(told).collect() }))
}

fn told(answered: api::Answered) -> api::DecidedOne {
    let api::Answered { thread_id, id, outcome } = answered;
    let (call, problem) = match outcome {
        Ok(call) => (Some(call), None),
        Err(error) => (None, Some(Problem::from(error).told())),
    };
    api::DecidedOne { thread_id, id, call, problem }
}
