//! `POST /v1/threads/{thread}/tool-calls/{id}/flag`

use super::RouteAnswer;
use crate::{
    extract::{CallPath, DecideGate, JsonBody, NoQuery},
    openapi::refusals,
};
use axum::Json;
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: UnknownCall, NotFlaggable, NotAnApprover, CallArchived);

/// Complains that a call was allowed.
///
/// The complaint changes nothing about the call. It counts against an advisor that allowed it, or advised to. Each person
/// flags a call once.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/tool-calls/{id}/flag",
    operation_id = "flag",
    tag = "approver",
    params(CallPath),
    request_body(content = api::FlagRequest),
    responses((status = 200, description = "The call with the complaint.", body = api::Call), Refusals)
)]
pub(super) async fn flag(
    gate: DecideGate,
    CallPath(thread, id): CallPath,
    _: NoQuery,
    JsonBody(request): JsonBody<api::FlagRequest>,
) -> RouteAnswer<api::Call> {
    Ok(Json(gate.flag(&thread, &id, &request).await?))
}
