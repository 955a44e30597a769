//! The formats in which each call, each result and each message is an item of its own.

use super::chat::read_content;
use crate::{
    json_tree::JsonTree,
    message::BadMessage,
    neutral::{NeutralCall, NeutralMessage, NeutralPart, NeutralResult, PartContent},
    written::WrittenMessages,
};
use countersign_events::{EventType, event::MessageFormat};

/// What differs between these formats.
pub(super) struct ItemForm {
    pub(super) format: MessageFormat,
    /// The item of a message of this type, without its content.
    pub(super) begin: fn(EventType) -> JsonTree,
    /// The content of such an item, from its texts.
    pub(super) content: fn(EventType, &[&str]) -> JsonTree,
    pub(super) call: fn(&NeutralCall) -> JsonTree,
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

/// Writes each part as an item. Texts that were made here, or sent in another format, are one item.
pub(super) fn write_items(form: &ItemForm, message: &NeutralMessage, out: &mut WrittenMessages) {
    let mut texts = Vec::new();
    for part in &message.parts {
        let original = part.original_in(form.format);
        if let (PartContent::Text(text), None) = (&part.content, original) {
            if !text.is_empty() {
                texts.push(text.as_str());
            }
            continue;
        }
        flush_texts(form, message.kind, &mut texts, out);
        match (&part.content, original) {
            (PartContent::Result(result), original) => out.push((form.result)(result, original)),
            (_, Some(JsonTree::Null)) | (PartContent::Text(_), None) => {}
            (_, Some(original)) => out.push(original.clone()),
            (PartContent::Call(call), None) => out.push((form.call)(call)),
            (PartContent::Other(what), None) => out.leave_out(what),
            (PartContent::Request { .. }, None) => out.leave_out("approval request"),
            (PartContent::Answer(_), None) => out.leave_out("approval decision"),
        }
    }
    flush_texts(form, message.kind, &mut texts, out);
}

fn flush_texts(form: &ItemForm, kind: EventType, texts: &mut Vec<&str>, out: &mut WrittenMessages) {
    if !texts.is_empty() {
        let content = (form.content)(kind, texts);
        texts.clear();
        out.push((form.begin)(kind).with("content", content));
    }
}
