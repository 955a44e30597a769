//! `POST /v1/threads/{thread}/tool-calls/{id}/erase`

use super::RouteAnswer;
use crate::{
    extract::{AdminGate, CallPath, JsonBody, NoQuery},
    openapi::refusals,
};
use axum::Json;
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: UnknownCall, CallOpen, GrantInForce, CallArchived, NotAnApprover);

/// Erases the texts of a call that has ended, for example because a law requires it.
///
/// The arguments, descriptions and comments, and the content of the result are replaced by their hashes in the log and in
/// the files of the database. Everything else stays, and the hash chain holds. Only an admin may erase.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/tool-calls/{id}/erase",
    operation_id = "erase",
    tag = "approver",
    params(CallPath),
    request_body(content = api::EraseRequest),
    responses((status = 200, description = "The call without its texts.", body = api::ErasureReport), Refusals)
)]
pub(super) async fn erase(
    gate: AdminGate,
    CallPath(thread, id): CallPath,
    _: NoQuery,
    JsonBody(erase): JsonBody<api::EraseRequest>,
) -> RouteAnswer<api::ErasureReport> {
    Ok(Json(gate.erase(&thread, &id, &erase).await?))
}
