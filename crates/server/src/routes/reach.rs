//! `POST /v1/threads/{thread}/tool-calls/{id}/reach`

use super::Answer;
use crate::{
    App,
    extract::{Body, NoQuery, OfCall},
    openapi::refusals,
};
use axum::{Json, extract::State};
use countersign_gate::api;

refusals!(Refusals: READS ASKED BODY, "unknown_call");

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
    request_body(content = api::Width),
    responses((status = 200, description = "How far it would reach.", body = api::Reach), Refusals)
)]
pub(super) async fn reach(
    State(app): State<App>,
    OfCall(thread, id): OfCall,
    _: NoQuery,
    Body(width): Body<api::Width>,
) -> Answer<api::Reach> {
    Ok(Json(app.gate.reach(&thread, &id, &width).await?))
}
