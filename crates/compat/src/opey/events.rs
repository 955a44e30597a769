//! The events of Opey: `approval_request`, `batch_approval_request`, `tool_start`, `tool_complete`, `error`, and those of
//! messages, with names in snake case. Their members are those that Opey's document and its client (`RestChatService` in
//! OpenBankProject/OBP-Portal and OBP-Frontend) read.

use crate::call_moment::CallMoment;
use countersign_api::Call;
use countersign_events::{ConversationMessage, Event, Json, Status, json::JsonTree};
use countersign_messages::{describe_request, read_message, read_spoken_text};

/// The level of risk of a call whose agent claims none.
const UNKNOWN_RISK: &str = "unknown";

/// Writes what happened to a call.
pub(crate) fn write_opey_event(moment: CallMoment, call: &Call) -> Json {
    let event = match moment {
        CallMoment::Asked => write_request(call),
        CallMoment::Started => begin("tool_start", call).with("tool_input", arguments(call)),
        // People never saw it, so no card of theirs can end.
        CallMoment::Ended if is_blocked(call) => begin_error("blocked", &call.ended_text())
            .with("tool_call_id", call.id.as_str())
            .with("tool_name", call.name.as_str()),
        CallMoment::Ended => write_end(call),
    };
    event.to_json()
}

/// Writes the requests for these calls: the client knows one event for one call, and another for several.
pub(crate) fn write_opey_requests(calls: &[Call]) -> Option<Json> {
    match calls {
        [] => None,
        [call] => Some(write_request(call).to_json()),
        several => {
            let options = ["approve_all", "deny_all", "approve_selected"].map(JsonTree::from).to_vec();
            let event = JsonTree::object([("type", "batch_approval_request".into())]);
            let calls: Vec<_> = several.iter().map(write_request).collect();
            Some(event.with("tool_calls", calls).with("options", options).to_json())
        }
    }
}

/// Writes an ended call under the name that the event had until September 2025.
pub(crate) fn write_old_end(call: &Call) -> Option<Json> {
    (!is_blocked(call)).then(|| write_end(call).with("type", "tool_end").to_json())
}

/// Writes what an agent says, and whether it is its last word: it calls no tool. `None` if it says nothing.
pub(crate) fn write_opey_message(event: &Event) -> Option<(Vec<Json>, bool)> {
    let message = event.data.read::<ConversationMessage>().ok()?;
    let text = read_spoken_text(message.format, &message.content).filter(|text| !text.trim().is_empty())?;
    let is_last = read_message(message.format, &message.content).is_ok_and(|read| read.proposes.is_empty());
    let part = |kind: &str| {
        JsonTree::object([("type", kind.into()), ("message_id", event.seq.to_string().into())])
            .with("timestamp", event.timestamp.to_string())
    };
    let parts = [
        part("assistant_start"),
        part("assistant_token").with("content", text.as_str()),
        part("assistant_complete").with("content", text.as_str()),
    ];
    Some((parts.iter().map(JsonTree::to_json).collect(), is_last))
}

/// Writes that the log has a person's message, under the client's id for it.
pub(crate) fn write_opey_confirmation(seq: i64, correlation: &str, text: &str) -> Json {
    JsonTree::object([
        ("type", "user_message_confirmed".into()),
        ("message_id", seq.to_string().into()),
        ("correlation_id", correlation.into()),
        ("content", text.into()),
    ])
    .to_json()
}

/// Writes a stream failure or a decision failure.
pub(crate) fn write_opey_failure(code: &str, detail: &str) -> Json {
    begin_error(code, detail).to_json()
}

/// An error under both names of its text: clients before December 2025 read `error`.
fn begin_error(code: &str, detail: &str) -> JsonTree {
    JsonTree::object([
        ("type", "error".into()),
        ("error", detail.into()),
        ("error_message", detail.into()),
        ("error_code", code.into()),
    ])
}

fn begin(kind: &str, call: &Call) -> JsonTree {
    JsonTree::object([
        ("type", kind.into()),
        ("tool_call_id", call.id.as_str().into()),
        ("tool_name", call.name.as_str().into()),
    ])
}

fn arguments(call: &Call) -> JsonTree {
    JsonTree::parse(&call.arguments).unwrap_or(JsonTree::Null)
}

fn write_request(call: &Call) -> JsonTree {
    let impact = call.impact.as_ref().and_then(JsonTree::parse).unwrap_or_else(JsonTree::empty_object);
    let claimed = |name: &str| impact.get(name).cloned();
    let message = impact.text_of("message").map_or_else(|| describe_request(call), str::to_owned);
    let request = call.request.as_ref();
    let levels = request.map(|request| request.available_levels.as_slice()).unwrap_or_default();
    let levels: Vec<_> = levels.iter().map(|level| JsonTree::from(level.as_str())).collect();
    let default_level = request.and_then(|request| request.default_level.as_deref());
    let similar = request.and_then(|request| request.similar_operations_count).unwrap_or_default();
    begin("approval_request", call)
        .with("tool_input", arguments(call))
        .with("description", message.as_str())
        .with("message", message)
        .with("risk_level", claimed("riskLevel").unwrap_or_else(|| UNKNOWN_RISK.into()))
        .with("reversible", claimed("reversible").unwrap_or(JsonTree::Null))
        .with("affected_resources", claimed("affectedResources").unwrap_or_else(|| Vec::new().into()))
        .with("estimated_impact", claimed("estimatedImpact").unwrap_or_else(|| "".into()))
        .with("similar_operations_count", JsonTree::Number(similar.to_string()))
        .with("available_approval_levels", levels)
        .with("default_approval_level", default_level.map_or(JsonTree::Null, JsonTree::from))
}

fn write_end(call: &Call) -> JsonTree {
    let succeeded = call.result.as_ref().is_some_and(|result| result.status == Status::Success);
    let output = call.result.as_ref().and_then(|result| JsonTree::parse(&result.content));
    begin("tool_complete", call)
        .with("tool_output", output.unwrap_or(JsonTree::Null))
        .with("status", if succeeded { "success" } else { "error" })
}

/// Returns true if the policy refused the call, and people were not asked.
fn is_blocked(call: &Call) -> bool {
    call.request.is_none() && call.result.as_ref().is_some_and(|result| result.status == Status::Denied)
}
