//! A person's decisions in LangGraph: the value with which a graph is resumed.

use crate::{
    answer::{AnswerTarget, AnswerVerdict, ApprovalAnswer, EditedCall, check_members, non_empty},
    neutral::{NeutralPart, PartContent, content_text},
    shown_call::{ShownCall, batch_ids},
};
use countersign_events::{Decision, json::JsonTree};

/// The types of single decisions, of the middleware and of Agent Inbox.
const DECISIONS: &[&str] = &["approve", "accept", "edit", "reject", "ignore", "respond", "response"];

/// Returns true if the message is a value with which a graph is resumed.
pub(super) fn is_resume(message: &JsonTree) -> bool {
    let has = |name: &str| message.get(name).is_some();
    has("resume")
        || has("decisions")
        || message.get("command").is_some_and(JsonTree::is_object)
        || is_decision(message)
}

fn is_decision(value: &JsonTree) -> bool {
    value.text_of("type").is_some_and(|kind| DECISIONS.contains(&kind))
}

/// Reads `{"command": {"resume": …}}`, `{"resume": …}`, or the value alone.
pub(super) fn read_resume(message: &JsonTree) -> Vec<NeutralPart> {
    let message = message.get("command").unwrap_or(message);
    let value = message.get("resume").unwrap_or(message);
    let answers = match decision_list(value) {
        Some(decisions) => read_places(&decisions),
        None => match value {
            JsonTree::Object(members) => members.iter().flat_map(|(id, value)| read_interrupt(id, value)).collect(),
            _ => vec![ApprovalAnswer::new(
                AnswerTarget::Place { index: 0, count: 1 },
                Err("`resume` must be an object with `decisions`, or with an answer under the id of each interrupt".into()),
            )],
        },
    };
    let part = |answer| NeutralPart::sent(PartContent::Answer(answer), JsonTree::Null);
    answers.into_iter().map(part).collect()
}

/// The decisions in an answer: `{"decisions": […]}`, a list, or one decision.
fn decision_list(value: &JsonTree) -> Option<Vec<JsonTree>> {
    match value {
        JsonTree::List(list) => Some(list.clone()),
        JsonTree::Object(_) if is_decision(value) => Some(vec![value.clone()]),
        JsonTree::Object(_) => value.get("decisions")?.as_list().map(<[_]>::to_vec),
        _ => None,
    }
}

fn read_places(decisions: &[JsonTree]) -> Vec<ApprovalAnswer> {
    let count = decisions.len();
    let read = |(index, decision): (usize, &JsonTree)| answer(AnswerTarget::Place { index, count }, decision);
    decisions.iter().enumerate().map(read).collect()
}

/// Reads the answer to the interrupt with this id. A batch id contains its call ids.
fn read_interrupt(id: &str, value: &JsonTree) -> Vec<ApprovalAnswer> {
    let single = || AnswerTarget::Request(id.to_owned());
    let Some(decisions) = decision_list(value) else {
        let why = "the answer to the interrupt is no decision; use approve, edit, reject or respond";
        return vec![ApprovalAnswer::new(single(), Err(why.to_owned()))];
    };
    let calls = batch_ids(id).unwrap_or_default();
    match (calls.as_slice(), decisions.as_slice()) {
        ([], [decision]) => vec![answer(single(), decision)],
        (calls, decisions) if calls.len() == decisions.len() => {
            let read =
                |(call, decision): (&String, &JsonTree)| answer(AnswerTarget::Call(call.clone()), decision);
            calls.iter().zip(decisions).map(read).collect()
        }
        (calls, decisions) => {
            let calls = calls.len().max(1);
            let why =
                format!("the interrupt has {calls} calls, and the answer {} decisions", decisions.len());
            vec![ApprovalAnswer::new(single(), Err(why))]
        }
    }
}

fn answer(target: AnswerTarget, decision: &JsonTree) -> ApprovalAnswer {
    // Agent Inbox sends the whole action with `accept`.
    let accepted = decision.get("args").filter(|_| !matches!(decision.text_of("type"), Some("edit")));
    let shown = accepted.map(ShownCall::beside_decision).unwrap_or_default();
    ApprovalAnswer { shown, ..ApprovalAnswer::new(target, read_decision(decision)) }
}

fn read_decision(decision: &JsonTree) -> Result<AnswerVerdict, String> {
    check_members(decision, &["type", "message", "edited_action", "editedAction"])?;
    let words = decision.get("message").or_else(|| decision.get("args")).map(content_text);
    let denied =
        || AnswerVerdict { comment: non_empty(words.as_deref()), ..AnswerVerdict::plain(Decision::Deny) };
    match decision.text_of("type") {
        Some("approve" | "accept") => Ok(AnswerVerdict::plain(Decision::AllowOnce)),
        Some("edit") => read_edit(decision),
        Some("ignore") => Ok(AnswerVerdict::plain(Decision::Deny)),
        // The call does not run, and the model gets the words instead of a result.
        Some("reject" | "respond" | "response") => Ok(denied()),
        _ => Err("a decision has the type approve, edit, reject or respond".to_owned()),
    }
}

fn read_edit(decision: &JsonTree) -> Result<AnswerVerdict, String> {
    let edited = ["edited_action", "editedAction", "args"].iter().find_map(|name| decision.get(name));
    let edited =
        edited.filter(|edited| edited.is_object()).ok_or("the decision `edit` has no `edited_action`")?;
    let arguments = edited.get("args").or_else(|| edited.get("arguments"));
    let arguments =
        arguments.filter(|arguments| arguments.is_object()).ok_or("the edited action has no `args`")?;
    let edited = EditedCall {
        name: edited.first_text_of(&["name", "action"]).map(str::to_owned),
        arguments: arguments.clone(),
        // Agent Inbox edits every value as a string.
        has_texts: decision.get("args").is_some(),
    };
    Ok(AnswerVerdict { edited: Some(edited), ..AnswerVerdict::plain(Decision::AllowOnce) })
}
