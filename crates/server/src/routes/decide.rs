//! `POST /v1/threads/{thread}/approvals/{id}`

use super::RouteAnswer;
use crate::{
    AppState,
    extract::{JsonBody, NoQuery, OfCall, OfThread, RequestPrincipal},
    openapi::refusals,
};
use axum::{Json, extract::State};
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: UnknownCall, NotAnApprover, SelfApproval, NotEligible, AlreadyDecided, AlreadyVoted, ArgumentsChanged, Blocked, NotOffered);

/// Decide on a call.
///
/// Only people decide, and never on what they proposed. The second decision loses, and is told who won; the
/// same one again is a success. Where it takes several, this is a vote, and the call is decided by the one that
/// makes it enough.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/approvals/{id}",
    operation_id = "decide",
    tag = "approver",
    params(OfCall, RequestPrincipal),
    request_body(content = api::DecisionRequest),
    responses((status = 200, description = "The call, decided.", body = api::Call), Refusals)
)]
pub(super) async fn decide(
    State(app): State<AppState>,
    OfCall(thread, id): OfCall,
    caller: RequestPrincipal,
    _: NoQuery,
    JsonBody(decide): JsonBody<api::DecisionRequest>,
) -> RouteAnswer<api::Call> {
    Ok(Json(app.gate.acting_as(caller.person()).decide(&thread, &id, &decide).await?))
}

/// Decide on a call whose id is `pending`.
///
/// The word under which a thread's pending calls are listed may be a call's id, too.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/approvals/pending",
    operation_id = "decidePending",
    tag = "approver",
    params(OfThread, RequestPrincipal),
    request_body(content = api::DecisionRequest),
    responses((status = 200, description = "The call, decided.", body = api::Call), Refusals)
)]
pub(super) async fn decide_pending(
    State(app): State<AppState>,
    OfThread(thread): OfThread,
    caller: RequestPrincipal,
    _: NoQuery,
    JsonBody(decide): JsonBody<api::DecisionRequest>,
) -> RouteAnswer<api::Call> {
    let id = countersign_api::parse_call_id("pending")?;
    Ok(Json(app.gate.acting_as(caller.person()).decide(&thread, &id, &decide).await?))
}
