//! The formats in which each call, each result and each message is an item of its own.

use super::chat::read_content;
use crate::{
    BadMessage,
    image::NeutralImage,
    neutral::{NeutralCall, NeutralMessage, NeutralPart, NeutralResult, PartContent},
    written::WrittenMessages,
};
use countersign_events::{EventType, MessageFormat, json::JsonTree};

/// What differs between these formats.
pub(super) struct ItemForm {
    pub(super) format: MessageFormat,
    /// The item for a message of this type, without its content.
    pub(super) begin: fn(EventType) -> JsonTree,
    /// The content of such an item, from the text of its parts.
    pub(super) content: fn(EventType, &[&str]) -> JsonTree,
    pub(super) call: fn(&NeutralCall) -> JsonTree,
    /// An image of a person or of a result.
    pub(super) image: fn(&NeutralImage) -> JsonTree,
    /// A result, with the item as it was sent.
    pub(super) result: fn(&NeutralResult, Option<&JsonTree>) -> JsonTree,
}

/// Reads an item with a content as one message. The first part stands for the whole item, and the others for nothing, so
/// that the item stays whole when it is written again.
pub(super) fn read_said(kind: EventType, item: &JsonTree) -> Result<NeutralMessage, BadMessage> {
    let mut parts = read_content(item.get("content"))?;
    for part in &mut parts {
        part.original = Some(JsonTree::Null);
    }
    match parts.first_mut() {
        Some(first) => first.original = Some(item.clone()),
        None => parts.push(NeutralPart::sent(PartContent::Other("empty message".to_owned()), item.clone())),
    }
    Ok(NeutralMessage::new(kind, parts))
}

/// Writes each part as an item. Text parts that were made here, or sent in another format, become one item.
pub(super) fn write_items(form: &ItemForm, message: &NeutralMessage, out: &mut WrittenMessages) {
    let mut said = Vec::new();
    for part in &message.parts {
        let original = part.original_in(form.format);
        match (&part.content, original) {
            (PartContent::Text(text), None) if text.is_empty() => continue,
            (PartContent::Image(_), None) if message.kind != EventType::UserMessage => {
                out.leave_out("image");
                continue;
            }
            (PartContent::Text(_) | PartContent::Image(_), None) => {
                said.push(&part.content);
                continue;
            }
            _ => write_said(form, message.kind, &mut said, out),
        }
        match (&part.content, original) {
            (PartContent::Result(result), original) => out.push((form.result)(result, original)),
            (_, Some(JsonTree::Null)) | (PartContent::Text(_) | PartContent::Image(_), None) => {}
            (_, Some(original)) => out.push(original.clone()),
            (PartContent::Call(call), None) => out.push((form.call)(call)),
            (PartContent::Other(what), None) => out.leave_out(what),
            (PartContent::Request { .. }, None) => out.leave_out("approval request"),
            (PartContent::Answer(_), None) => out.leave_out("approval decision"),
        }
    }
    write_said(form, message.kind, &mut said, out);
}

/// Writes texts, and images between them, as one item.
fn write_said(form: &ItemForm, kind: EventType, said: &mut Vec<&PartContent>, out: &mut WrittenMessages) {
    let said = std::mem::take(said);
    let texts: Vec<_> = said.iter().filter_map(|content| as_text(content)).collect();
    let part = |content: &&PartContent| match content {
        PartContent::Image(image) => Some((form.image)(image)),
        content => as_text(content).map(input_text),
    };
    if !said.is_empty() {
        let has_images = texts.len() < said.len();
        let content: JsonTree = if has_images {
            said.iter().filter_map(part).collect::<Vec<_>>().into()
        } else {
            (form.content)(kind, &texts)
        };
        out.push((form.begin)(kind).with("content", content));
    }
}

fn as_text(content: &PartContent) -> Option<&str> {
    if let PartContent::Text(text) = content { Some(text) } else { None }
}

fn input_text(text: &str) -> JsonTree {
    JsonTree::object([("type", "input_text".into()), ("text", text.into())])
}

/// The output of a result: its text, or its text and its images.
pub(super) fn output(
    result: &NeutralResult,
    text: impl Fn(&str) -> JsonTree,
    image: fn(&NeutralImage) -> JsonTree,
) -> JsonTree {
    if result.images.is_empty() {
        return text(&result.to_text());
    }
    result.to_parts("input_text", |shown| Some(image(shown))).into()
}
