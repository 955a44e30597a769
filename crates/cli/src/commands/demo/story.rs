//! The demo calls in words.

use countersign_api as api;
use countersign_console::{escape_text, json_lines};
use countersign_events::{CallState, Decision, Json, Source, Status};
use serde::Deserialize;

/// The proposal on one line.
pub(crate) fn describe_proposal(call: &api::Call) -> String {
    let what = read_told(&call.arguments).or_else(|| call.description.clone()).unwrap_or_default();
    let (by, tool) = (&call.proposal.principal, escape_text(call.name.as_str()));
    format!("{by} proposes {tool}: {}", escape_text(&what))
}

/// What the story tells of a command's arguments or of its result.
fn read_told(json: &Json) -> Option<String> {
    #[derive(Deserialize)]
    struct ToldField {
        #[serde(rename = "command", alias = "output")]
        text: String,
    }
    json.read::<ToldField>().ok().map(|told| told.text)
}

/// Who decided the call, whether it ran, and its output.
pub(crate) fn describe_outcome(call: &api::Call) -> String {
    let mut text = format!("  {}; {}", describe_decision(call), describe_run(call));
    if let Some(result) = call.result.as_ref().filter(|result| result.status == Status::Success) {
        let lines = match read_told(&result.content) {
            Some(printed) => printed.lines().map(escape_text).collect(),
            None => json_lines(&result.content),
        };
        text.extend(lines.iter().map(|line| format!("\n  | {line}")));
    }
    text
}

fn describe_run(call: &api::Call) -> &'static str {
    match call.result.as_ref().map(|result| result.status) {
        Some(Status::Success) => "ran",
        Some(Status::Error) => "failed",
        _ => "not run",
    }
}

fn describe_decision(call: &api::Call) -> String {
    let Some(response) = &call.response else {
        return if call.state == CallState::Pending { "still pending" } else { "undecided" }.to_owned();
    };
    let who = escape_text(&response.decider());
    let comment = response.comment.as_ref().map(|comment| format!(": {}", escape_text(comment)));
    let comment = comment.unwrap_or_default();
    match (response.source, response.decision) {
        (Source::Policy, Decision::Deny) => format!("blocked by {who}{comment}"),
        (Source::Policy, _) => format!("allowed by {who}"),
        (Source::Grant, _) => "allowed by the session grant".to_owned(),
        (Source::Expiry, _) => "denied automatically after no answer".to_owned(),
        (Source::Cancellation, _) => "cancelled, because the demo ended".to_owned(),
        (_, Decision::Deny) => format!("denied by {who}{comment}"),
        (_, Decision::AllowSession) => format!("allowed for the session by {who}{comment}"),
        _ => format!("allowed by {who}{comment}"),
    }
}

/// A summary of all calls.
pub(crate) fn summarize(calls: &[api::Call]) -> String {
    let mut text = "The calls of the agent and their outcome:\n".to_owned();
    let widest = calls.iter().map(|call| call.name.as_str().len()).max().unwrap_or(0);
    for call in calls {
        let (tool, ran) = (escape_text(call.name.as_str()), describe_run(call));
        text.extend([format!("\n  {tool:<widest$}  {ran:<7}  {}", describe_decision(call))]);
    }
    text
}
