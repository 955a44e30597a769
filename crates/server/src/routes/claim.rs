//! `POST /v1/threads/{thread}/tool-calls/{id}/claim`

use super::RouteAnswer;
use crate::{
    AppState,
    extract::{CallPath, JsonBody, NoQuery, RequestPrincipal},
    openapi::refusals,
};
use axum::{Json, extract::State};
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: UnknownCall, NotAllowed, AlreadyClaimed, ArgumentsChanged, DefinitionChanged, Blocked, ThreadClosed);

/// Claims a call, to start it.
///
/// The executor runs the `arguments` of the response and nothing else. A second claim is refused, even if it comes from
/// the same executor; the error contains the first claim.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/tool-calls/{id}/claim",
    operation_id = "claim",
    tag = "executor",
    params(CallPath, RequestPrincipal),
    request_body(content = api::ClaimRequest),
    responses((status = 200, description = "The call, running.", body = api::Call), Refusals)
)]
pub(super) async fn claim(
    State(app): State<AppState>,
    CallPath(thread, id): CallPath,
    caller: RequestPrincipal,
    _: NoQuery,
    JsonBody(claim): JsonBody<api::ClaimRequest>,
) -> RouteAnswer<api::Call> {
    Ok(Json(app.gate.acting_as(caller.agent()).claim(&thread, &id, &claim).await?))
}
