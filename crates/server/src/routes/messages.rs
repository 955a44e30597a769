//! `GET` and `POST /v1/threads/{thread}/messages`

use super::{
    RouteAnswer,
    log_tag::{TaggedSchema, answer_by_log_tag},
};
use crate::{
    extract::{ConverseGate, IfNoneMatch, JsonBody, ListQuery, NoQuery, ReadGate, ThreadPath},
    openapi::refusals,
    problem::ProblemResponse,
};
use axum::{Json, response::Response};
use countersign_api::{self as api, ApprovalGate};

refusals!(Refusals: ThreadClosed);

/// Lists the conversation of a thread.
///
/// The cursor is a place in the conversation, so `after=10` skips its first ten messages. Messages whose place others took,
/// because the conversation was continued differently, are in the log only.
#[utoipa::path(
    get,
    path = "/v1/threads/{thread}/messages",
    operation_id = "listMessages",
    tag = "thread",
    params(ThreadPath, ListQuery, IfNoneMatch),
    responses(TaggedSchema<api::MessagePage>)
)]
pub(super) async fn list(
    gate: ReadGate,
    ThreadPath(thread): ThreadPath,
    cached: IfNoneMatch,
    query: ListQuery,
) -> Result<Response, ProblemResponse> {
    answer_by_log_tag(&gate, Some(&thread), &cached, gate.messages(&thread, query.page)).await
}

/// Adds messages to the conversation of a thread.
///
/// Each is stored as it was sent, with masks in the place of secrets. Send one `message`, or the whole conversation as
/// `messages`, again and again: what the log has already, at the same place, is not stored again. A message decides
/// nothing.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/messages",
    operation_id = "addMessages",
    tag = "thread",
    params(ThreadPath),
    request_body(content = api::MessagesRequest),
    responses((status = 200, description = "What became of each message.", body = api::MessagesReport), Refusals)
)]
pub(super) async fn add(
    gate: ConverseGate,
    ThreadPath(thread): ThreadPath,
    _: NoQuery,
    JsonBody(messages): JsonBody<api::MessagesRequest>,
) -> RouteAnswer<api::MessagesReport> {
    Ok(Json(gate.add_messages(&thread, &messages).await?))
}
