//! `POST /v1/threads/{thread}/tool-calls/{id}/claim`

use super::RouteAnswer;
use crate::{
    extract::{CallPath, ExecuteGate, JsonBody, NoQuery},
    openapi::refusals,
};
use axum::Json;
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: UnknownCall, NotAllowed, AlreadyClaimed, ArgumentsChanged, AmbiguousArguments, DefinitionChanged, AdviceOutdated, Blocked, ThreadClosed);

/// Claims a call, to start it.
///
/// The executor runs the `arguments` of the response and nothing else. A second claim is refused, even if it comes from
/// the same executor; the error contains the first claim.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/tool-calls/{id}/claim",
    operation_id = "claim",
    tag = "executor",
    params(CallPath),
    request_body(content = api::ClaimRequest),
    responses((status = 200, description = "The call, running.", body = api::Call), Refusals)
)]
pub(super) async fn claim(
    gate: ExecuteGate,
    CallPath(thread, id): CallPath,
    _: NoQuery,
    JsonBody(claim): JsonBody<api::ClaimRequest>,
) -> RouteAnswer<api::Call> {
    Ok(Json(gate.claim(&thread, &id, &claim).await?))
}
