//! HumanLayer function calls: `run_id`, `call_id`, `spec`, and the `status` with a person's answer. Source: the
//! models in the last public version of its client libraries. The format has no other messages.

use super::adapter::FormatAdapter;
use crate::{
    BadMessage, LoggedCalls,
    answer::{AnswerTarget, AnswerVerdict, ApprovalAnswer, check_members, non_empty},
    client_tool::call_content,
    neutral::{CallArguments, NeutralCall, NeutralMessage, NeutralPart, PartContent},
    shown_call::ShownCall,
    written::WrittenMessages,
};
use countersign_api::Call;
use countersign_events::{EventType, MessageFormat, json::JsonTree};

pub(super) struct HumanLayerAdapter;

impl FormatAdapter for HumanLayerAdapter {
    fn read(&self, message: &JsonTree) -> Result<NeutralMessage, BadMessage> {
        let missing = BadMessage::BadMember { member: "call_id", expected: "the id of a function call" };
        let id = message.text_of("call_id").ok_or(missing)?;
        let spec = message.get("spec").filter(|spec| spec.is_object());
        let mut parts = Vec::new();
        if let Some(spec) = spec {
            let name = spec
                .text_of("fn")
                .ok_or(BadMessage::BadMember { member: "spec", expected: "a spec with `fn`" })?;
            let arguments =
                CallArguments::Tree(spec.get("kwargs").cloned().unwrap_or(JsonTree::empty_object()));
            let call = call_content(NeutralCall::new(id, name, arguments));
            parts.push(NeutralPart::sent(call, message.clone()));
        }
        let status = message.get("status").filter(|status| status.get("approved").is_some());
        if let Some(status) = status {
            let shown = spec.map(ShownCall::beside_decision).unwrap_or_default();
            let answer = ApprovalAnswer::new(AnswerTarget::Call(id.to_owned()), read_status(status));
            let part = PartContent::Answer(ApprovalAnswer { shown, ..answer });
            parts
                .push(NeutralPart::sent(part, if spec.is_some() { JsonTree::Null } else { message.clone() }));
        }
        if parts.is_empty() {
            return Err(BadMessage::BadMember {
                member: "spec",
                expected: "a spec, unless there is a status",
            });
        }
        let kind = if spec.is_some() { EventType::AgentMessage } else { EventType::UserMessage };
        Ok(NeutralMessage::new(kind, parts))
    }

    fn write(&self, message: &NeutralMessage, out: &mut WrittenMessages) {
        if let Some(original) = message.unchanged(MessageFormat::HumanLayer) {
            return out.push(original.clone());
        }
        for part in &message.parts {
            match (&part.content, part.original_in(MessageFormat::HumanLayer)) {
                (_, Some(JsonTree::Null)) => {}
                (_, Some(original)) => out.push(original.clone()),
                (PartContent::Call(call), None) => {
                    out.push(function_call(&call.id, &call.name, call.arguments.to_object()));
                }
                (PartContent::Text(_), None) => out.leave_out("text"),
                (PartContent::Image(_), None) => out.leave_out("image"),
                (PartContent::Result(_), None) => out.leave_out("result"),
                (PartContent::Other(what), None) => out.leave_out(what),
                (PartContent::Request { .. }, None) => out.leave_out("approval request"),
                (PartContent::Answer(_), None) => out.leave_out("approval decision"),
            }
        }
    }

    fn write_requests(&self, pending: &[Call], out: &mut WrittenMessages) {
        for call in pending {
            let arguments = JsonTree::parse(&call.arguments).unwrap_or(JsonTree::Null);
            let requested_at = call.request.as_ref().map(|request| request.requested_at.to_string());
            let status = JsonTree::empty_object().with_optional("requested_at", requested_at);
            let id = call.id.as_str();
            let written = function_call(id, call.name.as_str(), arguments)
                .with("run_id", call.thread_id.as_str())
                .with("status", status);
            out.messages.retain(|message| message.text_of("call_id") != Some(id));
            out.push(written);
        }
    }

    fn write_states(&self, calls: &LoggedCalls, out: &mut WrittenMessages) {
        for message in &mut out.messages {
            let call = message.text_of("call_id").and_then(|id| calls.get(id));
            if let Some(call) = call
                && let Some(settled) = self.settle_call(message, Some(&call.call))
            {
                *message = settled;
            }
        }
    }

    /// A function call without an answer is a request, so only the log says which there are.
    fn settle_call(&self, part: &JsonTree, call: Option<&Call>) -> Option<JsonTree> {
        let said = part.get("status").and_then(|status| status.bool_of("approved"));
        let Some(call) = call else { return said.map(|_| part.clone()) };
        let allowed = call.response.as_ref().map(|response| response.decision.allows());
        if said == allowed {
            return Some(part.clone());
        }
        let comment = call.response.as_ref().and_then(|response| response.comment.as_deref());
        let status =
            JsonTree::empty_object().with_optional("approved", allowed).with_optional("comment", comment);
        Some(part.clone().with("status", status))
    }
}

fn function_call(id: &str, name: &str, arguments: JsonTree) -> JsonTree {
    let spec = JsonTree::object([("fn", name.into()), ("kwargs", arguments)]);
    JsonTree::object([("run_id", "countersign".into()), ("call_id", id.into()), ("spec", spec)])
}

/// The status members.
const STATUS_KEYS: &[&str] = &[
    "requested_at",
    "responded_at",
    "approved",
    "comment",
    "user_info",
    "reject_option_name",
    "slack_context",
    "slack_message_ts",
];

fn read_status(status: &JsonTree) -> Result<AnswerVerdict, String> {
    check_members(status, STATUS_KEYS)?;
    let comment = status.text_of("comment");
    match status.bool_of("approved") {
        Some(false) if non_empty(comment).is_none() => Err("a rejection needs a `comment`".to_owned()),
        Some(approved) => Ok(AnswerVerdict::yes_or_no(approved, comment)),
        None => Err("`approved` must be true or false".to_owned()),
    }
}
