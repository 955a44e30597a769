//! The input of a model: the conversation without approvals, and with exactly one result after every call.

use crate::{
    formats::adapter,
    hosted_approvals::keep_hosted_approvals,
    json_tree::JsonTree,
    logged_call::LoggedCalls,
    neutral::{NeutralCall, NeutralMessage, NeutralPart, NeutralResult, PartContent},
    request_names::is_client_tool,
    written::{ViewPurpose, WrittenMessages},
};
use countersign_api::{CallState, UnfinishedCall};
use countersign_events::{
    EventType,
    event::{MessageFormat, Status},
};
use std::collections::{HashMap, HashSet};

/// A message of the model's input, and the results of its calls.
struct ModelTurn {
    position: u32,
    message: NeutralMessage,
    slots: Vec<ResultSlot>,
}

/// A call and its result.
struct ResultSlot {
    call: NeutralCall,
    result: Option<NeutralPart>,
}

/// Writes the input of a model. The second value lists the calls that have no result yet.
pub(crate) fn write_for_model(
    format: MessageFormat,
    messages: Vec<(u32, NeutralMessage)>,
    calls: &LoggedCalls,
) -> (WrittenMessages, Vec<UnfinishedCall>) {
    let mut out = WrittenMessages::new(ViewPurpose::Model);
    let mut unfinished = Vec::new();
    let Some(adapter) = adapter(format) else { return (out, unfinished) };
    let mut messages = since_compaction(messages);
    if format == MessageFormat::OpenAiResponses {
        messages = keep_hosted_approvals(messages, calls, &mut unfinished);
    }
    let mut turns = collect_turns(join_items(messages), &mut out);
    rename_repeated_ids(&mut turns);
    for turn in turns {
        out.position = turn.position;
        adapter.write(&turn.message, &mut out);
        if turn.slots.is_empty() {
            continue;
        }
        let complete = |slot| complete_result(slot, calls, &mut unfinished);
        let results = turn.slots.into_iter().map(complete).collect();
        adapter.write(&NeutralMessage::new(EventType::AgentMessage, results), &mut out);
    }
    (out, unfinished)
}

/// A summary stands for everything before it, except for the instructions.
fn since_compaction(mut messages: Vec<(u32, NeutralMessage)>) -> Vec<(u32, NeutralMessage)> {
    let last = messages.iter().rposition(|(_, message)| message.kind == EventType::Compaction);
    if let Some(last) = last {
        let kept = messages.split_off(last);
        messages.retain(|(_, message)| {
            matches!(message.kind, EventType::SystemPrompt | EventType::UserSystemPrompt)
        });
        messages.extend(kept);
    }
    messages
}

/// Joins the items of one turn of the agent, in formats where each is a message of its own: their results come after all of
/// them.
fn join_items(messages: Vec<(u32, NeutralMessage)>) -> Vec<(u32, NeutralMessage)> {
    let is_item = |message: &NeutralMessage| {
        let format = message.original.as_ref().and_then(|(format, _)| adapter(*format));
        message.kind == EventType::AgentMessage
            && format.is_some_and(super::formats::FormatAdapter::is_item_based)
            && message.results().next().is_none()
    };
    let mut joined: Vec<(u32, NeutralMessage)> = Vec::new();
    for (position, message) in messages {
        match joined.last_mut() {
            Some((_, last)) if is_item(&message) && is_item(last) => {
                last.parts.extend(message.parts);
                last.is_changed = true;
            }
            _ => joined.push((position, message)),
        }
    }
    joined
}

/// Leaves out approvals and the calls of clients, and puts each result to its call.
fn collect_turns(messages: Vec<(u32, NeutralMessage)>, out: &mut WrittenMessages) -> Vec<ModelTurn> {
    let mut collector = TurnCollector::default();
    for (position, message) in messages {
        // Notes of the program are for people.
        if message.kind != EventType::LocalSystemMessage {
            collector.add(position, message, out);
        }
    }
    collector.turns
}

/// The turns so far, and where the last calls with each id are.
#[derive(Default)]
struct TurnCollector {
    turns: Vec<ModelTurn>,
    slots: HashMap<String, SlotsOfId>,
    client_calls: HashSet<String>,
}

/// The calls with one id in one turn. Results fill them in their order.
struct SlotsOfId {
    turn: usize,
    slots: Vec<usize>,
    filled: usize,
}

impl TurnCollector {
    fn add(&mut self, position: u32, mut message: NeutralMessage, out: &mut WrittenMessages) {
        let count = message.parts.len();
        let (mut results, mut slots) = (Vec::new(), Vec::new());
        for part in std::mem::take(&mut message.parts) {
            match &part.content {
                PartContent::Request { .. } | PartContent::Answer(_) => continue,
                PartContent::Call(call) if is_client_tool(&call.name) => {
                    self.client_calls.insert(call.id.clone());
                    continue;
                }
                PartContent::Call(call) => slots.push(ResultSlot { call: call.clone(), result: None }),
                PartContent::Result(_) => {
                    results.push(part);
                    continue;
                }
                _ => {}
            }
            message.parts.push(part);
        }
        message.is_changed |= message.parts.len() != count;
        let is_blank =
            |part: &NeutralPart| matches!(&part.content, PartContent::Text(text) if text.is_empty());
        if !message.parts.iter().all(is_blank) {
            self.note_slots(&slots);
            self.turns.push(ModelTurn { position, message, slots });
        }
        // A result may be in the same message as its call.
        for part in results {
            out.position = position;
            self.place_result(part, out);
        }
    }

    fn note_slots(&mut self, slots: &[ResultSlot]) {
        let turn = self.turns.len();
        for (index, slot) in slots.iter().enumerate() {
            let new = || SlotsOfId { turn, slots: Vec::new(), filled: 0 };
            let of_id = self.slots.entry(slot.call.id.clone()).or_insert_with(new);
            if of_id.turn != turn {
                *of_id = new();
            }
            of_id.slots.push(index);
        }
    }

    /// Puts a result to the last call with its id: to the first without a result if there is one. The last result counts.
    fn place_result(&mut self, part: NeutralPart, out: &mut WrittenMessages) {
        let PartContent::Result(result) = &part.content else { return };
        let Some(of_id) = self.slots.get_mut(&result.id) else {
            if !self.client_calls.contains(&result.id) {
                out.leave_out(&format!("result of {:?}, which no message calls", result.id));
            }
            return;
        };
        let index = of_id.filled.min(of_id.slots.len() - 1);
        of_id.filled += 1;
        let slot =
            of_id.slots.get(index).and_then(|slot| self.turns.get_mut(of_id.turn)?.slots.get_mut(*slot));
        if let Some(slot) = slot {
            slot.result = Some(part);
        }
    }
}

/// Gives calls without an id, and a second call with the same id in one turn, an id of their own.
fn rename_repeated_ids(turns: &mut [ModelTurn]) {
    for turn in turns {
        let mut seen = HashSet::new();
        let mut renamed = turn.slots.iter_mut();
        for part in &mut turn.message.parts {
            let PartContent::Call(call) = &mut part.content else { continue };
            let Some(slot) = renamed.next() else { break };
            let is_repeated = seen.contains(&call.id) && !call.has_implied_id;
            if is_repeated || call.id.is_empty() {
                call.id = format!("{}_{}_{}", call.id, turn.position, seen.len());
                (part.original, turn.message.is_changed) = (None, true);
                slot.call.id.clone_from(&call.id);
                if let Some(part) = &mut slot.result
                    && let PartContent::Result(result) = &mut part.content
                {
                    (result.id, part.original) = (call.id.clone(), None);
                }
            }
            seen.insert(call.id.clone());
        }
    }
}

/// The result of a call: the one of the conversation, that of the log, or a text that says why there is none.
fn complete_result(
    slot: ResultSlot,
    calls: &LoggedCalls,
    unfinished: &mut Vec<UnfinishedCall>,
) -> NeutralPart {
    let logged = calls.get(&slot.call.id);
    let note = logged.and_then(|call| call.response.as_ref()?.note.clone());
    let mut part = slot.result.unwrap_or_else(|| {
        let Some(ended) = logged.and_then(|call| call.result.as_ref()) else {
            unfinished
                .push(UnfinishedCall { id: slot.call.id.clone(), state: logged.map(|call| call.state) });
            let text = unfinished_text(logged.map(|call| call.state));
            return NeutralPart::made(PartContent::Result(new_result(&slot.call, text.into(), true)));
        };
        let is_error = ended.status != Status::Success;
        let content = JsonTree::parse(&ended.content).unwrap_or(JsonTree::Null);
        NeutralPart::made(PartContent::Result(new_result(&slot.call, content, is_error)))
    });
    if let PartContent::Result(result) = &mut part.content {
        result.name.get_or_insert_with(|| slot.call.name.clone());
        // The program may have told it already.
        result.note = note.filter(|note| !result.content.to_string().contains(note.as_str()));
    }
    part
}

fn new_result(call: &NeutralCall, content: JsonTree, is_error: bool) -> NeutralResult {
    NeutralResult { id: call.id.clone(), name: Some(call.name.clone()), content, is_error, note: None }
}

const fn unfinished_text(state: Option<CallState>) -> &'static str {
    match state {
        Some(CallState::Pending) => "This call waits for a person's decision. It has not run.",
        Some(CallState::Allowed) => "This call is approved. It has not run yet.",
        Some(CallState::Running) => "This call runs. Its result is not known yet.",
        Some(CallState::Unknown) => "It is not known whether this call ran.",
        _ => "This call has no result.",
    }
}
