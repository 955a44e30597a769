//! The conversation as a client shows it: what messages say about the log's calls stays only where the log says the
//! same. An agent writes the messages, and a page draws cards from them, so a call that differs becomes a sentence, and no
//! message asks for an approval.

use crate::{
    LoggedCall, LoggedCalls,
    answer::{AnswerTarget, ApprovalAnswer},
    formats::{adapter, read_neutral},
    logged_call::ids_of,
    neutral::{NeutralMessage, NeutralPart, PartContent},
    request_names::{REQUEST_PREFIX, is_request_id},
    shown_call::{CallDifference, ShownCall, find_shown},
    written::WrittenMessages,
};
use countersign_events::{EventType, Json, MessageFormat, json::JsonTree};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The call ids that a message proposes, asks about or decides.
pub(crate) fn named_calls(message: &NeutralMessage) -> Vec<String> {
    let mut named = Vec::new();
    for part in &message.parts {
        match &part.content {
            PartContent::Call(call) => named.push(call.id.clone()),
            PartContent::Request { id, call } => named.extend(call.clone().or_else(|| call_of_request(id))),
            PartContent::Answer(answer) => match &answer.target {
                AnswerTarget::Call(id) => named.push(id.clone()),
                AnswerTarget::Request(id) => named.push(call_of_request(id).unwrap_or_else(|| id.clone())),
                AnswerTarget::Place { .. } => {}
            },
            PartContent::Result(result) => named.push(result.id.clone()),
            PartContent::Text(_) | PartContent::Image(_) | PartContent::Other(_) => {}
        }
    }
    named
}

fn call_of_request(id: &str) -> Option<String> {
    id.strip_prefix(REQUEST_PREFIX).map(str::to_owned)
}

/// The ids of calls that a message shows with another tool or other arguments than the log has.
#[must_use]
pub fn differing_calls(format: MessageFormat, content: &Json, calls: &LoggedCalls) -> Vec<String> {
    let Some(tree) = JsonTree::parse(content) else { return Vec::new() };
    let Ok(message) = read_neutral(format, &tree) else { return Vec::new() };
    let typed =
        message.calls().map(|call| (call.id.clone(), ShownCall::new(&call.name, call.arguments.to_tree())));
    let shown = find_shown(&tree, &ids_of(calls)).into_iter().chain(typed);
    let differing =
        shown.filter(|(id, shown)| calls.get(id).and_then(|call| shown.difference(call)).is_some());
    differing.map(|(id, _)| id).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Leaves out what the log does not confirm. A sentence after its message says what was shown instead of a call.
pub(crate) fn settle_messages(
    messages: Vec<(u32, NeutralMessage)>,
    calls: &LoggedCalls,
    out: &mut WrittenMessages,
) -> Vec<(u32, NeutralMessage)> {
    let known = ids_of(calls);
    let requests = sdk_requests(&messages);
    for (id, named) in &requests {
        if let [call] = named.iter().collect::<Vec<_>>().as_slice()
            && !is_request_id(id)
            && !id.is_empty()
        {
            out.request_ids.insert((*call).clone(), id.clone());
        }
    }
    let mut settled = Vec::new();
    for (position, message) in messages {
        out.position = position;
        let mut settler =
            MessageSettler { calls, known: &known, requests: &requests, notes: Vec::new(), out };
        let message = settler.settle(message);
        let notes = settler.notes;
        settled.extend(message.map(|message| (position, message)));
        let note =
            |note: &String| NeutralMessage::new(EventType::LocalSystemMessage, vec![NeutralPart::text(note)]);
        settled.extend(notes.iter().map(|text| (position, note(text))));
    }
    settled
}

/// The calls that each request of the conversation names, by its id.
fn sdk_requests(messages: &[(u32, NeutralMessage)]) -> BTreeMap<String, BTreeSet<String>> {
    let mut requests = BTreeMap::<String, BTreeSet<String>>::new();
    for part in messages.iter().flat_map(|(_, message)| &message.parts) {
        if let PartContent::Request { id, call: Some(call) } = &part.content {
            requests.entry(id.clone()).or_default().insert(call.clone());
        }
    }
    requests
}

/// Why a message part is not shown.
enum HiddenPart {
    /// The log does not confirm it. The text says what it is.
    Unconfirmed(String),
    /// It shows a call differently. The sentence stands in its place.
    Differs(String),
}

struct MessageSettler<'a> {
    calls: &'a LoggedCalls,
    known: &'a HashSet<&'a str>,
    requests: &'a BTreeMap<String, BTreeSet<String>>,
    notes: Vec<String>,
    out: &'a mut WrittenMessages,
}

impl MessageSettler<'_> {
    fn settle(&mut self, mut message: NeutralMessage) -> Option<NeutralMessage> {
        let parts = std::mem::take(&mut message.parts);
        // Several decisions in one message are written as one.
        let is_grouped = parts.iter().any(|part| part.original == Some(JsonTree::Null));
        let mut hidden = BTreeSet::new();
        let mut has_lost_answer = false;
        for mut part in parts {
            let is_answer = matches!(part.content, PartContent::Answer(_));
            let id = part_call(&part);
            // A part that was made from the part of its call goes with it.
            let is_of_hidden = part.original.is_none() && id.as_ref().is_some_and(|id| hidden.contains(id));
            match self.settle_part(&mut part, &mut message.is_changed) {
                _ if is_of_hidden => {}
                None => {
                    message.parts.push(part);
                    continue;
                }
                Some(HiddenPart::Unconfirmed(what)) => self.out.leave_out(&what),
                Some(HiddenPart::Differs(note)) => {
                    let id = id.clone().unwrap_or_default();
                    self.out.leave_out(&format!("call {id:?}, which differs from the log"));
                    self.notes.push(note);
                }
            }
            message.is_changed = true;
            has_lost_answer |= is_answer;
            hidden.extend(id);
        }
        if is_grouped && has_lost_answer {
            message.parts.retain(|part| !matches!(part.content, PartContent::Answer(_)));
        }
        self.settle_envelope(&mut message);
        (!message.parts.is_empty() || !message.is_changed).then_some(message)
    }

    /// Leaves out the members around the parts if they show a call differently, or if a part did.
    fn settle_envelope(&mut self, message: &mut NeutralMessage) {
        let Some((_, original)) = &message.original else { return };
        if let Some(note) = self.difference_in(original) {
            if self.notes.is_empty() {
                self.out.leave_out("members that show a call differently from the log");
                self.notes.push(note);
            }
            (message.original, message.is_changed) = (None, true);
        }
    }

    /// Writes a part as the log has its call, or says why it is not shown.
    fn settle_part(&self, part: &mut NeutralPart, is_changed: &mut bool) -> Option<HiddenPart> {
        if let Some(note) = part.original.as_ref().and_then(|original| self.difference_in(original)) {
            return Some(HiddenPart::Differs(note));
        }
        let was_sent = part.original.is_some();
        let unconfirmed = |is_hidden: bool, what: String| is_hidden.then_some(HiddenPart::Unconfirmed(what));
        match &part.content {
            PartContent::Call(call) => {
                let logged = self.calls.get(&call.id);
                let shown = ShownCall::new(&call.name, call.arguments.to_tree());
                let differs =
                    logged.and_then(|logged| Some(describe_difference(logged, &shown.difference(logged)?)));
                if let Some(note) = differs {
                    return Some(HiddenPart::Differs(note));
                }
                *is_changed |= settle_call(part, logged);
                unconfirmed(
                    was_sent && part.original.is_none(),
                    "function call that was not proposed".to_owned(),
                )
            }
            PartContent::Request { id, call } => {
                let call = call.as_ref().and_then(|call| self.calls.get(call));
                let is_past = call.is_some_and(|call| call.request.is_some() && !call.is_pending());
                unconfirmed(was_sent && !is_past, format!("approval request {id:?}"))
            }
            PartContent::Answer(answer) => {
                unconfirmed(was_sent && !self.is_confirmed(answer), "approval decision".to_owned())
            }
            // It was made from the part of its call, whose state says that the call ran.
            PartContent::Result(result) => {
                let is_pending = self.calls.get(&result.id).is_some_and(|call| call.is_pending());
                unconfirmed(!was_sent && is_pending, format!("result of {:?}, which is pending", result.id))
            }
            PartContent::Text(_) | PartContent::Image(_) | PartContent::Other(_) => None,
        }
    }

    /// Whether the log has this decision. One by place names no call, and asks for nothing.
    fn is_confirmed(&self, answer: &ApprovalAnswer) -> bool {
        let id = match &answer.target {
            AnswerTarget::Place { .. } => return true,
            AnswerTarget::Call(id) => id.clone(),
            AnswerTarget::Request(id) => match (call_of_request(id), self.requests.get(id)) {
                (Some(call), _) => call,
                (None, Some(calls)) if calls.len() == 1 => calls.iter().cloned().collect(),
                (None, _) => id.clone(),
            },
        };
        let response =
            self.calls.get(&id).filter(|call| !call.is_pending()).and_then(|call| call.response.as_ref());
        let allows = answer.verdict.as_ref().ok().map(|verdict| verdict.decision.allows());
        response.is_some_and(|response| Some(response.decision.allows()) == allows)
    }

    /// What JSON shows of a call that the log has not.
    fn difference_in(&self, tree: &JsonTree) -> Option<String> {
        find_shown(tree, self.known).iter().find_map(|(id, shown)| {
            let logged = self.calls.get(id)?;
            Some(describe_difference(logged, &shown.difference(logged)?))
        })
    }
}

/// Writes the call part as the log has the call, and returns true if that changes it.
fn settle_call(part: &mut NeutralPart, logged: Option<&LoggedCall>) -> bool {
    let Some((adapter, sent)) = part.format.and_then(adapter).zip(part.original.take()) else { return false };
    part.original = adapter.settle_call(&sent, logged.map(|logged| &logged.call));
    part.original.as_ref() != Some(&sent)
}

/// The call that a part is about, as its format writes it.
fn part_call(part: &NeutralPart) -> Option<String> {
    match &part.content {
        PartContent::Call(call) => Some(call.id.clone()),
        PartContent::Result(result) => Some(result.id.clone()),
        _ => None,
    }
}

/// The most characters of what a message shows.
const MOST_SHOWN: usize = 1_000;

fn describe_difference(logged: &LoggedCall, difference: &CallDifference) -> String {
    let what = match difference {
        CallDifference::Id(id) => format!("also as call {id:?}"),
        CallDifference::Tool(name) => format!("as one of another tool, {name:?}"),
        CallDifference::Arguments(arguments) => {
            format!(
                "with other arguments, {}",
                arguments.to_string().chars().take(MOST_SHOWN).collect::<String>()
            )
        }
    };
    format!(
        "Countersign: this message shows call {} differently, {what}. The call of the log is one of {}.",
        logged.id, logged.name
    )
}
