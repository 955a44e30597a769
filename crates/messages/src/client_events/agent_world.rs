//! The events of Agent World: notes of the world, chunks with the tool call that asks a person, the ends of streams, and
//! messages.

use crate::{
    client_tool::request_id,
    formats::{read_neutral, request_call, request_message},
    json_tree::JsonTree,
    neutral::NeutralMessage,
};
use countersign_api::Call;
use countersign_events::{
    Event, EventType, Json, Principal, Timestamp,
    event::{ConversationMessage, MessageFormat},
};

/// The message that asks a person: one of the assistant, with one call of `client.requestApproval`.
#[must_use]
pub fn write_approval_message(call: &Call) -> Json {
    request_message(call).to_json()
}

/// A note of the world.
#[must_use]
pub fn write_world_note(text: &str, at: Timestamp) -> Json {
    let note = JsonTree::object([
        ("type", "info".into()),
        ("message", text.into()),
        ("timestamp", at.to_string().into()),
    ]);
    wrap("world", note)
}

/// The request for approval of a call: a note, a chunk with the call of the client's tool, and the end of the stream of its
/// message.
#[must_use]
pub fn write_world_request(call: &Call, at: Timestamp) -> [Json; 3] {
    let part = |kind: &str| {
        JsonTree::object([
            ("agentName", agent_name(&call.proposal.principal).into()),
            ("type", kind.into()),
            ("messageId", request_id(call.id.as_str()).into()),
        ])
    };
    let chunk = part("chunk").with("tool_calls", vec![request_call(call)]);
    [
        write_world_note(&format!("Tool {} requires approval - checking...", call.name), at),
        wrap("sse", chunk),
        wrap("sse", part("end")),
    ]
}

/// The failure of a stream.
#[must_use]
pub fn write_world_failure(detail: &str) -> Json {
    wrap("sse", JsonTree::object([("type", "error".into()), ("error", detail.into())]))
}

/// A message of the conversation, and whether the agent has said its last word: it speaks and calls no tool.
#[must_use]
pub fn write_world_message(event: &Event, message: &ConversationMessage) -> (Json, bool) {
    let tree = JsonTree::parse(&message.content).unwrap_or(JsonTree::Null);
    let read = read_neutral(message.format, &tree).ok();
    let text = read.as_ref().map(NeutralMessage::text).unwrap_or_default();
    let has_calls = read.as_ref().is_some_and(|read| read.proposed_calls().next().is_some());
    let is_agent = event.kind == EventType::AgentMessage;
    let calls = Some(tree.list_of("tool_calls")).filter(|calls| !calls.is_empty());
    let calls = calls.filter(|_| message.format == MessageFormat::OpenAi);
    let role = tree.text_of("role").unwrap_or(if is_agent { "assistant" } else { "user" });
    let data = JsonTree::object([
        ("type", "message".into()),
        ("sender", agent_name(&event.principal).into()),
        ("content", text.as_str().into()),
        ("messageId", event.seq.to_string().into()),
        ("createdAt", event.timestamp.to_string().into()),
        ("role", role.into()),
    ]);
    let data = data.with_optional("tool_calls", calls.map(<[JsonTree]>::to_vec));
    (wrap("message", data), is_agent && !has_calls && !text.is_empty() && role == "assistant")
}

fn wrap(kind: &str, data: JsonTree) -> Json {
    JsonTree::object([("type", kind.into()), ("data", data)]).to_json()
}

/// The name of a principal without its kind.
fn agent_name(principal: &Principal) -> &str {
    principal.as_str().split_once(':').map_or(principal.as_str(), |(_, name)| name)
}
