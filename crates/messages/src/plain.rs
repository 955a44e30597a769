//! Countersign's own form of a message: `{"role": "user", "text": "…"}`. Its roles are those of the events.

use crate::{
    message::{BadMessage, ReadMessage},
    parts::{MessageMembers, string, unknown_speaker},
};
use countersign_events::EventType;

pub(crate) fn read(message: &MessageMembers) -> Result<ReadMessage, BadMessage> {
    let kind = match string(message, "role") {
        Some("user") => EventType::UserMessage,
        Some("agent") => EventType::AgentMessage,
        Some("system") => EventType::SystemPrompt,
        Some("user-system") => EventType::UserSystemPrompt,
        Some("local") => EventType::LocalSystemMessage,
        Some("compaction") => EventType::Compaction,
        _ => {
            let known = "user, agent, system, user-system, local and compaction";
            return Err(unknown_speaker(("plain", "role", known), message.get("role")));
        }
    };
    let text = string(message, "text").ok_or(BadMessage::BadMember { member: "text", expected: "a text" })?;
    Ok(ReadMessage { kind, text: text.to_owned(), proposes: Vec::new(), reports: Vec::new() })
}
