//! LangChain messages, and the interrupts of its human-in-the-loop middleware: one for all pending calls, one for each,
//! or the interrupts of Agent Inbox. Source: the message types of LangChain, and the middleware in the package
//! `langchain`.

use super::{
    adapter::FormatAdapter,
    chat::{ChatForm, ChatSpeaker, image_url},
    langchain_resume::{is_resume, read_resume},
};
use crate::{
    BadMessage, describe_request,
    message::SpeakerMember,
    neutral::{CallArguments, NeutralCall, NeutralMessage, NeutralPart, PartContent},
    request_id,
    written::WrittenMessages,
};
use countersign_api::Call;
use countersign_events::{EventType, MessageFormat, json::JsonTree};

/// The adapter, with the form of its interrupts.
pub(super) struct LangChainAdapter(pub(super) InterruptStyle);

/// The interrupt form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InterruptStyle {
    /// One for all pending calls.
    Batched,
    /// One for each pending call.
    PerCall,
    /// One for each pending call, as Agent Inbox shows them.
    Inbox,
}

/// The state member with the interrupts.
const INTERRUPTS: &str = "__interrupt__";

const FORM: ChatForm = ChatForm {
    format: MessageFormat::LangChain,
    read_speaker,
    begin: |speaker| {
        let kind = match speaker {
            ChatSpeaker::Reports => "tool",
            ChatSpeaker::Says(EventType::UserMessage) => "human",
            ChatSpeaker::Says(EventType::AgentMessage) => "ai",
            ChatSpeaker::Says(_) => "system",
        };
        // LangChain refuses a message whose content is null.
        JsonTree::object([("type", kind.into()), ("content", "".into())])
    },
    calls: "tool_calls",
    call_id: "tool_call_id",
    read_call: |call| {
        let text = |name: &str| call.text_of(name).unwrap_or_default();
        let arguments = call.get("args").cloned().unwrap_or(JsonTree::empty_object());
        NeutralCall::new(text("id"), text("name"), CallArguments::Tree(arguments))
    },
    write_call: |call| {
        JsonTree::object([
            ("name", call.name.as_str().into()),
            ("args", call.arguments.to_object()),
            ("id", call.id.as_str().into()),
            ("type", "tool_call".into()),
        ])
    },
    mark_error: |message, result| {
        let message = message.with_optional("name", result.name.as_deref());
        message.with("status", if result.is_error { "error" } else { "success" })
    },
    image: image_url,
    has_result_images: true,
    is_error: |message| message.text_of("status") == Some("error"),
};

impl FormatAdapter for LangChainAdapter {
    fn read(&self, message: &JsonTree) -> Result<NeutralMessage, BadMessage> {
        if message.get(INTERRUPTS).is_some() {
            let part = PartContent::Request { id: String::new(), call: None };
            return Ok(NeutralMessage::new(
                EventType::AgentMessage,
                vec![NeutralPart::sent(part, message.clone())],
            ));
        }
        if is_resume(message) {
            let mut parts = read_resume(message);
            if let Some(first) = parts.first_mut() {
                first.original = Some(message.clone());
            }
            return Ok(NeutralMessage::new(EventType::UserMessage, parts));
        }
        // Stored messages have their members under `data`.
        FORM.read(
            message
                .get("data")
                .filter(|data| data.is_object())
                .map(|data| flatten(message, data))
                .as_ref()
                .unwrap_or(message),
        )
    }

    fn write(&self, message: &NeutralMessage, out: &mut WrittenMessages) {
        let written = out.messages.len();
        FORM.write(message, out);
        let is_changed = message.is_changed;
        for message in out.messages.iter_mut().skip(written).filter(|message| message.get("type").is_some()) {
            if is_changed {
                // A stored message has everything a second time under `data`, without the change.
                *message = message.clone().without(&["data"]);
            }
            if message.get("content").is_none() {
                message.set("content", "");
            }
        }
    }

    fn write_requests(&self, pending: &[Call], out: &mut WrittenMessages) {
        if pending.is_empty() {
            return;
        }
        let interrupts: Vec<_> = match self.0 {
            InterruptStyle::Batched => vec![batched(pending)],
            InterruptStyle::PerCall => pending.iter().map(per_call).collect(),
            InterruptStyle::Inbox => pending.iter().map(inbox).collect(),
        };
        out.push(JsonTree::object([(INTERRUPTS, interrupts.into())]));
    }
}

fn flatten(message: &JsonTree, data: &JsonTree) -> JsonTree {
    data.clone().with_optional("type", message.text_of("type"))
}

fn read_speaker(message: &JsonTree) -> Result<ChatSpeaker, BadMessage> {
    Ok(match message.first_text_of(&["type", "role"]) {
        Some("human" | "user") => ChatSpeaker::Says(EventType::UserMessage),
        Some("ai" | "assistant" | "AIMessageChunk") => ChatSpeaker::Says(EventType::AgentMessage),
        Some("system" | "developer") => ChatSpeaker::Says(EventType::SystemPrompt),
        Some("tool" | "function") => ChatSpeaker::Reports,
        _ => {
            let known = "human, ai, system and tool";
            return Err(SpeakerMember { format: "langchain", member: "type", known }.refuse(message));
        }
    })
}

fn arguments_of(call: &Call) -> JsonTree {
    JsonTree::parse(&call.arguments).unwrap_or(JsonTree::Null)
}

fn allowed_decisions() -> JsonTree {
    ["approve", "edit", "reject"].map(JsonTree::from).to_vec().into()
}

/// A batch id names its calls, so that a decision can never be about others.
fn batched(pending: &[Call]) -> JsonTree {
    let ids: Vec<_> = pending.iter().map(|call| JsonTree::from(call.id.as_str())).collect();
    let actions: Vec<_> = pending
        .iter()
        .map(|call| {
            JsonTree::object([
                ("name", call.name.as_str().into()),
                ("args", arguments_of(call)),
                ("description", describe_request(call).into()),
            ])
        })
        .collect();
    let mut names: Vec<_> = pending.iter().map(|call| call.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let configs: Vec<_> = names
        .into_iter()
        .map(|name| {
            JsonTree::object([("action_name", name.into()), ("allowed_decisions", allowed_decisions())])
        })
        .collect();
    let value = JsonTree::object([("action_requests", actions.into()), ("review_configs", configs.into())]);
    JsonTree::object([("id", request_id(&JsonTree::from(ids).to_string()).into()), ("value", value)])
}

fn per_call(call: &Call) -> JsonTree {
    let value = JsonTree::object([
        ("type", "tool_approval".into()),
        ("tool_call_id", call.id.as_str().into()),
        ("name", call.name.as_str().into()),
        ("args", arguments_of(call)),
        ("description", describe_request(call).into()),
    ]);
    JsonTree::object([("id", request_id(call.id.as_str()).into()), ("value", value)])
}

fn inbox(call: &Call) -> JsonTree {
    let action = JsonTree::object([("action", call.name.as_str().into()), ("args", arguments_of(call))]);
    let config = JsonTree::object([
        ("allow_ignore", true.into()),
        ("allow_respond", true.into()),
        ("allow_edit", true.into()),
        ("allow_accept", true.into()),
    ]);
    let value = JsonTree::object([
        ("action_request", action),
        ("config", config),
        ("description", describe_request(call).into()),
    ]);
    JsonTree::object([("id", request_id(call.id.as_str()).into()), ("value", vec![value].into())])
}
