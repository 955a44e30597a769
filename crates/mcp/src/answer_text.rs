//! The answers that the gateway gives itself: results of calls that did not run, errors, and progress.

use crate::round_parts::{OWN_QUESTION, OWN_REQUEST_PREFIX};
use countersign_api::{Call, CallId, GateError};
use countersign_events::{CallState, Json};
use countersign_json_rpc::JsonObject;
use serde_json::json;

/// Answers a tool call with an error result, so that the model reads the text and a client does not
/// look for structured content.
pub(crate) fn error_result(id: &Json, text: &str, call: Option<&Call>) -> String {
    let meta = call.map(call_meta);
    // Clients of 2026-07-28 require the result type, and earlier ones ignore it.
    let content = json!([{"type": "text", "text": text}]);
    let mut result = json!({"content": content, "isError": true, "resultType": "complete"});
    if let (Some(result), Some(meta)) = (result.as_object_mut(), meta) {
        result.insert("_meta".to_owned(), meta);
    }
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}", id.as_str())
}

/// Answers a frame with an error of JSON-RPC 2.0.
pub(crate) fn protocol_error(id: Option<&Json>, code: i32, message: &str) -> String {
    let error = json!({"code": code, "message": message});
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"error\":{error}}}", id.map_or("null", Json::as_str))
}

/// The error data member that says that a call may have run.
const UNKNOWN_OUTCOME: &str = "countersign/outcome";

/// Answers a frame whose server was lost before it answered. `id` is the id's text.
pub(crate) fn outcome_unknown_error(id: &str, message: &str) -> String {
    let error = json!({"code": -32603, "message": message, "data": {UNKNOWN_OUTCOME: "unknown"}});
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}")
}

/// Returns true for an answer that [`outcome_unknown_error`] made.
pub(crate) fn is_outcome_unknown(answer: &str) -> bool {
    if !answer.contains(UNKNOWN_OUTCOME) {
        return false;
    }
    let error = JsonObject::read(answer).and_then(|answer| answer.get("error")).and_then(JsonObject::read);
    let data = error.and_then(|error| error.get("data")).and_then(JsonObject::read);
    data.and_then(|data| data.get_as::<String>(UNKNOWN_OUTCOME)).is_some_and(|outcome| outcome == "unknown")
}

/// A progress notification, the `count`th of its request, from 1. Progress must increase, and the server begins at 0 or later
/// when the call runs, so the number grows and stays below 0: -1, -0.5, -0.333.
pub(crate) fn progress(token: &Json, count: u32, message: &str) -> String {
    let params = json!({"progress": -1.0 / f64::from(count), "message": message}).to_string();
    let params = params.trim_start_matches('{');
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":{},{params}}}",
        token.as_str()
    )
}

/// Answers a tool call with the request to come back (`input_required`, MCP 2026-07-28). With `page`, the client
/// first opens that address for its user. The decision is made there, and not by the client's answer.
pub(crate) fn input_required(id: &Json, state: &str, call: &Call, page: Option<&str>) -> String {
    let mut result = json!({"resultType": "input_required", "requestState": state, "_meta": call_meta(call)});
    if let (Some(result), Some(page)) = (result.as_object_mut(), page) {
        let params = json!({"mode": "url", "message": decision_message(call), "url": page});
        let question = json!({OWN_QUESTION: {"method": "elicitation/create", "params": params}});
        result.insert("inputRequests".to_owned(), question);
    }
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}", id.as_str())
}

/// The request to a client before 2026-07-28 to open a call page for its user.
pub(crate) fn elicitation_request(call: &Call, page: &str) -> String {
    let id = format!("{OWN_REQUEST_PREFIX}{}", call.id);
    let params =
        json!({"mode": "url", "message": decision_message(call), "url": page, "elicitationId": call.id});
    json!({"jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": params}).to_string()
}

/// Tells a client that the call is decided, so that it stops showing the request.
pub(crate) fn elicitation_complete(id: &CallId) -> String {
    let params = json!({"elicitationId": id});
    json!({"jsonrpc": "2.0", "method": "notifications/elicitation/complete", "params": params}).to_string()
}

fn decision_message(call: &Call) -> String {
    let (id, name) = (&call.id, &call.name);
    let reason = call.request.as_ref().map(|request| request.reason.as_str()).unwrap_or_default();
    format!(
        "A person has to decide on {id}, a call of {name} ({reason}). Open the page to see and decide it."
    )
}

fn call_meta(call: &Call) -> serde_json::Value {
    json!({
        "countersign/threadId": call.thread_id,
        "countersign/callId": call.id,
        "countersign/state": call.state,
    })
}

/// The text for the model about a state that the gateway does not accept.
pub(crate) const BAD_STATE: &str = "This call was not run: its requestState was used before, has expired, or belongs to another \
    call or process. Repeat the same call without it to get the decision and the result; people are not asked again.";

/// The text for the model about a call that people have not decided.
pub(crate) fn pending_text(call: &Call, location: &str) -> String {
    let reason = call.request.as_ref().map(|request| request.reason.as_str()).unwrap_or_default();
    format!(
        "This call was not run yet: a person has to decide first ({reason}). It is pending as {}: {location}. Repeat the \
         same call with the same arguments to get the decision and the result; people are not asked again.",
        call.id
    )
}

/// The text for the model about a call that may have run.
pub(crate) fn started_text(call: &Call) -> String {
    let id = &call.id;
    let executor = call.execution.as_ref().map(|execution| execution.executor.as_str()).unwrap_or_default();
    if call.state == CallState::Unknown {
        format!(
            "The outcome of the same call ({id}) is unknown: the process that ran it was lost before it reported a result. \
             It is not run again until a person has checked its effects and released it: countersign release {id}"
        )
    } else {
        format!(
            "The same call ({id}) is being run by another process ({executor}), or that process was lost. It is not run a \
             second time. Repeat it later."
        )
    }
}

/// The text for the model if the gate refused an operation.
pub(crate) fn refusal_text(error: &GateError) -> String {
    format!("This call was not run: {} ({})", error.detail, error.code())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_valid_frames() {
        let id = Json::parse("1.0").expect("valid");
        for text in [
            error_result(&id, "no \"way\"\n", None),
            protocol_error(None, -32700, "bad"),
            protocol_error(Some(&id), -32600, "bad"),
            progress(&Json::string("p"), 1, "waits"),
        ] {
            let parsed: serde_json::Value = serde_json::from_str(&text).expect(&text);
            assert_eq!(parsed["jsonrpc"], "2.0");
            assert!(!text.contains('\n'), "{text}");
        }
    }

    #[test]
    fn own_progress_increases_and_stays_negative() {
        let number = |count: u32| -> f64 {
            let text = progress(&Json::string("p"), count, "waits");
            let parsed: serde_json::Value = serde_json::from_str(&text).expect(&text);
            assert_eq!(parsed["params"]["progressToken"], "p");
            parsed["params"]["progress"].as_f64().expect("a number")
        };
        let day_of_seconds = 24 * 60 * 60;
        let mut last = number(1);
        for count in (2..100).chain([1_000, day_of_seconds, day_of_seconds + 1]) {
            let next = number(count);
            assert!(last < next && next < 0.0, "{last}, then {next}");
            last = next;
        }
    }
}
