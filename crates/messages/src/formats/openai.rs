//! Messages of OpenAI's Chat Completions API: `role`, `content`, and the `tool_calls` of an assistant.
//! Source: the type `ChatCompletionMessageParam` of OpenAI's client libraries.

use super::{
    adapter::FormatAdapter,
    chat::{ChatForm, ChatSpeaker, role_of},
};
use crate::{
    client_tool::request_arguments,
    json_tree::JsonTree,
    message::{BadMessage, unknown_speaker},
    neutral::{CallArguments, NeutralCall, NeutralMessage, NeutralPart},
    request_names::{REQUEST_APPROVAL, request_id},
    written::WrittenMessages,
};
use countersign_api::Call;
use countersign_events::{EventType, event::MessageFormat};

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
    is_error: |_| false,
};

impl FormatAdapter for OpenAiAdapter {
    fn read(&self, message: &JsonTree) -> Result<NeutralMessage, BadMessage> {
        let mut read = FORM.read(message)?;
        // The deprecated form of a call has no id.
        if let Some(call) = message.get("function_call").filter(|_| read.kind == EventType::AgentMessage) {
            let name = call.text_of("name").unwrap_or_default().to_owned();
            let arguments = CallArguments::Text(call.text_of("arguments").unwrap_or_default().to_owned());
            let call = NeutralCall { id: name.clone(), has_implied_id: true, name, arguments };
            read.parts.push(NeutralPart::made(crate::client_tool::call_content(call)));
        }
        Ok(read)
    }

    fn write(&self, message: &NeutralMessage, out: &mut WrittenMessages) {
        FORM.write(message, out);
    }

    fn write_requests(&self, pending: &[Call], out: &mut WrittenMessages) {
        for call in pending {
            out.push(request_message(call));
        }
    }
}

/// The message of the assistant that asks a person.
pub(crate) fn request_message(call: &Call) -> JsonTree {
    JsonTree::object([
        ("role", "assistant".into()),
        ("content", "".into()),
        ("tool_calls", vec![request_call(call)].into()),
    ])
}

/// The call of the client's tool that asks a person.
pub(crate) fn request_call(call: &Call) -> JsonTree {
    write_function(&request_id(call.id.as_str()), REQUEST_APPROVAL, request_arguments(call).to_string())
}

fn read_speaker(message: &JsonTree) -> Result<ChatSpeaker, BadMessage> {
    Ok(match message.text_of("role") {
        Some("system" | "developer") => ChatSpeaker::Says(EventType::SystemPrompt),
        Some("user") => ChatSpeaker::Says(EventType::UserMessage),
        Some("assistant") => ChatSpeaker::Says(EventType::AgentMessage),
        // The program of the agent reports results; no person does.
        Some("tool" | "function") => ChatSpeaker::Reports,
        _ => {
            let known = "system, developer, user, assistant, tool and function";
            return Err(unknown_speaker(("openai", "role", known), message.get("role")));
        }
    })
}

/// Reads a call of a function, or of a custom tool, whose input is a text.
pub(super) fn read_call(call: &JsonTree) -> NeutralCall {
    let called = call.get("function").or_else(|| call.get("custom"));
    let text = |name: &str| called.and_then(|called| called.text_of(name)).map(str::to_owned);
    NeutralCall {
        id: call.text_of("id").unwrap_or_default().to_owned(),
        has_implied_id: false,
        name: text("name").unwrap_or_default(),
        arguments: CallArguments::Text(text("arguments").or_else(|| text("input")).unwrap_or_default()),
    }
}

pub(super) fn write_call(call: &NeutralCall) -> JsonTree {
    write_function(&call.id, &call.name, call.arguments.to_text())
}

fn write_function(id: &str, name: &str, arguments: String) -> JsonTree {
    let function = JsonTree::object([("name", name.into()), ("arguments", arguments.into())]);
    JsonTree::object([("id", id.into()), ("type", "function".into()), ("function", function)])
}
