//! The model messages of the AI SDK: `role`, and `content` as a text or as parts, with `tool-approval-request` and
//! `tool-approval-response`. Source: the type `ModelMessage` of the package `ai`.

use super::{adapter::FormatAdapter, chat::read_content};
use crate::{
    answer::{AnswerTarget, AnswerVerdict, ApprovalAnswer, check_members},
    client_tool::call_content,
    json_tree::JsonTree,
    message::{BadMessage, unknown_speaker},
    neutral::{CallArguments, NeutralCall, NeutralMessage, NeutralPart, NeutralResult, PartContent},
    shown_call::ShownCall,
    written::WrittenMessages,
};
use countersign_api::Call;
use countersign_events::{EventType, event::MessageFormat};

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
                return Err(unknown_speaker(("ai-sdk", "role", known), message.get("role")));
            }
        };
        let mut parts = read_content(message.get("content"))?;
        for part in &mut parts {
            if let Some(original) = &part.original {
                part.content = read_part(original);
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
            // The content of a system message is a text.
            _ => {
                return out
                    .push(JsonTree::object([("role", "system".into()), ("content", message.text().into())]));
            }
        };
        let is_report =
            |part: &&NeutralPart| matches!(part.content, PartContent::Result(_) | PartContent::Answer(_));
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

/// The content of the last message that has the call.
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
            call_content(NeutralCall {
                id: text("toolCallId"),
                has_implied_id: false,
                name: text("toolName"),
                arguments,
            })
        }
        Some("tool-result") => {
            let name = part.text_of("toolName").map(str::to_owned);
            let (content, is_error) = read_output(part);
            PartContent::Result(NeutralResult { id: text("toolCallId"), name, content, is_error, note: None })
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
        other => PartContent::Other(other.unwrap_or("part").to_owned()),
    }
}

fn read_verdict(part: &JsonTree) -> Result<AnswerVerdict, String> {
    let known = ["type", "approvalId", "approved", "reason", "providerExecuted", "providerOptions"];
    check_members(part, &known)?;
    let approved = part.bool_of("approved").ok_or("the tool-approval-response has no `approved`")?;
    Ok(AnswerVerdict::yes_or_no(approved, part.text_of("reason")))
}

/// The output of a result, and whether it is an error.
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
        (PartContent::Call(call), None) => Some(tool_call(&call.id, &call.name, call.arguments.to_tree())),
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

fn write_output(result: &NeutralResult) -> JsonTree {
    let (kind, value) = match (&result.content, result.is_error) {
        (JsonTree::Object(_), false) => ("json", result.to_value()),
        (JsonTree::Object(_), true) => ("error-json", result.to_value()),
        (_, false) => ("text", result.to_text().into()),
        (_, true) => ("error-text", result.to_text().into()),
    };
    JsonTree::object([("type", kind.into()), ("value", value)])
}
