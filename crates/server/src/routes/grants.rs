//! `GET /v1/threads/{thread}/grants` and `DELETE /v1/threads/{thread}/grants/{seq}`

use super::{
    RouteAnswer,
    log_tag::{TaggedSchema, answer_by_log_tag},
};
use crate::{
    AppState,
    extract::{GrantPath, GrantQuery, IfNoneMatch, NoQuery, RequestPrincipal, ThreadPath},
    openapi::refusals,
    problem::ProblemResponse,
};
use axum::{Json, extract::State, response::Response};
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
    State(app): State<AppState>,
    ThreadPath(thread): ThreadPath,
    cached: IfNoneMatch,
    query: GrantQuery,
) -> Result<Response, ProblemResponse> {
    answer_by_log_tag(&app, Some(&thread), &cached, app.gate.grants(&thread, query.grants, query.page)).await
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
    params(GrantPath, RequestPrincipal),
    responses((status = 200, description = "The first page of the remaining grants.", body = api::GrantPage), RevokeRefusals)
)]
pub(super) async fn revoke(
    State(app): State<AppState>,
    GrantPath(thread, grant): GrantPath,
    caller: RequestPrincipal,
    _: NoQuery,
) -> RouteAnswer<api::GrantPage> {
    Ok(Json(app.gate.acting_as(caller.person()).revoke(&thread, grant).await?))
}
