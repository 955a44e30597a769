//! `GET /v1/threads/{thread}/grants` and `DELETE /v1/threads/{thread}/grants/{seq}`

use super::{
    RouteAnswer,
    log_tag::{TaggedSchema, answer_by_log_tag},
};
use crate::{
    AppState,
    extract::{IfNoneMatch, NoQuery, OfGrant, OfThread, PageOf, RequestPrincipal},
    openapi::refusals,
    problem::ProblemResponse,
};
use axum::{Json, extract::State, response::Response};
use countersign_api::{self as api, ApprovalGate};

refusals!(RevokeRefusals: UnknownGrant, NotAnApprover);

/// The standing grants of a thread.
#[utoipa::path(
    get,
    path = "/v1/threads/{thread}/grants",
    operation_id = "listGrants",
    tag = "thread",
    params(OfThread, PageOf, IfNoneMatch),
    responses(TaggedSchema<api::GrantPage>)
)]
pub(super) async fn list(
    State(app): State<AppState>,
    OfThread(thread): OfThread,
    have: IfNoneMatch,
    query: PageOf,
) -> Result<Response, ProblemResponse> {
    answer_by_log_tag(&app, Some(&thread), &have, app.gate.grants(&thread, query.page)).await
}

/// Take a grant back.
///
/// What it answered before stays answered. Only people take one back: it may be a denial.
#[utoipa::path(
    delete,
    path = "/v1/threads/{thread}/grants/{seq}",
    operation_id = "revokeGrant",
    tag = "thread",
    params(OfGrant, RequestPrincipal),
    responses((status = 200, description = "The grants that are left, as far as a page goes.", body = api::GrantPage), RevokeRefusals)
)]
pub(super) async fn revoke(
    State(app): State<AppState>,
    OfGrant(thread, grant): OfGrant,
    caller: RequestPrincipal,
    _: NoQuery,
) -> RouteAnswer<api::GrantPage> {
    Ok(Json(app.gate.acting_as(caller.person()).revoke(&thread, grant).await?))
}
