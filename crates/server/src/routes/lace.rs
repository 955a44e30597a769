//! The interface of Lace: `POST /api/threads/{thread}/approvals/{id}` and `GET /api/threads/{thread}/approvals/pending`

use super::RouteAnswer;
use crate::{
    extract::{CallPath, DecideGate, JsonBody, NoQuery, ReadGate, ThreadPath},
    openapi::refusals,
};
use axum::Json;
use countersign_api::{self as api, ApprovalGate, LogFilter, PageQuery};

refusals!(Refusals: UnknownCall, NotAnApprover, SelfApproval, NotEligible, ProofRequired, AlreadyDecided, AlreadyVoted, Blocked, NotOffered);

/// Decides on a call, for a client of Lace.
///
/// `allow_session` is remembered for the whole tool, as Lace does. A client that decides on narrower scopes, comments or
/// edits uses `POST /v1/threads/{thread}/approvals/{id}`, whose rules are the same.
#[utoipa::path(
    post,
    path = "/api/threads/{thread}/approvals/{id}",
    operation_id = "laceDecide",
    tag = "lace",
    params(CallPath),
    request_body(content = api::LaceDecision),
    responses((status = 200, description = "The decision or the vote is recorded.", body = api::LaceAnswer), Refusals)
)]
pub(super) async fn decide(
    gate: DecideGate,
    CallPath(thread, id): CallPath,
    _: NoQuery,
    JsonBody(request): JsonBody<api::LaceDecision>,
) -> RouteAnswer<api::LaceAnswer> {
    let whole_tool = (request.decision == api::LaceWord::AllowSession).then(|| api::Json::string("tool"));
    let decide = api::DecisionRequest {
        scope: whole_tool,
        ..api::DecisionRequest::plain(request.decision.decision())
    };
    gate.decide(&thread, &id, &decide).await?;
    Ok(Json(api::LaceAnswer { success: true }))
}

/// Lists the pending calls of a thread, for a client of Lace that has connected again: the 1,000 oldest.
#[utoipa::path(
    get,
    path = "/api/threads/{thread}/approvals/pending",
    operation_id = "laceListPending",
    tag = "lace",
    params(ThreadPath),
    responses((status = 200, description = "The pending calls.", body = api::LacePendingList))
)]
pub(super) async fn list_pending(
    gate: ReadGate,
    ThreadPath(thread): ThreadPath,
    _: NoQuery,
) -> RouteAnswer<api::LacePendingList> {
    let page = PageQuery { after: 0, limit: api::MAX_PAGE };
    let pending = gate.pending(&LogFilter::of_thread(&thread), page).await?.pending;
    let pending_approvals = pending.into_iter().filter_map(api::LacePendingApproval::from_call).collect();
    Ok(Json(api::LacePendingList { pending_approvals }))
}
