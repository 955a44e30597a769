//! Messages of OpenAI's Chat Completions API: `role`, `content`, and the `tool_calls` of an assistant.
//! Source: the type `ChatCompletionMessageParam` of OpenAI's client libraries.

use crate::{
    message::{BadMessage, ReadMessage},
    parts::{MessageMembers, add_text, for_each_part, string, unknown_speaker},
};
use countersign_events::EventType;

pub(crate) fn read(message: &MessageMembers) -> Result<ReadMessage, BadMessage> {
    let kind = match string(message, "role") {
        Some("system" | "developer") => EventType::SystemPrompt,
        Some("user") => EventType::UserMessage,
        // The program of the agent reports results; no person does.
        Some("assistant" | "tool" | "function") => EventType::AgentMessage,
        _ => {
            let known = "system, developer, user, assistant, tool and function";
            return Err(unknown_speaker(("openai", "role", known), message.get("role")));
        }
    };
    let mut read = ReadMessage { kind, text: String::new(), proposes: Vec::new(), reports: Vec::new() };
    match message.get("content") {
        None | Some(serde_json::Value::Null) => {}
        Some(serde_json::Value::String(text)) => read.text.clone_from(text),
        Some(list) => for_each_part(("content", "a text, null, or a list of parts"), list, |part| {
            let text = string(part, "text").or_else(|| string(part, "refusal"));
            add_text(&mut read.text, text.unwrap_or_default());
        })?,
    }
    if let Some(refusal) = string(message, "refusal") {
        add_text(&mut read.text, refusal);
    }
    if let Some(calls) = message.get("tool_calls").filter(|calls| !calls.is_null()) {
        for_each_part(("tool_calls", "a list of calls"), calls, |call| {
            read.proposes.extend(string(call, "id").map(str::to_owned));
        })?;
    }
    read.reports.extend(string(message, "tool_call_id").map(str::to_owned));
    Ok(read)
}
