//! The calls of the demo in words.

use countersign_api as api;
use countersign_gate::{
    CallState,
    event::{Decision, Source, Status},
};
use countersign_tui::present::{json::json_lines, text::escape_text};
use serde::Deserialize;

/// The proposal on one line.
pub(crate) fn describe_wish(call: &api::Call) -> String {
    #[derive(Deserialize)]
    struct StoryShellArguments {
        command: String,
    }
    let what = match call.arguments.read::<StoryShellArguments>() {
        Ok(shell) => escape_text(&shell.command),
        Err(_) => call.description.as_deref().map(escape_text).unwrap_or_default(),
    };
    format!("{}: {what}", escape_text(call.name.as_str()))
}

/// The result of the call, and who decided it.
pub(crate) fn describe_result(call: &api::Call) -> (&'static str, String) {
    let ran = match call.result.as_ref().map(|result| result.status) {
        Some(Status::Success) => "ran",
        Some(Status::Error) => "failed",
        _ => "not run",
    };
    (ran, reason(call))
}

fn reason(call: &api::Call) -> String {
    let Some(response) = &call.response else {
        return if call.state == CallState::Pending { "still pending" } else { "undecided" }.to_owned();
    };
    let who = escape_text(response.principal.as_str());
    let comment =
        response.comment.as_ref().map_or(String::new(), |comment| format!(": {}", escape_text(comment)));
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

/// The output of the call in lines.
pub(crate) fn output_lines(call: &api::Call) -> Vec<String> {
    #[derive(Deserialize)]
    struct PrintedOutput {
        output: String,
    }
    let Some(result) = call.result.as_ref().filter(|result| result.status == Status::Success) else {
        return Vec::new();
    };
    match result.content.read::<PrintedOutput>() {
        Ok(printed) => printed.output.lines().map(escape_text).collect(),
        Err(_) => json_lines(&result.content),
    }
}

/// A summary of all calls.
pub(crate) fn summary(calls: &[api::Call]) -> String {
    let mut text = "The calls of the agent and their outcome:\n".to_owned();
    let widest = calls.iter().map(|call| call.name.as_str().len()).max().unwrap_or(0);
    for call in calls {
        let (ran, why) = describe_result(call);
        let tool = escape_text(call.name.as_str());
        text.extend(["\n", &format!("  {tool:<widest$}  {ran:<7}  {why}")]);
    }
    text
}
