//! The items of OpenAI's Agents SDK, and its interruptions. Source: the types `AgentInputItem` and
//! `RunToolApprovalItem` of the SDK. The SDK answers an interruption with the methods `approve` and `reject` of a state
//! that only the agent's process has, so a decision is an item of our own, with the arguments of these methods.

use super::{
    adapter::FormatAdapter,
    items::{ItemForm, output, read_said, write_items},
};
use crate::{
    BadMessage,
    answer::{AnswerTarget, AnswerVerdict, ApprovalAnswer, check_members},
    call_names::NameRules,
    client_tool::call_content,
    image::NeutralImage,
    message::SpeakerMember,
    neutral::{CallArguments, NeutralCall, NeutralMessage, NeutralPart, NeutralResult, PartContent},
    shown_call::ShownCall,
    written::WrittenMessages,
};
use countersign_api::Call;
use countersign_events::{Decision, EventType, MessageFormat, json::JsonTree};

pub(super) struct OpenAiAgentsAdapter;

const FORM: ItemForm = ItemForm {
    format: MessageFormat::OpenAiAgents,
    begin: |kind| match kind {
        EventType::UserMessage => JsonTree::object([("type", "message".into()), ("role", "user".into())]),
        EventType::AgentMessage => JsonTree::object([
            ("type", "message".into()),
            ("role", "assistant".into()),
            ("status", "completed".into()),
        ]),
        _ => JsonTree::object([("type", "message".into()), ("role", "system".into())]),
    },
    content: |kind, texts| {
        if kind != EventType::AgentMessage {
            return texts.join("\n\n").into();
        }
        let part = |text: &&str| JsonTree::object([("type", "output_text".into()), ("text", (*text).into())]);
        texts.iter().map(part).collect::<Vec<_>>().into()
    },
    call: |call| function_call(&call.id, &call.name, call.arguments.to_text()),
    image: write_image,
    result: |result, original| match original {
        Some(original) if result.note.is_none() => original.clone().with("callId", result.id.as_str()),
        Some(original) => {
            original.clone().with("callId", result.id.as_str()).with("output", write_output(result))
        }
        None => JsonTree::object([
            ("type", "function_call_result".into()),
            ("callId", result.id.as_str().into()),
            ("name", result.name.as_deref().unwrap_or_default().into()),
            ("status", if result.is_error { "incomplete" } else { "completed" }.into()),
            ("output", write_output(result)),
        ]),
    },
};

fn function_call(id: &str, name: &str, arguments: String) -> JsonTree {
    JsonTree::object([
        ("type", "function_call".into()),
        ("callId", id.into()),
        ("name", name.into()),
        ("status", "completed".into()),
        ("arguments", arguments.into()),
    ])
}

fn write_image(image: &NeutralImage) -> JsonTree {
    JsonTree::object([("type", "input_image".into()), ("image", image.to_url().into())])
}

fn write_output(result: &NeutralResult) -> JsonTree {
    output(result, text_output, write_image)
}

fn text_output(text: &str) -> JsonTree {
    JsonTree::object([("type", "text".into()), ("text", text.into())])
}

impl FormatAdapter for OpenAiAgentsAdapter {
    fn read(&self, item: &JsonTree) -> Result<NeutralMessage, BadMessage> {
        let content = match item.text_of("type") {
            None | Some("message") => return read_message(item),
            Some("function_call") => read_call(item),
            Some("function_call_result") => {
                let output = item.get("output");
                let text = output.and_then(|output| output.text_of("text")).map(JsonTree::from);
                let content = text.or_else(|| output.cloned()).unwrap_or(JsonTree::Null);
                let id = item.text_of("callId").unwrap_or_default();
                let is_error = item.text_of("status") == Some("incomplete");
                let result = NeutralResult::new(id, item.text_of("name"), content);
                // One image, or a list.
                let result = match NeutralImage::read(&result.content) {
                    Some(image) => NeutralResult { content: JsonTree::Null, images: vec![image], ..result },
                    None => result.with_images(),
                };
                PartContent::Result(NeutralResult { is_error, ..result })
            }
            Some("tool_approval_item") => {
                let raw = item.get("rawItem");
                let call = raw.and_then(|raw| raw.first_text_of(&["callId", "id"])).map(str::to_owned);
                PartContent::Request { id: call.clone().unwrap_or_default(), call }
            }
            Some("tool_approval_response") => {
                let parts = vec![NeutralPart::sent(PartContent::Answer(read_answer(item)), item.clone())];
                return Ok(NeutralMessage::new(EventType::UserMessage, parts));
            }
            Some(other) => PartContent::Other(other.to_owned()),
        };
        Ok(NeutralMessage::new(EventType::AgentMessage, vec![NeutralPart::sent(content, item.clone())]))
    }

    fn write(&self, message: &NeutralMessage, out: &mut WrittenMessages) {
        write_items(&FORM, message, out);
    }

    fn name_rules(&self) -> Option<NameRules> {
        Some(NameRules { most_in_name: 64, marks_in_name: "", begins_with_any: true, most_in_id: Some(64) })
    }

    fn write_requests(&self, pending: &[Call], out: &mut WrittenMessages) {
        for call in pending {
            let raw = function_call(call.id.as_str(), call.name.as_str(), call.arguments.as_str().to_owned());
            let agent = JsonTree::object([("name", call.proposal.principal.as_str().into())]);
            out.push(JsonTree::object([
                ("type", "tool_approval_item".into()),
                ("rawItem", raw),
                ("agent", agent),
                ("toolName", call.name.as_str().into()),
            ]));
        }
    }

    fn is_item_based(&self) -> bool {
        true
    }
}

fn read_call(item: &JsonTree) -> PartContent {
    let text = |name: &str| item.text_of(name).unwrap_or_default().to_owned();
    let arguments = CallArguments::Text(text("arguments"));
    call_content(NeutralCall::new(&text("callId"), &text("name"), arguments))
}

fn read_message(item: &JsonTree) -> Result<NeutralMessage, BadMessage> {
    let kind = match item.text_of("role") {
        Some("system") => EventType::SystemPrompt,
        Some("user") => EventType::UserMessage,
        Some("assistant") => EventType::AgentMessage,
        _ => {
            let known = "system, user and assistant";
            return Err(SpeakerMember { format: "openai-agents", member: "role", known }.refuse(item));
        }
    };
    read_said(kind, item)
}

fn read_answer(item: &JsonTree) -> ApprovalAnswer {
    let target = AnswerTarget::Call(item.text_of("callId").unwrap_or_default().to_owned());
    let shown = ShownCall::beside_decision(item);
    ApprovalAnswer { shown, ..ApprovalAnswer::new(target, read_verdict(item)) }
}

fn read_verdict(item: &JsonTree) -> Result<AnswerVerdict, String> {
    check_members(item, &["type", "approve", "alwaysApprove", "alwaysReject", "message", "rawItem"])?;
    let approve = item.bool_of("approve").ok_or("the tool_approval_response has no `approve`")?;
    let mut verdict = AnswerVerdict::yes_or_no(approve, item.text_of("message"));
    if approve && item.bool_of("alwaysApprove") == Some(true) {
        verdict.decision = Decision::AllowSession;
    }
    Ok(verdict)
}
