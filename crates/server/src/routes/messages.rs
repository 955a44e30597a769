//! `GET` and `POST /v1/threads/{thread}/messages`

use super::{
    RouteAnswer,
    log_tag::{TaggedSchema, answer_by_log_tag},
    message_answer::MessageAnswer,
};
use crate::{
    extract::{ConverseGate, IfNoneMatch, JsonBody, MessageQuery, NoQuery, ReadGate, ThreadPath},
    openapi::refusals,
    problem::ProblemResponse,
};
use axum::{Json, response::Response};
use countersign_api::{self as api, ApprovalGate, ConversationReader};

refusals!(Refusals: ThreadClosed);

/// Lists the conversation of a thread, or returns all of it in one format.
///
/// The cursor is a place in the conversation, so `after=10` skips its first ten messages. Messages whose place others took,
/// because the conversation was continued differently, are in the log only.
///
/// With `for`, the answer is the whole conversation in one format: the input of a model, or what a client shows.
#[utoipa::path(
    get,
    path = "/v1/threads/{thread}/messages",
    operation_id = "listMessages",
    tag = "thread",
    params(ThreadPath, MessageQuery, IfNoneMatch),
    responses(TaggedSchema<MessageAnswer>)
)]
pub(super) async fn list(
    gate: ReadGate,
    ThreadPath(thread): ThreadPath,
    cached: IfNoneMatch,
    query: MessageQuery,
) -> Result<Response, ProblemResponse> {
    let reader = query.reader.or(query.format.map(|_| ConversationReader::Client));
    let Some(reader) = reader else {
        return answer_by_log_tag(&gate, Some(&thread), &cached, gate.messages(&thread, query.page)).await;
    };
    if query.page != api::PageQuery::default() {
        let detail = "`after` and `limit` do not apply with `for`, which returns the whole conversation";
        return Err(ProblemResponse::invalid(detail).with_parameter("for"));
    }
    let view = gate.conversation_view(&thread, reader, query.format);
    answer_by_log_tag(&gate, Some(&thread), &cached, view).await
}

/// Adds messages to the conversation of a thread.
///
/// Each is stored as it was sent, with masks in the place of secrets. Send one `message`, or the whole conversation as
/// `messages`, again and again: what the log has already, at the same place, is not stored again.
///
/// The decisions that messages contain are made, if the caller may decide: in the form of the format, or in words, such as
/// `approve_once bash`. `decisions` says what each did. The messages are stored in any case.
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
