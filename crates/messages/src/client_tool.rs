//! Approvals as calls to a client tool, `client.requestApproval`, for formats that have no approvals of their own. The
//! call result is the decision.

use crate::{
    answer::{AnswerTarget, AnswerVerdict, ApprovalAnswer, check_members, decision_in_scope, non_empty},
    neutral::{NeutralCall, NeutralResult, PartContent, content_text},
    request_names::{REQUEST_APPROVAL, REQUEST_PREFIX, is_request_id},
    shown_call::ShownCall,
};
use countersign_api::Call;
use countersign_events::{Decision, json::JsonTree};

/// The arguments for the call that asks a person.
pub(crate) fn request_arguments(call: &Call) -> JsonTree {
    let arguments = JsonTree::parse(&call.arguments).unwrap_or(JsonTree::Null);
    let original = JsonTree::object([
        ("id", call.id.as_str().into()),
        ("name", call.name.as_str().into()),
        ("args", arguments),
    ]);
    let options = call.request.as_ref().map(|request| request.options.as_slice()).unwrap_or_default();
    let options: Vec<_> = options.iter().map(|option| JsonTree::from(option_word(*option))).collect();
    JsonTree::object([
        ("originalToolCall", original),
        ("message", describe_request(call).into()),
        ("options", options.into()),
    ])
}

/// The question for a person.
#[must_use]
pub fn describe_request(call: &Call) -> String {
    let reason = call.request.as_ref().map(|request| request.reason.as_str()).unwrap_or_default();
    match &call.description {
        Some(description) => format!("{} asks for approval ({reason}): {description}", call.name),
        None => format!("{} asks for approval: {reason}", call.name),
    }
}

/// The word for a decision in requests.
pub(crate) const fn option_word(decision: Decision) -> &'static str {
    match decision {
        Decision::AllowOnce => "approve_once",
        Decision::AllowSession => "approve_session",
        Decision::Deny | Decision::Other => "deny",
    }
}

/// A call as a part: one that asks a person is a request.
pub(crate) fn call_content(call: NeutralCall) -> PartContent {
    if call.name == REQUEST_APPROVAL {
        let asked = call.arguments.to_tree();
        let named =
            asked.get("originalToolCall").and_then(|original| original.text_of("id")).map(str::to_owned);
        let call_id = named.or_else(|| call.id.strip_prefix(REQUEST_PREFIX).map(str::to_owned));
        return PartContent::Request { id: call.id, call: call_id };
    }
    PartContent::Call(call)
}

/// A result as a part: that of a request is a decision. A result that names another tool, or whose call has no id, is none.
pub(crate) fn result_content(result: NeutralResult) -> PartContent {
    let is_of_request = result.name.as_deref().is_none_or(|name| name == REQUEST_APPROVAL);
    if !result.has_implied_id && is_of_request && is_request_id(&result.id) {
        return PartContent::Answer(read_answer(&result.id, &result.content));
    }
    PartContent::Result(result)
}

/// The decision members.
const DECISION_KEYS: &[&str] =
    &["decision", "choice", "scope", "comment", "reason", "message", "options", "timestamp"];

/// The decision in a request result: an object with `decision`, or one word.
fn read_answer(id: &str, content: &JsonTree) -> ApprovalAnswer {
    let text = content_text(content);
    let object = match content {
        JsonTree::Object(_) => Some(content.clone()),
        _ => JsonTree::parse_text(&text).filter(JsonTree::is_object),
    };
    let verdict = match &object {
        Some(answer) => read_object(answer),
        None => decision_in_scope(text.trim().trim_matches('"'), None).map(AnswerVerdict::plain),
    };
    let mut answer = ApprovalAnswer::new(AnswerTarget::Request(id.to_owned()), verdict);
    answer.shown = object.as_ref().map(ShownCall::beside_decision).unwrap_or_default();
    answer
}

fn read_object(answer: &JsonTree) -> Result<AnswerVerdict, String> {
    check_members(answer, DECISION_KEYS)?;
    let word =
        answer.first_text_of(&["decision", "choice"]).ok_or("the result of the request has no `decision`")?;
    let decision = decision_in_scope(word, answer.text_of("scope"))?;
    let comment = non_empty(answer.first_text_of(&["comment", "reason", "message"]));
    Ok(AnswerVerdict { comment, ..AnswerVerdict::plain(decision) })
}
