//! Thread conversations.

use crate::{CallId, ErrorCode, Json, Principal, ThreadId, Timestamp, ToolName, commands::read_word};
use countersign_events::{Decision, EventType, MessageFormat};
use serde::{Deserialize, Serialize};

/// Messages to add to a thread's conversation: one `message` at its end, or a part of it as `messages`, which starts at
/// `from`. What the log has already is not stored again.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"format": "openai", "messages": [
    {"role": "user", "content": "Deploy it."},
    {"role": "assistant", "content": "I ask first."}
]}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MessagesRequest {
    /// The message format.
    #[serde(deserialize_with = "read_word")]
    pub format: MessageFormat,
    /// One message, at the end of the conversation. If it is already the last one, it was sent before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>, required = false))]
    pub message: Option<Json>,
    /// The whole conversation, or the part of it that starts at `from`. From the first message that differs from the
    /// log, it replaces what the log has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<Object>>, required = false))]
    pub messages: Option<Vec<Json>>,
    /// The position of the first of `messages`, from 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "openapi", schema(format = Int64, minimum = 0, maximum = 100_000))]
    pub from: u32,
    /// The name that the client has for the sender. The log records the caller instead, whose name is proven. If it is not the
    /// caller's name, `human` or `user`, the messages decide nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl std::fmt::Debug for MessagesRequest {
    /// Leaves out the messages, which may hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = self.messages.as_ref().map(Vec::len);
        let mut shown = f.debug_struct("MessagesRequest");
        shown.field("format", &self.format).field("count", &count).finish_non_exhaustive()
    }
}

/// What became of messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "threadId": "t1", "messages": [{"seq": 1, "position": 0, "stored": false}, {"seq": 2, "position": 1, "stored": true}],
    "length": 2
}))))]
#[serde(rename_all = "camelCase")]
pub struct MessagesReport {
    /// The thread.
    pub thread_id: ThreadId,
    /// Each message of the request, in its order.
    pub messages: Vec<MessageReceipt>,
    /// The number of messages that the conversation has now.
    pub length: u32,
    /// Each decision that the messages contain, and what it did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<MessageDecision>,
    /// The pending calls of the thread, at most the first hundred, if the last message is a decision in words that does
    /// not fit exactly one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<PendingCallName>,
}

/// A decision in a message, and what it did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"position": 3, "id": "call_1", "decision": "allow_once", "outcome": "decided"}))))]
#[serde(rename_all = "camelCase")]
pub struct MessageDecision {
    /// The message's position in the conversation.
    pub position: u32,
    /// The call's id; absent if the message does not say which it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<CallId>,
    /// The decision; absent if it cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// What it did.
    pub outcome: MessageDecisionOutcome,
    /// The error's code, if it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = String, required = false))]
    pub code: Option<ErrorCode>,
    /// The reason, if it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What a decision in a message did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples("decided")))]
#[serde(rename_all = "snake_case")]
pub enum MessageDecisionOutcome {
    /// It decided the call.
    Decided,
    /// It is a vote, and the call needs more.
    Voted,
    /// The same decision was made before.
    AlreadyDecided,
    /// It was refused, and did nothing.
    Refused,
    /// An outcome that only a newer version knows.
    #[serde(other)]
    Other,
}

/// A pending call by its id and tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"id": "call_1", "name": "bash"}))))]
#[serde(rename_all = "camelCase")]
pub struct PendingCallName {
    /// The call's id.
    pub id: CallId,
    /// The tool.
    pub name: ToolName,
}

/// What became of one message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"seq": 2, "position": 1, "stored": true}))))]
#[serde(rename_all = "camelCase")]
pub struct MessageReceipt {
    /// The `seq` of its event.
    pub seq: i64,
    /// Its position in the conversation, from 0.
    pub position: u32,
    /// Whether this request stored it; false if the log had it already.
    pub stored: bool,
}

/// A conversation message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "seq": 1, "position": 0, "type": "USER_MESSAGE", "principal": "agent:builder", "at": "2026-01-31T12:00:00.000Z",
    "format": "openai", "message": {"role": "user", "content": "Deploy it."}, "text": "Deploy it."
}))))]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// The `seq` of its event.
    pub seq: i64,
    /// Its position in the conversation, from 0.
    pub position: u32,
    /// The type of its event, which says who speaks.
    #[serde(rename = "type")]
    pub kind: EventType,
    /// The caller that sent it. A program may send what a person said.
    pub principal: Principal,
    /// The time at which it was stored.
    pub at: Timestamp,
    /// Its format.
    pub format: MessageFormat,
    /// The message as it was sent, with masks instead of secrets; `null` if the thread is archived.
    pub message: Json,
    /// RFC 6901 pointers to the masked values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<String>,
    /// Its text, without markup of the format; absent if it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The ids of the calls that it proposes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposes: Vec<String>,
    /// The ids of the calls whose result it reports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
    /// The ids of the calls that it shows with a tool or arguments other than those in the log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<String>,
}

/// A conversation page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"messages": [], "next": null, "length": 0}))))]
#[serde(rename_all = "camelCase")]
pub struct MessagePage {
    /// The messages, in conversation order.
    pub messages: Vec<Message>,
    /// The next page's cursor, which is the position of its first message; `null` at the end.
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub next: Option<i64>,
    /// The number of messages of the conversation.
    pub length: u32,
}
