//! The events of Opey: `approval_request`, `tool_start`, `tool_complete` and `error`, with names in snake case.

use super::CallMoment;
use crate::{client_tool::describe_request, json_tree::JsonTree};
use countersign_api::Call;
use countersign_events::{Json, event::Status};

/// The level of risk of a call whose agent claims none.
const UNKNOWN_RISK: &str = "unknown";

/// Writes what happened to a call.
#[must_use]
pub fn write_opey_event(moment: CallMoment, call: &Call) -> Json {
    let event = match moment {
        CallMoment::Asked => write_request(call),
        CallMoment::Started => begin("tool_start", call).with("tool_input", arguments(call)),
        // People never saw it, so no card of theirs can end.
        CallMoment::Ended if is_blocked(call) => JsonTree::object([
            ("type", "error".into()),
            ("error_message", call.ended_text().into()),
            ("error_code", "blocked".into()),
            ("tool_call_id", call.id.as_str().into()),
            ("tool_name", call.name.as_str().into()),
        ]),
        CallMoment::Ended => write_end(call),
    };
    event.to_json()
}

/// Writes the failure of a stream or a decision.
#[must_use]
pub fn write_opey_failure(code: &str, detail: &str) -> Json {
    let event = [("type", "error".into()), ("error_message", detail.into()), ("error_code", code.into())];
    JsonTree::object(event).to_json()
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

/// True if the policy refused the call, and people were not asked.
fn is_blocked(call: &Call) -> bool {
    call.request.is_none() && call.result.as_ref().is_some_and(|result| result.status == Status::Denied)
}
