//! `POST /v1/threads/{thread}/tool-calls/{id}/scope`

use super::RouteAnswer;
use crate::{
    extract::{CallPath, DecideGate, JsonBody, NoQuery},
    openapi::refusals,
};
use axum::Json;
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: UnknownCall);

/// Previews the scope of a decision.
///
/// Counts the earlier calls, among the last thousand of the thread, that a decision remembered with this scope would have
/// answered, and lists the calls that wait and that the decision decides too if it says `andWaiting`. Writes nothing.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/tool-calls/{id}/scope",
    operation_id = "previewScope",
    tag = "approver",
    params(CallPath),
    request_body(content = api::ScopeRequest),
    responses((status = 200, description = "The calls that the scope covers.", body = api::ScopePreview), Refusals)
)]
pub(super) async fn preview_scope(
    gate: DecideGate,
    CallPath(thread, id): CallPath,
    _: NoQuery,
    JsonBody(scope): JsonBody<api::ScopeRequest>,
) -> RouteAnswer<api::ScopePreview> {
    Ok(Json(gate.preview_scope(&thread, &id, &scope).await?))
}
