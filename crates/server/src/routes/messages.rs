//! `GET /v1/threads/{thread}/messages`

use super::{
    log_tag::{TaggedSchema, answer_by_log_tag},
    message_answer::MessageAnswer,
};
use crate::{
    extract::{IfNoneMatch, MessageQuery, ReadGate, ThreadPath},
    problem::ProblemResponse,
};
use axum::response::Response;
use countersign_api::{self as api, ApprovalGate, ConversationReader};

/// Lists a thread's conversation, or returns all of it in one format.
///
/// The cursor is a position in the conversation, so `after=10` skips its first ten messages. Messages that others
/// replaced, because the conversation was continued differently, are in the log only.
///
/// With `for`, the answer is the whole conversation in one format: a model's input, or what a client shows.
#[utoipa::path(
    get,
    path = "/v1/threads/{thread}/messages",
    operation_id = "listMessages",
    tag = "thread",
    extensions(("x-access" = json!(ReadGate::describe_access()))),
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
