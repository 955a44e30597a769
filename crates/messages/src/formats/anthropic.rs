//! Messages for Anthropic's Messages API: `role`, and `content` as a string or as blocks. Source: the type
//! `MessageParam` in Anthropic's client libraries. The API has the system prompt outside of the messages; here it is a
//! message with the role `system`.

use super::{
    adapter::FormatAdapter,
    chat::{other_content, read_content},
};
use crate::{
    BadMessage,
    call_names::NameRules,
    client_tool::{call_content, request_arguments, result_content},
    image::{ImageSource, NeutralImage},
    message::SpeakerMember,
    neutral::{CallArguments, NeutralCall, NeutralMessage, NeutralPart, NeutralResult, PartContent},
    request_id,
    request_names::REQUEST_APPROVAL,
    written::{OPENING, WrittenMessages},
};
use countersign_api::Call;
use countersign_events::{EventType, MessageFormat, json::JsonTree};

pub(super) struct AnthropicAdapter;

const FORMAT: MessageFormat = MessageFormat::Anthropic;

/// The media types of images that the API reads.
const IMAGE_TYPES: &[&str] = &["image/jpeg", "image/png", "image/gif", "image/webp"];

impl FormatAdapter for AnthropicAdapter {
    fn read(&self, message: &JsonTree) -> Result<NeutralMessage, BadMessage> {
        let kind = match message.text_of("role") {
            Some("system") => EventType::SystemPrompt,
            Some("user") => EventType::UserMessage,
            Some("assistant") => EventType::AgentMessage,
            _ => {
                let known = "user, assistant and system";
                return Err(SpeakerMember { format: "anthropic", member: "role", known }.refuse(message));
            }
        };
        let bad = BadMessage::BadMember { member: "content", expected: "a string or a list of blocks" };
        let content = message.get("content").ok_or_else(|| bad.clone())?;
        let mut parts = read_content(Some(content)).map_err(|_| bad)?;
        for part in &mut parts {
            if let Some(block) = &part.original {
                part.content = read_block(block);
            }
        }
        // Results have the user's role, but the agent program reports them.
        Ok(NeutralMessage::reported(kind, parts))
    }

    fn write(&self, message: &NeutralMessage, out: &mut WrittenMessages) {
        if out.takes_whole(message, FORMAT) {
            return;
        }
        let is_person = message.kind == EventType::UserMessage;
        let blocks: Vec<_> =
            message.parts.iter().filter_map(|part| write_block(part, is_person, out)).collect();
        let role = message.speaker("assistant");
        if out.is_for_model() {
            out.append_parts(role, "content", blocks);
        } else if !blocks.is_empty() {
            out.push(JsonTree::object([("role", role.into()), ("content", blocks.into())]));
        }
    }

    fn name_rules(&self) -> Option<NameRules> {
        Some(NameRules {
            most_in_name: 128,
            marks_in_name: "",
            begins_with_any: true,
            most_in_id: Some(usize::MAX),
        })
    }

    /// The API refuses messages that begin with the assistant, and blanks at the end of its last words.
    fn complete_input(&self, out: &mut WrittenMessages) {
        let is_assistant = |message: &JsonTree| message.text_of("role") == Some("assistant");
        if let Some(last) = out.messages.last_mut().filter(|last| is_assistant(last))
            && let Some(block) = last.list_mut("content").and_then(|blocks| blocks.last_mut())
            && let Some(text) = block.text_of("text").map(|text| text.trim_end().to_owned())
        {
            block.set("text", text);
        }
        if out.messages.first().is_some_and(is_assistant) {
            let block = JsonTree::object([("type", "text".into()), ("text", OPENING.into())]);
            let opening = JsonTree::object([("role", "user".into()), ("content", vec![block].into())]);
            out.messages.insert(0, opening);
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
            call_content(NeutralCall::new(&text("id"), &text("name"), arguments))
        }
        Some("tool_result") => {
            let content = block.get("content").cloned().unwrap_or(JsonTree::Null);
            let is_error = block.bool_of("is_error").unwrap_or(false);
            let result = NeutralResult::new(&text("tool_use_id"), block.text_of("name"), content);
            result_content(NeutralResult { is_error, ..result }.with_images())
        }
        Some("text") => PartContent::Text(text("text")),
        other => other_content(block, other.unwrap_or("block")),
    }
}

fn write_block(part: &NeutralPart, is_person: bool, out: &mut WrittenMessages) -> Option<JsonTree> {
    let original = part.original_in(FORMAT);
    match (&part.content, original) {
        (PartContent::Result(result), original) => {
            let unknown = result.images.iter().filter(|image| write_image(image).is_none());
            unknown.for_each(|_| out.leave_out(&format!("image of the result of {:?}", result.id)));
            Some(write_result(result, original))
        }
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
        (PartContent::Image(image), None) => {
            let written = write_image(image).filter(|_| is_person);
            if written.is_none() {
                out.leave_out("image");
            }
            written
        }
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

/// The API reads images of these types, and those behind a web address.
fn write_image(image: &NeutralImage) -> Option<JsonTree> {
    let source = match image.source() {
        ImageSource::Url(url) if url.starts_with("https://") || url.starts_with("http://") => {
            JsonTree::object([("type", "url".into()), ("url", url.as_str().into())])
        }
        ImageSource::Data(data) if IMAGE_TYPES.contains(&image.media_type()) => JsonTree::object([
            ("type", "base64".into()),
            ("media_type", image.media_type().into()),
            ("data", data.as_str().into()),
        ]),
        _ => return None,
    };
    Some(JsonTree::object([("type", "image".into()), ("source", source)]))
}

fn write_result(result: &NeutralResult, original: Option<&JsonTree>) -> JsonTree {
    let id = result.id.as_str();
    match (original, &result.note) {
        (Some(original), None) => original.clone().with("tool_use_id", id),
        (Some(original), Some(note)) => {
            let mut content =
                vec![JsonTree::object([("type", "text".into()), ("text", note.as_str().into())])];
            match original.get("content").unwrap_or(&JsonTree::Null) {
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
            let content = if result.images.is_empty() {
                result.to_text().into()
            } else {
                result.to_parts("text", write_image).into()
            };
            let block = JsonTree::object([
                ("type", "tool_result".into()),
                ("tool_use_id", id.into()),
                ("content", content),
            ]);
            if result.is_error { block.with("is_error", true) } else { block }
        }
    }
}
