//! Model input: the conversation without approvals, and with exactly one result after every call.

use crate::{
    LoggedCalls,
    call_names::rename,
    formats::{adapter, keeps_hosted_results},
    hosted_approvals::keep_hosted_approvals,
    lost_members::list_lost_members,
    model_turns::{CallForm, ResultSlot, collect_turns},
    neutral::{NeutralCall, NeutralMessage, NeutralPart, NeutralResult, PartContent},
    steps::split_steps,
    written::{ViewPurpose, WrittenMessages},
};
use countersign_api::{CallState, UnfinishedCall};
use countersign_events::{EventType, MessageFormat, Status, json::JsonTree};

/// Writes the model input. The second value lists the calls that have no result yet.
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
    for (position, message) in &messages {
        out.position = *position;
        list_lost_members(message, format, &mut out);
    }
    let keeps_hosted_results = keeps_hosted_results(format);
    let form = CallForm { names: adapter.name_rules(), keeps_hosted_results };
    for mut turn in collect_turns(split_steps(join_items(messages), format), form, &mut out) {
        out.position = turn.position;
        let mut complete = |slot| complete_result(slot, calls, &mut unfinished);
        for slot in std::mem::take(&mut turn.hosted) {
            put_after_call(&mut turn.message, complete(slot));
        }
        let results: Vec<_> = turn.slots.into_iter().map(complete).collect();
        adapter.write(&turn.message, &mut out);
        if !results.is_empty() {
            adapter.write(&NeutralMessage::new(EventType::AgentMessage, results), &mut out);
        }
    }
    adapter.complete_input(&mut out);
    (out, unfinished)
}

/// Puts the result of a call that the provider runs after that call.
fn put_after_call(message: &mut NeutralMessage, part: NeutralPart) {
    let id = if let PartContent::Result(result) = &part.content { &result.id } else { return };
    let is_call = |part: &NeutralPart| matches!(&part.content, PartContent::Call(call) if call.id == *id);
    let place = message.parts.iter().rposition(is_call).map_or(message.parts.len(), |place| place + 1);
    message.parts.insert(place, part);
    message.is_changed = true;
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

/// A call result: from the conversation, from the log, or a sentence that says why there is none.
fn complete_result(
    slot: ResultSlot,
    calls: &LoggedCalls,
    unfinished: &mut Vec<UnfinishedCall>,
) -> NeutralPart {
    let ResultSlot { call, written, is_repeated, result } = slot;
    let logged = calls.get(&call.id).filter(|logged| {
        !is_repeated || logged.name.as_str() == call.name && logged.has_arguments(&call.arguments.to_tree())
    });
    let note = logged.and_then(|call| call.response.as_ref()?.note.clone());
    let mut part = result.unwrap_or_else(|| {
        let Some(ended) = logged.and_then(|call| call.result.as_ref()) else {
            unfinished.push(UnfinishedCall { id: call.id.clone(), state: logged.map(|call| call.state) });
            return new_result(unfinished_text(logged.map(|call| call.state)).into(), true);
        };
        let content = JsonTree::parse(&ended.content).unwrap_or(JsonTree::Null);
        new_result(content, ended.status != Status::Success)
    });
    if let Some(original) = &mut part.original {
        rename(original, &NeutralCall { id: result_id(&part.content), ..call.clone() }, &written);
    }
    if let PartContent::Result(result) = &mut part.content {
        (result.id, result.name) = (written.id, Some(written.name));
        (result.has_implied_id, result.is_hosted) = (written.has_implied_id, written.is_hosted);
        // The program may have told it already.
        result.note = note.filter(|note| !result.content.to_string().contains(note.as_str()));
    }
    part
}

fn result_id(content: &PartContent) -> String {
    if let PartContent::Result(result) = content { result.id.clone() } else { String::new() }
}

fn new_result(content: JsonTree, is_error: bool) -> NeutralPart {
    let result = NeutralResult::new("", None, content);
    NeutralPart::made(PartContent::Result(NeutralResult { is_error, ..result }))
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
