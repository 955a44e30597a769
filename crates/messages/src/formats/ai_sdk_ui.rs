//! The UI messages of the AI SDK: `id`, `role` and `parts`. A call, its approval and its result are one part, whose `state`
//! says how far it is. Source: the type `UIMessage` of the package `ai`, versions 5 to 7.

use super::{adapter::FormatAdapter, ai_sdk_ui_state::show_state, chat::other_content};
use crate::{
    BadMessage, LoggedCalls,
    answer::{AnswerTarget, AnswerVerdict, ApprovalAnswer, check_members},
    client_tool::call_content,
    message::SpeakerMember,
    neutral::{CallArguments, NeutralCall, NeutralMessage, NeutralPart, NeutralResult, PartContent},
    shown_call::ShownCall,
    written::WrittenMessages,
};
use countersign_api::Call;
use countersign_events::{EventType, MessageFormat, json::JsonTree};
use std::collections::HashMap;

pub(super) struct AiSdkUiAdapter;

const FORMAT: MessageFormat = MessageFormat::AiSdkUi;

/// The type of the part before each step of the agent. The results of a step come before the next one.
pub(super) const STEP_START: &str = "step-start";

/// The length of an approval signature in letters: an HMAC-SHA-256 in base64url without padding.
const SIGNATURE_LETTERS: usize = 43;

/// The most messages in which the call for a result is searched, the last ones first.
const MOST_SEARCHED: usize = 1_000;

impl FormatAdapter for AiSdkUiAdapter {
    fn read(&self, message: &JsonTree) -> Result<NeutralMessage, BadMessage> {
        let kind = match message.text_of("role") {
            Some("system") => EventType::SystemPrompt,
            Some("user") => EventType::UserMessage,
            Some("assistant") => EventType::AgentMessage,
            _ => {
                let known = "system, user and assistant";
                return Err(SpeakerMember { format: "ai-sdk-ui", member: "role", known }.refuse(message));
            }
        };
        let bad = BadMessage::BadMember { member: "parts", expected: "a list of parts" };
        let list = message.get("parts").and_then(JsonTree::as_list).ok_or_else(|| bad.clone())?;
        let mut parts = Vec::new();
        for part in list {
            if !part.is_object() {
                return Err(bad);
            }
            read_part(part, &mut parts);
        }
        Ok(NeutralMessage::new(kind, parts))
    }

    fn write(&self, message: &NeutralMessage, out: &mut WrittenMessages) {
        if !out.is_for_model()
            && let Some(original) = message.unchanged(FORMAT)
        {
            return out.push(original.clone());
        }
        let mut parts = Vec::new();
        let mut results = Vec::new();
        for part in &message.parts {
            match (&part.content, part.original_in(FORMAT)) {
                (PartContent::Result(result), _) => results.push(result),
                // These are members of the call part.
                (PartContent::Request { .. } | PartContent::Answer(_), None) if message.is_in(FORMAT) => {}
                (_, Some(original)) => parts.push(original.clone()),
                (PartContent::Text(text), None) if text.is_empty() => {}
                (PartContent::Text(text), None) => {
                    parts.push(JsonTree::object([("type", "text".into()), ("text", text.as_str().into())]));
                }
                (PartContent::Call(call), None) => {
                    let part = tool_part(&call.id, &call.name, call.arguments.to_tree());
                    parts.push(part.with_optional("providerExecuted", call.is_hosted.then_some(true)));
                }
                (PartContent::Image(image), None) => parts.push(JsonTree::object([
                    ("type", "file".into()),
                    ("mediaType", image.media_type().into()),
                    ("url", image.to_url().into()),
                ])),
                (PartContent::Other(what), None) => out.leave_out(what),
                (PartContent::Request { .. }, None) => out.leave_out("approval request"),
                (PartContent::Answer(_), None) => out.leave_out("approval decision"),
            }
        }
        if !parts.is_empty() {
            let role = match message.kind {
                EventType::UserMessage => "user",
                EventType::AgentMessage => "assistant",
                _ => "system",
            };
            let begin = message.envelope(FORMAT).cloned();
            out.push(begin.unwrap_or_else(|| new_message(role, out)).with("parts", parts));
        }
        for result in results {
            put_result(result, out);
        }
    }

    fn write_requests(&self, pending: &[Call], out: &mut WrittenMessages) {
        for call in pending {
            let id = call.id.as_str();
            let arguments = JsonTree::parse(&call.arguments).unwrap_or(JsonTree::Null);
            let approval = JsonTree::object([("id", out.request_id(id).into())]);
            let part = tool_part(id, call.name.as_str(), arguments)
                .with("state", "approval-requested")
                .with("approval", approval);
            if let Some(stored) = find_tool_part(out, id) {
                // Clients draw a static tool by its type, which has its name.
                let kind = stored.text_of("type").unwrap_or_default().to_owned();
                let is_static = kind.strip_prefix("tool-") == Some(call.name.as_str());
                *stored = if is_static { part.with("type", kind).without(&["toolName"]) } else { part };
            } else {
                let message = new_message("assistant", out).with("parts", vec![part]);
                out.push(message);
            }
        }
    }

    fn write_states(&self, calls: &LoggedCalls, out: &mut WrittenMessages) {
        let request_ids: Vec<_> = calls.keys().map(|id| (id, out.request_id(id))).collect();
        let request_ids: HashMap<_, _> = request_ids.into_iter().collect();
        for part in out.messages.iter_mut().filter_map(|message| message.list_mut("parts")).flatten() {
            let id = part.text_of("toolCallId").filter(|_| tool_name(part).is_some());
            if let Some((id, call)) = id.and_then(|id| calls.get_key_value(id))
                && let Some(request) = request_ids.get(id)
            {
                show_state(part, &call.call, request);
            }
        }
    }

    /// The part state says whether people are asked, and what they decided.
    fn settle_call(&self, part: &JsonTree, call: Option<&Call>) -> Option<JsonTree> {
        let state = part.text_of("state").unwrap_or_default();
        let said = part.get("approval").and_then(|approval| approval.bool_of("approved"));
        let decided = call.filter(|call| call.request.is_some()).and_then(|call| call.response.as_ref());
        let allowed = decided.map(|response| response.decision.allows());
        let is_open = matches!(state, "approval-requested" | "approval-responded");
        match (allowed, part.get("approval")) {
            (None, None) if !is_open => Some(part.clone()),
            (None, _) => {
                let part = part.clone().without(&["approval"]);
                Some(if is_open || state == "output-denied" {
                    part.with("state", "input-available")
                } else {
                    part
                })
            }
            (Some(allowed), Some(approval)) if said != Some(allowed) || state == "approval-requested" => {
                let approval = JsonTree::object([
                    ("id", approval.text_of("id").unwrap_or_default().into()),
                    ("approved", allowed.into()),
                ]);
                let part = part.clone().with("approval", approval);
                Some(if is_open || !allowed { part.with("state", "approval-responded") } else { part })
            }
            _ => Some(part.clone()),
        }
    }
}

fn new_message(role: &str, out: &WrittenMessages) -> JsonTree {
    let id = format!("message-{}-{}", out.position, out.messages.len());
    JsonTree::object([("id", id.into()), ("role", role.into())])
}

fn tool_part(id: &str, name: &str, input: JsonTree) -> JsonTree {
    JsonTree::object([
        ("type", "dynamic-tool".into()),
        ("toolName", name.into()),
        ("toolCallId", id.into()),
        ("state", "input-available".into()),
        ("input", input),
    ])
}

fn tool_name(part: &JsonTree) -> Option<&str> {
    match part.text_of("type")? {
        "dynamic-tool" => part.text_of("toolName"),
        other => other.strip_prefix("tool-"),
    }
}

fn read_part(part: &JsonTree, parts: &mut Vec<NeutralPart>) {
    let Some(name) = tool_name(part) else {
        let content = match (part.text_of("type"), part.text_of("text")) {
            (Some("text"), Some(text)) => PartContent::Text(text.to_owned()),
            (kind, _) => other_content(part, kind.unwrap_or("part")),
        };
        return parts.push(NeutralPart::sent(content, part.clone()));
    };
    let id = part.text_of("toolCallId").unwrap_or_default();
    let arguments = part.get("input").cloned().unwrap_or(JsonTree::empty_object());
    let is_hosted = part.bool_of("providerExecuted") == Some(true);
    let call = NeutralCall::new(id, name, CallArguments::Tree(arguments.clone()));
    let call = NeutralCall { is_hosted, ..call };
    parts.push(NeutralPart::sent(call_content(call), part.clone()));
    if let Some(approval) = part.get("approval") {
        let request = approval.text_of("id").unwrap_or_default().to_owned();
        parts.push(NeutralPart::made(PartContent::Request { id: request, call: Some(id.to_owned()) }));
        // An automatic approval is not a person's answer.
        let is_answered = matches!(part.text_of("state"), Some("approval-responded" | "output-denied"));
        if is_answered && approval.bool_of("isAutomatic") != Some(true) {
            let answer = ApprovalAnswer::new(AnswerTarget::Call(id.to_owned()), read_verdict(approval));
            let answer = ApprovalAnswer { shown: ShownCall::new(name, arguments), ..answer };
            parts.push(NeutralPart::made(PartContent::Answer(answer)));
        }
    }
    if let Some((content, is_error)) = read_output(part) {
        let result = NeutralResult::new(id, Some(name), content);
        let result = NeutralResult { is_error, is_hosted, ..result };
        parts.push(NeutralPart::made(PartContent::Result(result)));
    }
}

fn read_verdict(approval: &JsonTree) -> Result<AnswerVerdict, String> {
    check_members(approval, &["approved", "reason", "requestReason", "isAutomatic", "signature"])?;
    let is_base64url = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    if let Some(signature) = approval.get("signature") {
        let letters = signature.as_text().map(|text| text.trim_end_matches('='));
        if !letters.is_some_and(|text| text.len() == SIGNATURE_LETTERS && text.chars().all(is_base64url)) {
            return Err("the signature of the approval is not an HMAC-SHA-256 in base64url".to_owned());
        }
    }
    let approved = approval.bool_of("approved").ok_or("the approval has no `approved`")?;
    Ok(AnswerVerdict::yes_or_no(approved, approval.text_of("reason")))
}

/// The output of a finished part, and whether it is an error.
fn read_output(part: &JsonTree) -> Option<(JsonTree, bool)> {
    let text = |name: &str, otherwise: &str| part.text_of(name).unwrap_or(otherwise).into();
    match part.text_of("state")? {
        "output-available" => Some((part.get("output").cloned().unwrap_or(JsonTree::Null), false)),
        "output-error" => Some((text("errorText", "The call failed."), true)),
        "output-denied" => {
            let reason = part.get("approval").and_then(|approval| approval.text_of("reason"));
            Some((reason.unwrap_or("A person denied this call.").into(), true))
        }
        _ => None,
    }
}

/// The part for the last call with this id, in the messages that were written.
fn find_tool_part<'a>(out: &'a mut WrittenMessages, id: &str) -> Option<&'a mut JsonTree> {
    let is_call = |part: &JsonTree| tool_name(part).is_some() && part.text_of("toolCallId") == Some(id);
    let mut recent = out.messages.iter_mut().rev().take(MOST_SEARCHED);
    let message = recent.find(|message| message.list_of("parts").iter().any(is_call))?;
    message.list_mut("parts")?.iter_mut().rev().find(|part| is_call(part))
}

fn put_result(result: &NeutralResult, out: &mut WrittenMessages) {
    let is_for_model = out.is_for_model();
    out.leave_out_images(result);
    let Some(part) = find_tool_part(out, &result.id) else {
        return out.leave_out(&format!("result of {:?}, which no message calls", result.id));
    };
    // A part with an output has no approval, or one that was given. Models get none.
    let is_granted = part.get("approval").is_some_and(|approval| approval.bool_of("approved") == Some(true));
    let kept = if is_granted && !is_for_model { part.clone() } else { part.clone().without(&["approval"]) };
    let is_same = read_output(part)
        .is_some_and(|(content, is_error)| content == result.content && is_error == result.is_error);
    let is_denied = part.text_of("state") == Some("output-denied");
    *part = if is_same && result.note.is_none() && !is_denied {
        kept
    } else if result.is_error {
        let ended = kept.without(&["output", "errorText"]);
        ended.with("state", "output-error").with("errorText", result.to_text())
    } else {
        let ended = kept.without(&["output", "errorText"]);
        ended.with("state", "output-available").with("output", result.to_value())
    };
}
