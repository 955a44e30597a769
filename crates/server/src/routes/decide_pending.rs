//! `POST /v1/threads/{thread}/approvals/pending`

use super::RouteAnswer;
use crate::{
    extract::{DecideGate, JsonBody, NoQuery, ThreadPath},
    openapi::OperationRefusals,
};
use axum::Json;
use countersign_api::{self as api, CallGate, operations::DecideCall};

/// Decides on a call whose id is `pending`.
///
/// This path also lists the pending calls of a thread, so it is separate from the path of all other ids. It behaves in
/// the same way.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/approvals/pending",
    operation_id = "decidePending",
    tag = "approver",
    extensions(("x-access" = json!(DecideGate::describe_access()))),
    params(ThreadPath),
    request_body(content = api::DecisionRequest),
    responses((status = 200, description = "The call, decided or with one more vote.", body = api::Call), OperationRefusals<DecideCall>)
)]
pub(super) async fn decide_pending(
    gate: DecideGate,
    ThreadPath(thread): ThreadPath,
    _: NoQuery,
    JsonBody(decide): JsonBody<api::DecisionRequest>,
) -> RouteAnswer<api::Call> {
    let id = countersign_api::parse_call_id("pending")?;
    Ok(Json(gate.decide(&thread, &id, &decide).await?))
}
