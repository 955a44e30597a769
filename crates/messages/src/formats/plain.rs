//! Countersign's own form of a message: `{"role": "user", "text": "…"}`. Its roles are those of the events. It has no
//! calls: the text describes them.

use super::adapter::FormatAdapter;
use crate::{
    BadMessage,
    client_tool::option_word,
    describe_request,
    message::SpeakerMember,
    name_in_words,
    neutral::{NeutralMessage, NeutralPart, PartContent},
    request_id,
    written::WrittenMessages,
};
use countersign_api::Call;
use countersign_events::{EventType, MessageFormat, json::JsonTree};

pub(super) struct PlainAdapter;

/// The roles and their types.
const ROLES: &[(&str, EventType)] = &[
    ("user", EventType::UserMessage),
    ("agent", EventType::AgentMessage),
    ("system", EventType::SystemPrompt),
    ("user-system", EventType::UserSystemPrompt),
    ("local", EventType::LocalSystemMessage),
    ("compaction", EventType::Compaction),
];

/// The request role, which no conversation message has.
const REQUEST_ROLE: &str = "approval";

impl FormatAdapter for PlainAdapter {
    fn read(&self, message: &JsonTree) -> Result<NeutralMessage, BadMessage> {
        let role = message.text_of("role");
        // Only Countersign asks for approvals, so a message of this role is never shown.
        if role == Some(REQUEST_ROLE) {
            let part = PartContent::Request { id: String::new(), call: None };
            let parts = vec![NeutralPart::sent(part, message.clone())];
            return Ok(NeutralMessage::new(EventType::LocalSystemMessage, parts));
        }
        let Some((_, kind)) = ROLES.iter().find(|(name, _)| Some(*name) == role) else {
            let known = "user, agent, system, user-system, local and compaction";
            return Err(SpeakerMember { format: "plain", member: "role", known }.refuse(message));
        };
        let bad = BadMessage::BadMember { member: "text", expected: "a string" };
        let text = message.text_of("text").ok_or(bad)?;
        Ok(NeutralMessage::new(*kind, vec![NeutralPart::text(text)]))
    }

    fn write(&self, message: &NeutralMessage, out: &mut WrittenMessages) {
        if let Some(original) = message.unchanged(MessageFormat::Plain) {
            return out.push(original.clone());
        }
        let mut texts = Vec::new();
        for part in &message.parts {
            match &part.content {
                PartContent::Text(text) => texts.push(text.clone()),
                PartContent::Call(call) => {
                    texts.push(format!("[call {} of {}: {}]", call.id, call.name, call.arguments.to_text()));
                }
                PartContent::Image(_) => out.leave_out("image"),
                PartContent::Result(result) => {
                    out.leave_out_images(result);
                    texts.push(format!("[result of {}] {}", result.id, result.to_text()));
                }
                PartContent::Request { .. } => out.leave_out("approval request"),
                PartContent::Answer(_) => out.leave_out("approval decision"),
                PartContent::Other(what) => out.leave_out(what),
            }
        }
        texts.retain(|text| !text.is_empty());
        if !texts.is_empty() {
            let role =
                ROLES.iter().find(|(_, kind)| *kind == message.kind).map_or("agent", |(role, _)| *role);
            out.push(JsonTree::object([("role", role.into()), ("text", texts.join("\n\n").into())]));
        }
    }

    fn write_requests(&self, pending: &[Call], out: &mut WrittenMessages) {
        for call in pending {
            let text = format!(
                "{}\nArguments: {}\n{}",
                describe_request(call),
                call.arguments.as_str(),
                describe_answers(call, pending),
            );
            out.push(JsonTree::object([
                ("role", REQUEST_ROLE.into()),
                ("id", request_id(call.id.as_str()).into()),
                ("text", text.into()),
            ]));
        }
    }
}

/// The words that decide the call. They name its id where another call of its tool is pending.
fn describe_answers(call: &Call, pending: &[Call]) -> String {
    let Some(name) = name_in_words(call, pending) else {
        return format!("No words can name this call; decide it by its id, {}.", call.id);
    };
    let options = call.request.as_ref().map(|request| request.options.as_slice()).unwrap_or_default();
    let answers: Vec<_> = options
        .iter()
        .map(|option| format!("{:?}", format!("{} {name}", option_word(*option)).trim_end()))
        .collect();
    match answers.split_last() {
        Some((last, [])) => format!("Answer with {last}."),
        Some((last, others)) => format!("Answer with {} or {last}.", others.join(", ")),
        None => String::new(),
    }
}
