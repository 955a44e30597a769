//! Messages for OpenAI's Chat Completions API: `role`, `content`, and an assistant's `tool_calls`.
//! Source: the type `ChatCompletionMessageParam` in OpenAI's client libraries.

use super::{
    adapter::FormatAdapter,
    chat::{ChatForm, ChatSpeaker, image_url, role_of},
};
use crate::{
    BadMessage,
    call_names::NameRules,
    client_tool::request_arguments,
    message::SpeakerMember,
    neutral::{CallArguments, NeutralCall, NeutralMessage, NeutralPart},
    request_id,
    request_names::REQUEST_APPROVAL,
    written::WrittenMessages,
};
use countersign_api::Call;
use countersign_events::{EventType, MessageFormat, json::JsonTree};

pub(super) struct OpenAiAdapter;

const FORM: ChatForm = ChatForm {
    format: MessageFormat::OpenAi,
    read_speaker,
    begin: |speaker| JsonTree::object([("role", role_of(speaker).into())]),
    calls: "tool_calls",
    call_id: "tool_call_id",
    read_call,
    write_call,
    mark_error: |message, _| message,
    image: image_url,
    has_result_images: false,
    is_error: |_| false,
};

impl FormatAdapter for OpenAiAdapter {
    fn read(&self, message: &JsonTree) -> Result<NeutralMessage, BadMessage> {
        let mut read = FORM.read(message)?;
        // The deprecated form of a call has no id.
        if let Some(call) = message.get("function_call").filter(|_| read.kind == EventType::AgentMessage) {
            let name = call.text_of("name").unwrap_or_default();
            let arguments = CallArguments::Text(call.text_of("arguments").unwrap_or_default().to_owned());
            let call = NeutralCall { has_implied_id: true, ..NeutralCall::new(name, name, arguments) };
            read.parts.push(NeutralPart::made(crate::client_tool::call_content(call)));
        }
        Ok(read)
    }

    fn write(&self, message: &NeutralMessage, out: &mut WrittenMessages) {
        FORM.write(message, out);
    }

    fn name_rules(&self) -> Option<NameRules> {
        Some(NameRules { most_in_name: 64, marks_in_name: "", begins_with_any: true, most_in_id: Some(40) })
    }

    fn write_requests(&self, pending: &[Call], out: &mut WrittenMessages) {
        for call in pending {
            out.push(request_message(call));
        }
    }
}

/// The assistant message that asks a person.
#[must_use]
pub fn request_message(call: &Call) -> JsonTree {
    JsonTree::object([
        ("role", "assistant".into()),
        ("content", "".into()),
        ("tool_calls", vec![request_call(call)].into()),
    ])
}

/// The call to the client tool that asks a person.
#[must_use]
pub fn request_call(call: &Call) -> JsonTree {
    write_function(&request_id(call.id.as_str()), REQUEST_APPROVAL, request_arguments(call).to_string())
}

fn read_speaker(message: &JsonTree) -> Result<ChatSpeaker, BadMessage> {
    Ok(match message.text_of("role") {
        Some("system" | "developer") => ChatSpeaker::Says(EventType::SystemPrompt),
        Some("user") => ChatSpeaker::Says(EventType::UserMessage),
        Some("assistant") => ChatSpeaker::Says(EventType::AgentMessage),
        // The agent program reports results; no person does.
        Some("tool" | "function") => ChatSpeaker::Reports,
        _ => {
            let known = "system, developer, user, assistant, tool and function";
            return Err(SpeakerMember { format: "openai", member: "role", known }.refuse(message));
        }
    })
}

/// Reads a function call, or a custom tool call, whose input is a string.
pub(super) fn read_call(call: &JsonTree) -> NeutralCall {
    let called = call.get("function").or_else(|| call.get("custom"));
    let text = |name: &str| called.and_then(|called| called.text_of(name));
    let arguments = text("arguments").or_else(|| text("input")).unwrap_or_default();
    let arguments = CallArguments::Text(arguments.to_owned());
    NeutralCall::new(call.text_of("id").unwrap_or_default(), text("name").unwrap_or_default(), arguments)
}

pub(super) fn write_call(call: &NeutralCall) -> JsonTree {
    write_function(&call.id, &call.name, call.arguments.to_text())
}

fn write_function(id: &str, name: &str, arguments: String) -> JsonTree {
    let function = JsonTree::object([("name", name.into()), ("arguments", arguments.into())]);
    JsonTree::object([("id", id.into()), ("type", "function".into()), ("function", function)])
}
