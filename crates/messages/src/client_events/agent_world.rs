//! The events of Agent World: notes of the world, chunks with the tool call that asks a person, the ends of streams, and
//! messages.

use crate::{
    formats::{read_neutral, request_call, request_message},
    json_tree::JsonTree,
    neutral::NeutralMessage,
    request_names::{is_client_tool, request_id},
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

/// A message of the conversation, and whether the agent has said its last word: it speaks and calls no tool. `differs` are the
/// calls that it shows differently from the log. They are written as sentences, and calls of the client's tools are left out:
/// only [`write_world_request`] asks a person.
#[must_use]
pub fn write_world_message(event: &Event, message: &ConversationMessage, differs: &[String]) -> (Json, bool) {
    let tree = JsonTree::parse(&message.content).unwrap_or(JsonTree::Null);
    let read = read_neutral(message.format, &tree).ok();
    let text = read.as_ref().map(NeutralMessage::text).unwrap_or_default();
    let has_calls = read.as_ref().is_some_and(|read| read.proposed_calls().next().is_some());
    let is_agent = event.kind == EventType::AgentMessage;
    let calls: Vec<_> =
        tree.list_of("tool_calls").iter().filter(|call| is_shown(call, differs)).cloned().collect();
    let calls = Some(calls).filter(|calls| !calls.is_empty() && message.format == MessageFormat::OpenAi);
    let role = tree.text_of("role").unwrap_or(if is_agent { "assistant" } else { "user" });
    let notes = differs.iter().map(|id| {
        format!(
            "Countersign: this message shows call {id} with another tool or other arguments than the log has."
        )
    });
    let lines: Vec<_> = std::iter::once(text.clone()).chain(notes).filter(|line| !line.is_empty()).collect();
    let data = JsonTree::object([
        ("type", "message".into()),
        ("sender", agent_name(&event.principal).into()),
        ("content", lines.join("\n\n").into()),
        ("messageId", event.seq.to_string().into()),
        ("createdAt", event.timestamp.to_string().into()),
        ("role", role.into()),
    ]);
    let data = data.with_optional("tool_calls", calls);
    (wrap("message", data), is_agent && !has_calls && !text.is_empty() && role == "assistant")
}

/// Returns true for a call of a model that is as the log has it.
fn is_shown(call: &JsonTree, differs: &[String]) -> bool {
    let name =
        ["function", "custom"].iter().find_map(|kind| call.get(kind)?.text_of("name")).unwrap_or_default();
    !is_client_tool(name) && call.text_of("id").is_some_and(|id| !differs.iter().any(|other| other == id))
}

fn wrap(kind: &str, data: JsonTree) -> Json {
    JsonTree::object([("type", kind.into()), ("data", data)]).to_json()
}

/// The name of a principal without its kind.
fn agent_name(principal: &Principal) -> &str {
    principal.as_str().split_once(':').map_or(principal.as_str(), |(_, name)| name)
}
