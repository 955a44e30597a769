//! Messages of Anthropic's Messages API: `role`, and `content` as a text or as blocks.
//! Source: the type `MessageParam` of Anthropic's client libraries. The API has the system prompt outside of the messages;
//! here it is a message with the role `system`.

use crate::{
    message::{BadMessage, ReadMessage},
    parts::{MessageMembers, add_text, for_each_part, string, unknown_speaker},
};
use countersign_events::EventType;

pub(crate) fn read(message: &MessageMembers) -> Result<ReadMessage, BadMessage> {
    let kind = match string(message, "role") {
        Some("system") => EventType::SystemPrompt,
        Some("user") => EventType::UserMessage,
        Some("assistant") => EventType::AgentMessage,
        _ => {
            let known = "user, assistant and system";
            return Err(unknown_speaker(("anthropic", "role", known), message.get("role")));
        }
    };
    let mut read = ReadMessage { kind, text: String::new(), proposes: Vec::new(), reports: Vec::new() };
    let mut other_blocks = 0;
    match message.get("content") {
        Some(serde_json::Value::String(text)) => read.text.clone_from(text),
        Some(list) => for_each_part(("content", "a text or a list of blocks"), list, |block| {
            match string(block, "type") {
                Some("tool_use") => read.proposes.extend(string(block, "id").map(str::to_owned)),
                Some("tool_result") => {
                    read.reports.extend(string(block, "tool_use_id").map(str::to_owned));
                    return;
                }
                _ => add_text(&mut read.text, string(block, "text").unwrap_or_default()),
            }
            other_blocks += 1;
        })?,
        None => {
            return Err(BadMessage::BadMember { member: "content", expected: "a text or a list of blocks" });
        }
    }
    // Results have the role of the user, but the program of the agent reports them.
    if kind == EventType::UserMessage && !read.reports.is_empty() && other_blocks == 0 {
        read.kind = EventType::AgentMessage;
    }
    Ok(read)
}
