//! `POST /v1/threads/{thread}/tool-calls/{id}/claim/renew`

use super::RouteAnswer;
use crate::{
    extract::{CallPath, ExecuteGate, JsonBody, NoQuery},
    openapi::refusals,
};
use axum::Json;
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: UnknownCall, AlreadyFinished, NotClaimed, NotTheExecutor);

/// Extends the lease of a claim.
///
/// An executor renews its lease for as long as it runs the call, after each third of it. A renewal writes nothing while
/// three quarters of the lease remain. An executor whose lease has lapsed may renew it, unless another executor has
/// taken over the call.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/tool-calls/{id}/claim/renew",
    operation_id = "renewClaim",
    tag = "executor",
    params(CallPath),
    request_body(content = api::RenewRequest),
    responses((status = 200, description = "The call, running.", body = api::Call), Refusals)
)]
pub(super) async fn renew(
    gate: ExecuteGate,
    CallPath(thread, id): CallPath,
    _: NoQuery,
    JsonBody(renew): JsonBody<api::RenewRequest>,
) -> RouteAnswer<api::Call> {
    Ok(Json(gate.renew_claim(&thread, &id, &renew).await?))
}
