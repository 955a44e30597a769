//! `GET /v1/threads/{thread}/grants` and `DELETE /v1/threads/{thread}/grants/{seq}`

use super::{
    RouteAnswer,
    log_tag::{TaggedSchema, answer_by_log_tag},
};
use crate::{
    extract::{DecideGate, GrantPath, GrantQuery, IfNoneMatch, NoQuery, ReadGate, ThreadPath},
    openapi::refusals,
    problem::ProblemResponse,
};
use axum::{Json, response::Response};
use countersign_api::{self as api, ApprovalGate};

refusals!(RevokeRefusals: UnknownGrant, NotAnApprover, SelfApproval, NotEligible);

/// Lists the active grants of a thread, or with `all=true` also those that have ended, the oldest first.
#[utoipa::path(
    get,
    path = "/v1/threads/{thread}/grants",
    operation_id = "listGrants",
    tag = "thread",
    params(ThreadPath, GrantQuery, IfNoneMatch),
    responses(TaggedSchema<api::GrantPage>)
)]
pub(super) async fn list(
    gate: ReadGate,
    ThreadPath(thread): ThreadPath,
    cached: IfNoneMatch,
    query: GrantQuery,
) -> Result<Response, ProblemResponse> {
    let selection = if query.all { api::GrantSelection::All } else { api::GrantSelection::Active };
    answer_by_log_tag(&gate, Some(&thread), &cached, gate.grants(&thread, selection, query.page)).await
}

/// Revokes a grant.
///
/// Calls that the grant has already answered keep their decision. Only people may revoke a grant, because it may be a
/// denial.
#[utoipa::path(
    delete,
    path = "/v1/threads/{thread}/grants/{seq}",
    operation_id = "revokeGrant",
    tag = "thread",
    params(GrantPath),
    responses((status = 200, description = "The first page of the remaining grants.", body = api::GrantPage), RevokeRefusals)
)]
pub(super) async fn revoke(
    gate: DecideGate,
    GrantPath(thread, grant): GrantPath,
    _: NoQuery,
) -> RouteAnswer<api::GrantPage> {
    Ok(Json(gate.revoke(&thread, grant).await?))
}
