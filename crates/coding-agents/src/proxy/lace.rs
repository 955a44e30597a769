//! Lace's form of the Agent Client Protocol (`docs/protocol-spec.md` 7.2 and `packages/ent-protocol` in obra/lace, August 2026):
//! a question names its tool beside the call's id, an option has an id and a label, the answer is a `decision`, and an update is
//! not nested.

use super::{proposed_tool::add_other_fields, question::PermissionOutcome};
use serde_json::{Value, json};

/// The option that approves one call.
const ALLOW: &str = "allow";

/// The option that refuses it.
const DENY: &str = "deny";

/// The question's parameters that do not change what runs: they name and describe it.
const KNOWN_PARAMS: &[&str] = &[
    "sessionId",
    "turnId",
    "turnSeq",
    "requestedAt",
    "jobId",
    "toolCallId",
    "tool",
    "kind",
    "resource",
    "options",
];

/// Returns true if these are the parameters of Lace's question.
pub(super) fn is_question(params: &Value) -> bool {
    let is_nested = params.get("toolCall").is_some() || params.get("subject").is_some();
    !is_nested && params["toolCallId"].is_string() && params["tool"].is_string()
}

/// The parameters of the same question in the protocol's own form; `None` if they have it already.
pub(super) fn question(params: &Value) -> Option<Value> {
    if !is_question(params) {
        return None;
    }
    let (tool, resource) = (params["tool"].as_str()?, params["resource"].as_str().unwrap_or_default());
    let title =
        if resource.is_empty() || resource == tool { tool.to_owned() } else { format!("{tool}: {resource}") };
    let mut asked = json!({
        "sessionId": params["sessionId"],
        "toolCall": {"toolCallId": params["toolCallId"], "title": title, "kind": params["kind"]},
    });
    add_other_fields(&mut asked, params, KNOWN_PARAMS);
    Some(asked)
}

/// The update of a tool call in the protocol's own form; `None` for other updates.
pub(super) fn update(params: &Value) -> Option<Value> {
    (params["type"] == "tool_use").then(|| {
        json!({
            "sessionUpdate": "tool_call_update",
            "toolCallId": params["toolCallId"],
            "title": params["name"],
            "kind": params["kind"],
            "rawInput": params["input"],
            "status": params["status"],
            "rawOutput": params["result"],
        })
    })
}

/// The answer to Lace's question. An approval selects `allow`, also if it is for the session: Countersign answers the later
/// calls. A question that does not offer it is refused.
pub(super) fn answer(params: &Value, outcome: &PermissionOutcome) -> Value {
    let offered = params["options"].as_array().into_iter().flatten();
    let is_offered = offered.into_iter().any(|option| option["optionId"] == ALLOW);
    let is_allowed = matches!(outcome, PermissionOutcome::Allowed) && is_offered;
    json!({"decision": if is_allowed { ALLOW } else { DENY }})
}
