//! Messages of Anthropic's Messages API: `role`, and `content` as a text or as blocks.
//! Source: the type `MessageParam` of Anthropic's client libraries. The API has the system prompt outside of the messages;
//! here it is a message with the role `system`.

use super::{adapter::FormatAdapter, chat::read_content};
use crate::{
    client_tool::{call_content, request_arguments, result_content},
    json_tree::JsonTree,
    message::{BadMessage, unknown_speaker},
    neutral::{CallArguments, NeutralCall, NeutralMessage, NeutralPart, NeutralResult, PartContent},
    request_names::{REQUEST_APPROVAL, request_id},
    written::WrittenMessages,
};
use countersign_api::Call;
use countersign_events::{EventType, event::MessageFormat};

pub(super) struct AnthropicAdapter;

const FORMAT: MessageFormat = MessageFormat::Anthropic;

impl FormatAdapter for AnthropicAdapter {
    fn read(&self, message: &JsonTree) -> Result<NeutralMessage, BadMessage> {
        let kind = match message.text_of("role") {
            Some("system") => EventType::SystemPrompt,
            Some("user") => EventType::UserMessage,
            Some("assistant") => EventType::AgentMessage,
            _ => {
                let known = "user, assistant and system";
                return Err(unknown_speaker(("anthropic", "role", known), message.get("role")));
            }
        };
        let bad = BadMessage::BadMember { member: "content", expected: "a text or a list of blocks" };
        let content = message.get("content").ok_or_else(|| bad.clone())?;
        let mut parts = read_content(Some(content)).map_err(|_| bad)?;
        for part in &mut parts {
            if let Some(block) = &part.original {
                part.content = read_block(block);
            }
        }
        // Results have the role of the user, but the program of the agent reports them.
        let reports =
            |part: &NeutralPart| matches!(part.content, PartContent::Result(_) | PartContent::Answer(_));
        let only_reports = !parts.is_empty() && parts.iter().all(reports);
        let kind =
            if kind == EventType::UserMessage && only_reports { EventType::AgentMessage } else { kind };
        Ok(NeutralMessage::new(kind, parts))
    }

    fn write(&self, message: &NeutralMessage, out: &mut WrittenMessages) {
        if !out.is_for_model()
            && let Some(original) = message.unchanged(FORMAT)
        {
            return out.push(original.clone());
        }
        let is_instruction = !matches!(message.kind, EventType::UserMessage | EventType::AgentMessage);
        if is_instruction && out.is_for_model() {
            return out.system.push(message.text());
        }
        let blocks: Vec<_> = message.parts.iter().filter_map(|part| write_block(part, out)).collect();
        let role = match message.kind {
            EventType::AgentMessage
                if message.results().next().is_none() && message.answers().next().is_none() =>
            {
                "assistant"
            }
            EventType::AgentMessage | EventType::UserMessage => "user",
            _ => "system",
        };
        if out.is_for_model() {
            out.append_parts(role, "content", blocks);
        } else if !blocks.is_empty() {
            out.push(JsonTree::object([("role", role.into()), ("content", blocks.into())]));
        }
    }

    fn write_requests(&self, pending: &[Call], out: &mut WrittenMessages) {
        for call in pending {
            let block = JsonTree::object([
                ("type", "tool_use".into()),
                ("id", request_id(call.id.as_str()).into()),
                ("name", REQUEST_APPROVAL.into()),
                ("input", request_arguments(call)),
            ]);
            out.push(JsonTree::object([("role", "assistant".into()), ("content", vec![block].into())]));
        }
    }
}

fn read_block(block: &JsonTree) -> PartContent {
    let text = |name: &str| block.text_of(name).unwrap_or_default().to_owned();
    match block.text_of("type") {
        Some("tool_use") => {
            let arguments =
                CallArguments::Tree(block.get("input").cloned().unwrap_or(JsonTree::empty_object()));
            call_content(NeutralCall { id: text("id"), has_implied_id: false, name: text("name"), arguments })
        }
        Some("tool_result") => {
            let (id, content) =
                (text("tool_use_id"), block.get("content").cloned().unwrap_or(JsonTree::Null));
            let is_error = block.bool_of("is_error").unwrap_or(false);
            let name = block.text_of("name").map(str::to_owned);
            result_content(NeutralResult { id, name, content, is_error, note: None }, true)
        }
        Some("text") => PartContent::Text(text("text")),
        other => PartContent::Other(other.unwrap_or("block").to_owned()),
    }
}

fn write_block(part: &NeutralPart, out: &mut WrittenMessages) -> Option<JsonTree> {
    let original = part.original_in(FORMAT);
    match (&part.content, original) {
        (PartContent::Result(result), original) => Some(write_result(result, original)),
        // The API refuses an empty text.
        (PartContent::Text(text), _) if text.trim().is_empty() && out.is_for_model() => None,
        (_, Some(original)) => Some(original.clone()),
        (PartContent::Text(text), None) => {
            Some(JsonTree::object([("type", "text".into()), ("text", text.as_str().into())]))
        }
        (PartContent::Call(call), None) => Some(JsonTree::object([
            ("type", "tool_use".into()),
            ("id", call.id.as_str().into()),
            ("name", call.name.as_str().into()),
            ("input", call.arguments.to_object()),
        ])),
        (PartContent::Other(what), None) => {
            out.leave_out(what);
            None
        }
        (PartContent::Request { .. }, None) => {
            out.leave_out("approval request");
            None
        }
        (PartContent::Answer(_), None) => {
            out.leave_out("approval decision");
            None
        }
    }
}

fn write_result(result: &NeutralResult, original: Option<&JsonTree>) -> JsonTree {
    let id = result.id.as_str();
    match (original, &result.note) {
        (Some(original), None) => original.clone().with("tool_use_id", id),
        (Some(original), Some(note)) => {
            let mut content =
                vec![JsonTree::object([("type", "text".into()), ("text", note.as_str().into())])];
            match &result.content {
                JsonTree::List(blocks) => content.extend(blocks.iter().cloned()),
                JsonTree::Null => {}
                other => {
                    let text = crate::neutral::content_text(other);
                    content.push(JsonTree::object([("type", "text".into()), ("text", text.into())]));
                }
            }
            original.clone().with("tool_use_id", id).with("content", content)
        }
        (None, _) => {
            let block = JsonTree::object([
                ("type", "tool_result".into()),
                ("tool_use_id", id.into()),
                ("content", result.to_text().into()),
            ]);
            if result.is_error { block.with("is_error", true) } else { block }
        }
    }
}
