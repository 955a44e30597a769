//! The state of a call in a UI message of the AI SDK, as the log has it. Source: the tool parts of the type `UIMessage` in
//! the package `ai`, versions 6 and 7.

use crate::neutral::content_text;
use countersign_api::Call;
use countersign_events::{Status, json::JsonTree};

/// Shows how far the log's call is. A part that already says so stays as it was sent, with its own output.
pub(super) fn show_state(part: &mut JsonTree, call: &Call, request_id: &str) {
    let state = part.text_of("state").unwrap_or_default();
    let Some(logged) = logged_state(call) else { return };
    // Clients without a state for denials show them as errors.
    let is_shown = state == logged || (state == "output-error" && logged == "output-denied");
    // A decision without a result is shown where the part does not say yet what came of it.
    if is_shown || (logged == "approval-responded" && state != "input-available") {
        return;
    }
    let id = part.get("approval").and_then(|approval| approval.text_of("id")).unwrap_or(request_id);
    let approval = approval(call, logged, id);
    let open = part.clone().without(&["output", "errorText", "preliminary", "approval"]);
    let shown = open.with("state", logged).with_optional("approval", approval);
    let content = call.result.as_ref().and_then(|result| JsonTree::parse(&result.content));
    let content = content.unwrap_or(JsonTree::Null);
    *part = match logged {
        "output-available" => shown.with("output", content),
        "output-error" => shown.with("errorText", content_text(&content)),
        _ => shown,
    };
}

/// The state of the log's call; `None` before it is decided.
fn logged_state(call: &Call) -> Option<&'static str> {
    let allows = call.response.as_ref().map(|response| response.decision.allows());
    Some(match (call.result.as_ref().map(|result| result.status), allows) {
        (Some(Status::Success), _) => "output-available",
        (_, Some(false)) => "output-denied",
        (Some(_), _) => "output-error",
        (None, Some(true)) if call.request.is_some() => "approval-responded",
        (None, _) => return None,
    })
}

/// The approval beside the state. A call that nobody was asked about has one only if the policy denied it.
fn approval(call: &Call, state: &str, id: &str) -> Option<JsonTree> {
    let is_automatic = call.request.is_none();
    let denies = state == "output-denied";
    let response = call.response.as_ref().filter(|_| denies || !is_automatic)?;
    let ended = || Some(content_text(&JsonTree::parse(&call.result.as_ref()?.content)?));
    let reason = response.comment.clone().or_else(|| ended().filter(|_| denies));
    let approval = JsonTree::object([("id", id.into()), ("approved", (!denies).into())]);
    let approval = approval.with_optional("reason", reason.filter(|reason| !reason.is_empty()));
    Some(approval.with_optional("isAutomatic", is_automatic.then_some(true)))
}
