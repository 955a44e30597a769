//! The events of Agent World: notes of the world, chunks with the tool call that asks a person, their starts and ends, and
//! messages.

use countersign_api::Call;
use countersign_events::{
    ConversationMessage, Event, EventType, Json, MessageFormat, Principal, Timestamp, json::JsonTree,
};
use countersign_messages::{
    is_client_tool, read_message, read_spoken_text, request_call, request_id, request_message,
};

/// The message that asks a person: one of the assistant, with one call of `client.requestApproval`.
pub(crate) fn write_approval_message(call: &Call) -> Json {
    request_message(call).to_json()
}

/// A world note.
pub(crate) fn write_world_note(text: &str, at: Timestamp) -> Json {
    let note = JsonTree::object([
        ("type", "info".into()),
        ("message", text.into()),
        ("timestamp", at.to_string().into()),
    ]);
    wrap("world", note)
}

/// The approval request for a call: a note, a message stream with the client tool call in its chunk, and the message. The web
/// client ignores a chunk without a `start` before it; the CLI reads the message alone.
pub(crate) fn write_world_request(call: &Call, at: Timestamp) -> [Json; 5] {
    let (agent, id) = (agent_name(&call.proposal.principal), request_id(call.id.as_str()));
    let part = |kind: &str| {
        JsonTree::object([
            ("agentName", agent.into()),
            ("type", kind.into()),
            ("messageId", id.as_str().into()),
        ])
    };
    let calls = vec![request_call(call)];
    let message = JsonTree::object([
        ("type", "message".into()),
        ("sender", agent.into()),
        ("content", "".into()),
        ("messageId", id.as_str().into()),
        ("createdAt", at.to_string().into()),
        ("role", "assistant".into()),
    ]);
    [
        write_world_note(&format!("Tool {} requires approval - checking...", call.name), at),
        wrap("sse", part("start")),
        wrap("sse", part("chunk").with("tool_calls", calls.clone())),
        wrap("sse", part("end")),
        wrap("message", message.with("tool_calls", calls)),
    ]
}

/// A stream failure.
pub(crate) fn write_world_failure(detail: &str) -> Json {
    wrap("sse", JsonTree::object([("type", "error".into()), ("error", detail.into())]))
}

/// A conversation message, and whether the agent has said its last word: it speaks and calls no tool. `differs` are the
/// calls that it shows differently from the log. They are written as sentences, and calls to client tools are left out:
/// only [`write_world_request`] asks a person.
pub(crate) fn write_world_message(
    event: &Event,
    message: &ConversationMessage,
    differs: &[String],
) -> (Json, bool) {
    let tree = JsonTree::parse(&message.content).unwrap_or(JsonTree::Null);
    let text = read_spoken_text(message.format, &message.content).unwrap_or_default();
    let has_calls =
        read_message(message.format, &message.content).is_ok_and(|read| !read.proposes.is_empty());
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

/// Returns true for a model call that is as the log has it.
fn is_shown(call: &JsonTree, differs: &[String]) -> bool {
    let name =
        ["function", "custom"].iter().find_map(|kind| call.get(kind)?.text_of("name")).unwrap_or_default();
    !is_client_tool(name) && call.text_of("id").is_some_and(|id| !differs.iter().any(|other| other == id))
}

fn wrap(kind: &str, data: JsonTree) -> Json {
    JsonTree::object([("type", kind.into()), ("data", data)]).to_json()
}

/// A principal name without its kind.
pub(crate) fn agent_name(principal: &Principal) -> &str {
    principal.as_str().split_once(':').map_or(principal.as_str(), |(_, name)| name)
}
