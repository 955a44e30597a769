//! `POST /v1/threads/{thread}/approvals/{id}`

use super::RouteAnswer;
use crate::{
    extract::{CallPath, DecideGate, JsonBody, NoQuery, ThreadPath},
    openapi::refusals,
};
use axum::Json;
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: UnknownCall, NotAnApprover, SelfApproval, NotEligible, ProofRequired, ProofInvalid, AlreadyDecided, AlreadyVoted, ArgumentsChanged, AmbiguousArguments, Blocked, NotOffered);

/// Decides on a call.
///
/// Only people decide, and never on calls that they proposed. A decision that differs from an earlier one is refused,
/// and the error contains the earlier one; repeating the same decision succeeds. If the request needs several
/// approvers, the decision is a vote, and the call is decided when there are enough votes. If it needs a proof, an
/// approval without one is refused with `proof_required` and the statement to sign.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/approvals/{id}",
    operation_id = "decide",
    tag = "approver",
    params(CallPath),
    request_body(content = api::DecisionRequest),
    responses((status = 200, description = "The call, decided or with one more vote.", body = api::Call), Refusals)
)]
pub(super) async fn decide(
    gate: DecideGate,
    CallPath(thread, id): CallPath,
    _: NoQuery,
    JsonBody(decide): JsonBody<api::DecisionRequest>,
) -> RouteAnswer<api::Call> {
    Ok(Json(gate.decide(&thread, &id, &decide).await?))
}

/// Decides on a call whose id is `pending`.
///
/// This path also lists the pending calls of a thread, so it is separate from the path of all other ids. It behaves in
/// the same way.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/approvals/pending",
    operation_id = "decidePending",
    tag = "approver",
    params(ThreadPath),
    request_body(content = api::DecisionRequest),
    responses((status = 200, description = "The call, decided or with one more vote.", body = api::Call), Refusals)
)]
pub(super) async fn decide_pending(
    gate: DecideGate,
    ThreadPath(thread): ThreadPath,
    _: NoQuery,
    JsonBody(decide): JsonBody<api::DecisionRequest>,
) -> RouteAnswer<api::Call> {
    let id = countersign_api::parse_call_id("pending")?;
    Ok(Json(gate.decide(&thread, &id, &decide).await?))
}
