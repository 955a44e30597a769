//! The model messages of the AI SDK: `role`, and `content` as a string or as parts, with `tool-approval-request` and
//! `tool-approval-response`. Source: the type `ModelMessage` in the package `ai`.

use super::{
    adapter::FormatAdapter,
    chat::{other_content, read_content},
};
use crate::{
    BadMessage,
    answer::{AnswerTarget, AnswerVerdict, ApprovalAnswer, check_members},
    client_tool::call_content,
    image::{ImageSource, NeutralImage},
    message::SpeakerMember,
    neutral::{CallArguments, NeutralCall, NeutralMessage, NeutralPart, NeutralResult, PartContent},
    shown_call::ShownCall,
    written::WrittenMessages,
};
use countersign_api::Call;
use countersign_events::{EventType, MessageFormat, json::JsonTree};

pub(super) struct AiSdkAdapter;

const FORMAT: MessageFormat = MessageFormat::AiSdk;

impl FormatAdapter for AiSdkAdapter {
    fn read(&self, message: &JsonTree) -> Result<NeutralMessage, BadMessage> {
        let kind = match message.text_of("role") {
            Some("system") => EventType::SystemPrompt,
            Some("user") => EventType::UserMessage,
            Some("assistant" | "tool") => EventType::AgentMessage,
            _ => {
                let known = "system, user, assistant and tool";
                return Err(SpeakerMember { format: "ai-sdk", member: "role", known }.refuse(message));
            }
        };
        let mut parts = read_content(message.get("content"))?;
        for part in &mut parts {
            if let Some(original) = &part.original {
                part.content = read_part(original);
            }
            // The agent's program reports results as the tool, and the provider within the assistant's message.
            if let PartContent::Result(result) = &mut part.content {
                result.is_hosted = message.text_of("role") == Some("assistant");
            }
        }
        Ok(NeutralMessage::new(kind, parts))
    }

    fn write(&self, message: &NeutralMessage, out: &mut WrittenMessages) {
        if let Some(original) = message.unchanged(FORMAT) {
            return out.push(original.clone());
        }
        let role = match message.kind {
            EventType::UserMessage => "user",
            EventType::AgentMessage => "assistant",
            // The content of system messages is a string.
            _ => {
                return out
                    .push(JsonTree::object([("role", "system".into()), ("content", message.text().into())]));
            }
        };
        let is_report = |part: &&NeutralPart| match &part.content {
            PartContent::Result(result) => !result.is_hosted,
            PartContent::Answer(_) => true,
            _ => false,
        };
        let (reports, said): (Vec<_>, Vec<_>) = message.parts.iter().partition(is_report);
        for (role, parts) in [(role, said), ("tool", reports)] {
            let parts: Vec<_> = parts.into_iter().filter_map(|part| write_part(part, out)).collect();
            if parts.is_empty() {
                continue;
            }
            let envelope =
                message.envelope(FORMAT).filter(|sent| sent.text_of("role") == Some(role)).cloned();
            let begin = envelope.unwrap_or_else(|| JsonTree::object([("role", role.into())]));
            out.push(begin.with("content", parts));
        }
    }

    fn write_requests(&self, pending: &[Call], out: &mut WrittenMessages) {
        for call in pending {
            let id = call.id.as_str();
            let arguments = JsonTree::parse(&call.arguments).unwrap_or(JsonTree::Null);
            let called = tool_call(id, call.name.as_str(), arguments);
            let request = JsonTree::object([
                ("type", "tool-approval-request".into()),
                ("approvalId", out.request_id(id).into()),
                ("toolCallId", id.into()),
            ]);
            if let Some(content) = find_call(out, id) {
                content.retain(|part| !is_call(part, id));
                content.extend([called, request]);
            } else {
                let parts = vec![called, request];
                out.push(JsonTree::object([("role", "assistant".into()), ("content", parts.into())]));
            }
        }
    }
}

fn is_call(part: &JsonTree, id: &str) -> bool {
    part.text_of("type") == Some("tool-call") && part.text_of("toolCallId") == Some(id)
}

/// The content of the last message with this call.
fn find_call<'a>(out: &'a mut WrittenMessages, id: &str) -> Option<&'a mut Vec<JsonTree>> {
    let has_call = |message: &&mut JsonTree| message.list_of("content").iter().any(|part| is_call(part, id));
    out.messages.iter_mut().rev().find(has_call)?.list_mut("content")
}

fn read_part(part: &JsonTree) -> PartContent {
    let text = |name: &str| part.text_of(name).unwrap_or_default().to_owned();
    match part.text_of("type") {
        Some("text") => PartContent::Text(text("text")),
        Some("tool-call") => {
            let arguments = part.get("input").or_else(|| part.get("args")).cloned();
            let arguments = CallArguments::Tree(arguments.unwrap_or(JsonTree::empty_object()));
            let is_hosted = part.bool_of("providerExecuted") == Some(true);
            let call = NeutralCall::new(&text("toolCallId"), &text("toolName"), arguments);
            call_content(NeutralCall { is_hosted, ..call })
        }
        Some("tool-result") => {
            let (content, is_error) = read_output(part);
            let result = NeutralResult::new(&text("toolCallId"), part.text_of("toolName"), content);
            PartContent::Result(NeutralResult { is_error, ..result }.with_images())
        }
        Some("tool-approval-request") => PartContent::Request {
            id: text("approvalId"),
            call: part.text_of("toolCallId").map(str::to_owned),
        },
        Some("tool-approval-response") => {
            let target = AnswerTarget::Request(text("approvalId"));
            let shown = ShownCall::beside_decision(part);
            PartContent::Answer(ApprovalAnswer { shown, ..ApprovalAnswer::new(target, read_verdict(part)) })
        }
        other => other_content(part, other.unwrap_or("part")),
    }
}

fn read_verdict(part: &JsonTree) -> Result<AnswerVerdict, String> {
    let known = ["type", "approvalId", "approved", "reason", "providerExecuted", "providerOptions"];
    check_members(part, &known)?;
    let approved = part.bool_of("approved").ok_or("the tool-approval-response has no `approved`")?;
    Ok(AnswerVerdict::yes_or_no(approved, part.text_of("reason")))
}

/// The result output, and whether it is an error.
fn read_output(part: &JsonTree) -> (JsonTree, bool) {
    let Some(output) = part.get("output").filter(|output| output.is_object()) else {
        return (
            part.get("result").cloned().unwrap_or(JsonTree::Null),
            part.bool_of("isError") == Some(true),
        );
    };
    let kind = output.text_of("type").unwrap_or_default();
    let value = output.get("value").or_else(|| output.get("reason")).cloned().unwrap_or(JsonTree::Null);
    (value, kind.starts_with("error") || kind == "execution-denied")
}

fn tool_call(id: &str, name: &str, input: JsonTree) -> JsonTree {
    JsonTree::object([
        ("type", "tool-call".into()),
        ("toolCallId", id.into()),
        ("toolName", name.into()),
        ("input", input),
    ])
}

fn write_part(part: &NeutralPart, out: &mut WrittenMessages) -> Option<JsonTree> {
    let original = part.original_in(FORMAT);
    match (&part.content, original) {
        (PartContent::Result(result), Some(original)) if result.note.is_none() => {
            Some(original.clone().with("toolCallId", result.id.as_str()))
        }
        (PartContent::Result(result), original) => {
            let written =
                original.cloned().unwrap_or_else(|| JsonTree::object([("type", "tool-result".into())]));
            Some(
                written
                    .with("toolCallId", result.id.as_str())
                    .with("toolName", result.name.as_deref().unwrap_or_default())
                    .with("output", write_output(result)),
            )
        }
        (_, Some(original)) => Some(original.clone()),
        (PartContent::Text(text), None) if text.is_empty() => None,
        (PartContent::Text(text), None) => {
            Some(JsonTree::object([("type", "text".into()), ("text", text.as_str().into())]))
        }
        (PartContent::Call(call), None) => {
            let written = tool_call(&call.id, &call.name, call.arguments.to_tree());
            Some(written.with_optional("providerExecuted", call.is_hosted.then_some(true)))
        }
        (PartContent::Image(image), None) => Some(JsonTree::object([
            ("type", "file".into()),
            ("data", image.to_url().into()),
            ("mediaType", image.media_type().into()),
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

/// An image in a result, as versions 6 and 7 have it.
fn write_image(image: &NeutralImage) -> JsonTree {
    match image.source() {
        ImageSource::Url(url) => {
            JsonTree::object([("type", "image-url".into()), ("url", url.as_str().into())])
        }
        ImageSource::Data(data) => JsonTree::object([
            ("type", "image-data".into()),
            ("data", data.as_str().into()),
            ("mediaType", image.media_type().into()),
        ]),
    }
}

fn write_output(result: &NeutralResult) -> JsonTree {
    let (kind, value) = match (&result.content, result.is_error) {
        _ if !result.images.is_empty() => {
            ("content", result.to_parts("text", |image| Some(write_image(image))).into())
        }
        (JsonTree::Object(_), false) => ("json", result.to_value()),
        (JsonTree::Object(_), true) => ("error-json", result.to_value()),
        (_, false) => ("text", result.to_text().into()),
        (_, true) => ("error-text", result.to_text().into()),
    };
    JsonTree::object([("type", kind.into()), ("value", value)])
}
