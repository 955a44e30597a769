//! AG-UI messages, interrupts, and the entries with which a run is resumed. Source: the schemas in the package
//! `@ag-ui/core`. One resume must answer all open interrupts.

use super::{
    adapter::FormatAdapter,
    chat::{ChatForm, ChatSpeaker, role_of},
    openai::{read_call, write_call},
};
use crate::{
    BadMessage,
    answer::{
        AnswerTarget, AnswerVerdict, ApprovalAnswer, EditedCall, check_members, decision_in_scope, non_empty,
    },
    describe_request,
    image::ImageSource,
    message::SpeakerMember,
    neutral::{NeutralMessage, NeutralPart, PartContent, content_text},
    request_id,
    shown_call::ShownCall,
    written::WrittenMessages,
};
use countersign_api::Call;
use countersign_events::{Decision, EventType, MessageFormat, json::JsonTree};

pub(super) struct AgUiAdapter;

const FORM: ChatForm = ChatForm {
    format: MessageFormat::AgUi,
    read_speaker,
    begin: |speaker| JsonTree::object([("id", "".into()), ("role", role_of(speaker).into())]),
    calls: "toolCalls",
    call_id: "toolCallId",
    read_call,
    write_call,
    mark_error: |message, result| {
        if result.is_error { message.with("error", result.to_text()) } else { message }
    },
    image: |image| {
        let source = match image.source() {
            ImageSource::Url(url) => {
                JsonTree::object([("type", "url".into()), ("value", url.as_str().into())])
            }
            ImageSource::Data(data) => JsonTree::object([
                ("type", "data".into()),
                ("value", data.as_str().into()),
                ("mimeType", image.media_type().into()),
            ]),
        };
        JsonTree::object([("type", "image".into()), ("source", source)])
    },
    has_result_images: false,
    is_error: |message| message.text_of("error").is_some(),
};

impl FormatAdapter for AgUiAdapter {
    fn read(&self, message: &JsonTree) -> Result<NeutralMessage, BadMessage> {
        let alone =
            |kind, content| Ok(NeutralMessage::new(kind, vec![NeutralPart::sent(content, message.clone())]));
        if let Some(resume) = message.get("resume").and_then(JsonTree::as_list) {
            let read =
                |entry: &JsonTree| NeutralPart::sent(PartContent::Answer(read_entry(entry)), JsonTree::Null);
            let mut parts: Vec<_> = resume.iter().map(read).collect();
            if let Some(first) = parts.first_mut() {
                first.original = Some(message.clone());
            }
            return Ok(NeutralMessage::new(EventType::UserMessage, parts));
        }
        if message.text_of("type") == Some("RUN_FINISHED") {
            return alone(EventType::AgentMessage, PartContent::Request { id: String::new(), call: None });
        }
        match message.text_of("role") {
            Some(role @ ("activity" | "reasoning")) => {
                alone(EventType::AgentMessage, PartContent::Other(role.to_owned()))
            }
            _ => FORM.read(message),
        }
    }

    fn write(&self, message: &NeutralMessage, out: &mut WrittenMessages) {
        let written = out.messages.len();
        let is_unchanged = message.unchanged(MessageFormat::AgUi).is_some();
        FORM.write(message, out);
        let position = out.position;
        for (index, message) in out.messages.iter_mut().enumerate().skip(written) {
            if message.get("role").is_some() && message.text_of("id").is_none_or(str::is_empty) {
                message.set("id", format!("message-{position}-{index}"));
            }
            // Only people's content has parts.
            let is_parts = message.get("content").is_some_and(|content| content.as_list().is_some());
            if is_parts && message.text_of("role") != Some("user") && !is_unchanged {
                let text = message.get("content").map(content_text).unwrap_or_default();
                message.set("content", text);
            }
            // Without text, the content is absent.
            if message.get("content").is_none() {
                *message = message.clone().without(&["content"]);
            }
        }
    }

    fn write_requests(&self, pending: &[Call], out: &mut WrittenMessages) {
        let Some(first) = pending.first() else { return };
        let interrupts: Vec<_> = pending.iter().map(write_interrupt).collect();
        let outcome = JsonTree::object([("type", "interrupt".into()), ("interrupts", interrupts.into())]);
        out.push(JsonTree::object([
            ("type", "RUN_FINISHED".into()),
            ("threadId", first.thread_id.as_str().into()),
            ("runId", "countersign".into()),
            ("outcome", outcome),
        ]));
    }
}

fn read_speaker(message: &JsonTree) -> Result<ChatSpeaker, BadMessage> {
    Ok(match message.text_of("role") {
        Some("system" | "developer") => ChatSpeaker::Says(EventType::SystemPrompt),
        Some("user") => ChatSpeaker::Says(EventType::UserMessage),
        Some("assistant") => ChatSpeaker::Says(EventType::AgentMessage),
        Some("tool") => ChatSpeaker::Reports,
        _ => {
            let known = "developer, system, assistant, user, tool, activity and reasoning";
            return Err(SpeakerMember { format: "ag-ui", member: "role", known }.refuse(message));
        }
    })
}

fn write_interrupt(call: &Call) -> JsonTree {
    let approved = JsonTree::object([("type", "boolean".into())]);
    let edited = JsonTree::object([("type", "object".into())]);
    let reason = JsonTree::object([("type", "string".into())]);
    let schema = JsonTree::object([
        ("type", "object".into()),
        (
            "properties",
            JsonTree::object([("approved", approved), ("editedArgs", edited), ("reason", reason)]),
        ),
        ("required", vec!["approved".into()].into()),
    ]);
    let expires = call.request.as_ref().and_then(|request| request.expires_at).map(|at| at.to_string());
    let shown = JsonTree::object([
        ("name", call.name.as_str().into()),
        ("arguments", JsonTree::parse(&call.arguments).unwrap_or(JsonTree::Null)),
    ]);
    JsonTree::object([
        ("id", request_id(call.id.as_str()).into()),
        ("reason", "tool_call".into()),
        ("message", describe_request(call).into()),
        ("toolCallId", call.id.as_str().into()),
        ("responseSchema", schema),
        ("metadata", shown),
    ])
    .with_optional("expiresAt", expires)
}

fn read_entry(entry: &JsonTree) -> ApprovalAnswer {
    let target = AnswerTarget::Request(entry.text_of("interruptId").unwrap_or_default().to_owned());
    let verdict = match (entry.text_of("status"), entry.get("payload")) {
        (Some("cancelled"), _) => Ok(AnswerVerdict::plain(Decision::Deny)),
        (Some("resolved"), Some(payload)) => read_payload(payload),
        (Some("resolved"), None) => {
            Err("the entry is resolved, and has no `payload` with `approved`".to_owned())
        }
        _ => Err("`status` must be resolved or cancelled".to_owned()),
    };
    let known = ["interruptId", "status", "payload", "metadata"];
    let verdict = check_members(entry, &known).and(verdict);
    let shown = entry.get("payload").map(ShownCall::beside_decision).unwrap_or_default();
    ApprovalAnswer { covers_all: true, shown, ..ApprovalAnswer::new(target, verdict) }
}

fn read_payload(payload: &JsonTree) -> Result<AnswerVerdict, String> {
    if let JsonTree::Bool(approved) = payload {
        return Ok(AnswerVerdict::yes_or_no(*approved, None));
    }
    let known =
        ["approved", "decision", "scope", "reason", "comment", "message", "editedArgs", "edited_args"];
    check_members(payload, &known)?;
    let comment = payload.first_text_of(&["reason", "comment", "message"]);
    let verdict = match (payload.bool_of("approved"), payload.text_of("decision")) {
        (Some(approved), None) => AnswerVerdict::yes_or_no(approved, comment),
        (None, Some(word)) => {
            let decision = decision_in_scope(word, payload.text_of("scope"))?;
            AnswerVerdict { comment: non_empty(comment), ..AnswerVerdict::plain(decision) }
        }
        _ => return Err("the payload must have `approved`".to_owned()),
    };
    let edited = ["editedArgs", "edited_args"].iter().find_map(|name| payload.get(name));
    let edited = edited.filter(|_| verdict.decision.allows());
    let edited = edited.map(|edited| EditedCall { name: None, arguments: edited.clone(), has_texts: false });
    Ok(AnswerVerdict { edited, ..verdict })
}
