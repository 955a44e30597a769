//! `POST /v1/threads/{thread}/tool-calls/{id}/reach`

use super::RouteAnswer;
use crate::{
    AppState,
    extract::{JsonBody, NoQuery, OfCall},
    openapi::refusals,
};
use axum::{Json, extract::State};
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: UnknownCall);

/// See how far a decision would reach before it is made.
///
/// What it would have answered of the thread's last thousand calls, if it were remembered that wide. Nothing is
/// written.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/tool-calls/{id}/reach",
    operation_id = "reach",
    tag = "approver",
    params(OfCall),
    request_body(content = api::ScopeRequest),
    responses((status = 200, description = "How far it would reach.", body = api::ScopePreview), Refusals)
)]
pub(super) async fn reach(
    State(app): State<AppState>,
    OfCall(thread, id): OfCall,
    _: NoQuery,
    JsonBody(width): JsonBody<api::ScopeRequest>,
) -> RouteAnswer<api::ScopePreview> {
    Ok(Json(app.gate.preview_scope(&thread, &id, &width).await?))
}
