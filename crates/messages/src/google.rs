//! Messages of Google's Gemini API: `role` and `parts`, of which each has a text, a call or the response to a call.
//! Source: the type `Content` of the API. The API has the system instruction outside of the contents; here it is a message
//! with the role `system`.

use crate::{
    message::{BadMessage, ReadMessage},
    parts::{MessageMembers, add_text, for_each_part, string, unknown_speaker},
};
use countersign_events::EventType;

const PARTS: (&str, &str) = ("parts", "a list of parts");

pub(crate) fn read(message: &MessageMembers) -> Result<ReadMessage, BadMessage> {
    let kind = match string(message, "role") {
        Some("system") => EventType::SystemPrompt,
        // Without a role, a person speaks.
        Some("user") | None => EventType::UserMessage,
        Some("model" | "function") => EventType::AgentMessage,
        _ => {
            let known = "user, model, function and system";
            return Err(unknown_speaker(("google", "role", known), message.get("role")));
        }
    };
    let mut read = ReadMessage { kind, text: String::new(), proposes: Vec::new(), reports: Vec::new() };
    let (mut responses, mut count) = (0, 0);
    let missing = BadMessage::BadMember { member: PARTS.0, expected: PARTS.1 };
    for_each_part(PARTS, message.get("parts").ok_or(missing)?, |part| {
        count += 1;
        let member = |snake: &str, camel: &str| part.get(camel).or_else(|| part.get(snake))?.as_object();
        // A call may have no id; its name then says which it is.
        let id =
            |call: &MessageMembers| string(call, "id").or_else(|| string(call, "name")).map(str::to_owned);
        if let Some(call) = member("function_call", "functionCall") {
            read.proposes.extend(id(call));
        } else if let Some(response) = member("function_response", "functionResponse") {
            responses += 1;
            read.reports.extend(id(response));
        } else if part.get("thought").is_none_or(|thought| thought != true) {
            add_text(&mut read.text, string(part, "text").unwrap_or_default());
        }
    })?;
    // The program of the agent reports responses, also where they have the role of the user.
    if kind == EventType::UserMessage && responses > 0 && responses == count {
        read.kind = EventType::AgentMessage;
    }
    Ok(read)
}
