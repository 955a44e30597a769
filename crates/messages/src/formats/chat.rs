//! The formats in which a message has a role, content that is a string or a list of parts, and a list of calls, and in
//! which a result is a message of its own: Chat Completions and those that follow it.

use crate::{
    BadMessage,
    client_tool::{call_content, result_content},
    image::NeutralImage,
    neutral::{NeutralCall, NeutralMessage, NeutralPart, NeutralResult, PartContent},
    written::WrittenMessages,
};
use countersign_events::{EventType, MessageFormat, json::JsonTree};

/// What differs between these formats.
pub(super) struct ChatForm {
    pub(super) format: MessageFormat,
    /// Reads who speaks.
    pub(super) read_speaker: fn(&JsonTree) -> Result<ChatSpeaker, BadMessage>,
    /// A message of this speaker without content.
    pub(super) begin: fn(ChatSpeaker) -> JsonTree,
    /// The member with the calls.
    pub(super) calls: &'static str,
    /// The result member with the call id.
    pub(super) call_id: &'static str,
    pub(super) read_call: fn(&JsonTree) -> NeutralCall,
    pub(super) write_call: fn(&NeutralCall) -> JsonTree,
    /// Marks a result message as an error, if the format can.
    pub(super) mark_error: fn(JsonTree, &NeutralResult) -> JsonTree,
    /// An image of a person.
    pub(super) image: fn(&NeutralImage) -> JsonTree,
    /// Whether results can have images, too.
    pub(super) has_result_images: bool,
    /// Whether this result is of a call that failed.
    pub(super) is_error: fn(&JsonTree) -> bool,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChatSpeaker {
    Says(EventType),
    /// The agent's program, which reports a result.
    Reports,
}

/// The role of a message type in these formats.
pub(super) const fn role_of(speaker: ChatSpeaker) -> &'static str {
    match speaker {
        ChatSpeaker::Reports => "tool",
        ChatSpeaker::Says(EventType::UserMessage) => "user",
        ChatSpeaker::Says(EventType::AgentMessage) => "assistant",
        ChatSpeaker::Says(_) => "system",
    }
}

impl ChatForm {
    pub(super) fn read(&self, message: &JsonTree) -> Result<NeutralMessage, BadMessage> {
        let kind = match (self.read_speaker)(message)? {
            ChatSpeaker::Reports => return self.read_result(message),
            ChatSpeaker::Says(kind) => kind,
        };
        let mut parts = read_content(message.get("content"))?;
        if let Some(refusal) = message.text_of("refusal") {
            let part = JsonTree::object([("type", "refusal".into()), ("refusal", refusal.into())]);
            parts.push(NeutralPart::sent(PartContent::Text(refusal.to_owned()), part));
        }
        if let Some(calls) = message.get(self.calls) {
            let bad = BadMessage::BadMember { member: self.calls, expected: "a list of calls" };
            for call in calls.as_list().ok_or_else(|| bad.clone())? {
                if !call.is_object() {
                    return Err(bad);
                }
                parts.push(NeutralPart::sent(call_content((self.read_call)(call)), call.clone()));
            }
        }
        Ok(NeutralMessage::new(kind, parts))
    }

    fn read_result(&self, message: &JsonTree) -> Result<NeutralMessage, BadMessage> {
        // The content is checked in the same way, and kept as it is.
        read_content(message.get("content"))?;
        let content = message.get("content").cloned().unwrap_or(JsonTree::Null);
        let name = message.text_of("name");
        let given = message.text_of(self.call_id);
        let result = NeutralResult::new(given.or(name).unwrap_or_default(), name, content);
        let is_error = (self.is_error)(message);
        let result = NeutralResult { has_implied_id: given.is_none(), is_error, ..result };
        let part = result_content(result.with_images());
        Ok(NeutralMessage::new(EventType::AgentMessage, vec![NeutralPart::sent(part, message.clone())]))
    }

    pub(super) fn write(&self, message: &NeutralMessage, out: &mut WrittenMessages) {
        if let Some(original) = message.unchanged(self.format) {
            return out.push(original.clone());
        }
        let said = message.parts.iter().filter(|part| !is_report(part));
        self.write_said(message, said, out);
        for part in message.parts.iter().filter(|part| is_report(part)) {
            self.write_report(part, out);
        }
    }

    fn write_said<'a>(
        &self,
        message: &NeutralMessage,
        parts: impl Iterator<Item = &'a NeutralPart>,
        out: &mut WrittenMessages,
    ) {
        let (mut content, mut calls) = (Vec::new(), Vec::new());
        for part in parts {
            match (&part.content, part.original_in(self.format)) {
                (PartContent::Call(_) | PartContent::Request { .. }, Some(original)) => {
                    calls.push(original.clone());
                }
                (PartContent::Call(call), None) => calls.push((self.write_call)(call)),
                (_, Some(original)) => content.push(original.clone()),
                (PartContent::Text(text), None) => content.push(text_part(text)),
                (PartContent::Image(image), None) if message.kind == EventType::UserMessage => {
                    content.push((self.image)(image));
                }
                (PartContent::Image(_), None) => out.leave_out("image"),
                (PartContent::Other(what), None) => out.leave_out(what),
                (_, None) => out.leave_out("approval request"),
            }
        }
        if content.is_empty() && calls.is_empty() {
            return;
        }
        let envelope = message.envelope(self.format).cloned();
        let begin = envelope.unwrap_or_else(|| (self.begin)(ChatSpeaker::Says(message.kind)));
        let mut written = begin.without(&["refusal", "function_call"]).with("content", join_content(content));
        written =
            if calls.is_empty() { written.without(&[self.calls]) } else { written.with(self.calls, calls) };
        out.push(written);
    }

    fn parts(&self, result: &NeutralResult) -> Vec<JsonTree> {
        result.to_parts("text", |image| Some((self.image)(image)))
    }

    fn write_report(&self, part: &NeutralPart, out: &mut WrittenMessages) {
        let original = part.original_in(self.format);
        match &part.content {
            PartContent::Result(result) => {
                if original.is_none() && !self.has_result_images {
                    out.leave_out_images(result);
                }
                let has_images = self.has_result_images && !result.images.is_empty();
                let written = match (original, &result.note) {
                    (Some(original), None) => original.clone(),
                    (Some(original), Some(_)) if has_images => {
                        original.clone().with("content", self.parts(result))
                    }
                    (Some(original), Some(_)) => original.clone().with("content", result.to_text()),
                    (None, _) => {
                        let begin = (self.begin)(ChatSpeaker::Reports);
                        let content: JsonTree =
                            if has_images { self.parts(result).into() } else { result.to_text().into() };
                        let begin: JsonTree = begin.with(self.call_id, result.id.as_str());
                        (self.mark_error)(begin.with("content", content), result)
                    }
                };
                out.push(written.with(self.call_id, result.id.as_str()));
            }
            _ => match original {
                Some(original) => out.push(original.clone()),
                None => out.leave_out("approval decision"),
            },
        }
    }
}

/// An image as Chat Completions and LangChain have it.
pub(super) fn image_url(image: &NeutralImage) -> JsonTree {
    let url = JsonTree::object([("url", image.to_url().into())]);
    JsonTree::object([("type", "image_url".into()), ("image_url", url)])
}

const fn is_report(part: &NeutralPart) -> bool {
    matches!(part.content, PartContent::Result(_) | PartContent::Answer(_))
}

fn text_part(text: &str) -> JsonTree {
    JsonTree::object([("type", "text".into()), ("text", text.into())])
}

/// One text as a string, no content as null, and otherwise a list of parts.
fn join_content(mut content: Vec<JsonTree>) -> JsonTree {
    match content.as_slice() {
        [] => JsonTree::Null,
        [part]
            if part.text_of("type") == Some("text")
                && *part == text_part(part.text_of("text").unwrap_or_default()) =>
        {
            content.remove(0).text_of("text").unwrap_or_default().into()
        }
        _ => content.into(),
    }
}

/// Reads content: a string, nothing, or a list of parts.
pub(super) fn read_content(content: Option<&JsonTree>) -> Result<Vec<NeutralPart>, BadMessage> {
    let bad = BadMessage::BadMember { member: "content", expected: "a string, null, or a list of parts" };
    match content {
        None => Ok(Vec::new()),
        Some(JsonTree::Text(text)) if text.is_empty() => Ok(Vec::new()),
        Some(JsonTree::Text(text)) => Ok(vec![NeutralPart::text(text)]),
        Some(JsonTree::List(list)) => list
            .iter()
            .map(|part| match part {
                JsonTree::Text(text) => Ok(NeutralPart::text(text)),
                JsonTree::Object(_) => Ok(NeutralPart::sent(part_content(part), part.clone())),
                _ => Err(bad.clone()),
            })
            .collect(),
        Some(_) => Err(bad),
    }
}

/// A part without text: an image, or one that only its own format has.
pub(super) fn other_content(part: &JsonTree, what: &str) -> PartContent {
    NeutralImage::read(part).map_or_else(|| PartContent::Other(what.to_owned()), PartContent::Image)
}

fn part_content(part: &JsonTree) -> PartContent {
    let kind = part.text_of("type").unwrap_or("part");
    match part.first_text_of(&["text", "refusal"]) {
        Some(text) if !matches!(kind, "thinking" | "reasoning") => PartContent::Text(text.to_owned()),
        _ => other_content(part, kind),
    }
}
