//! What an event says, in a sentence.

use crate::{
    facts::{remembered, width_in_words},
    output::{arguments, one_line, visible},
    screen::Style,
};
use countersign_gate::{
    Event, Json,
    event::{Body, Decision, Mode, Request, Response, Source, Status, ToolPolicy},
};

/// Who did what, and how it looks.
pub(crate) fn of(event: &Event) -> (Style, String) {
    let who = visible(event.principal.as_str());
    let Ok(body) = Body::read(event.seq, event.kind, &event.data) else {
        return (Style::Red, format!("{who}: a {} that cannot be read", event.kind));
    };
    match &body {
        Body::ToolCall(call) => {
            let (tool, id) = (visible(call.name.as_str()), visible(call.id.as_str()));
            (Style::Plain, format!("{who} proposes {tool} as {id}: {}", in_a_line(&call.arguments)))
        }
        Body::ApprovalRequest(request) => (Style::Yellow, asks(request)),
        Body::ApprovalVote(vote) => {
            let id = visible(vote.tool_call_id.as_str());
            let edit = if vote.arguments.is_some() { ", with changed arguments" } else { "" };
            let width =
                vote.matches.as_ref().map_or(String::new(), |width| format!(", {}", width_in_words(width)));
            let (said, why) = (vote.decision.as_str(), comment(vote.comment.as_ref()));
            (Style::Plain, format!("{who} votes on {id}: {said}{width}{edit}{why}"))
        }
        Body::ApprovalReminder(reminder) => {
            let id = visible(reminder.tool_call_id.as_str());
            (Style::Yellow, format!("{id} still waits, and people are told once more"))
        }
        Body::ApprovalEscalated(escalated) => {
            let (id, level) = (visible(escalated.tool_call_id.as_str()), visible(&escalated.level));
            (Style::Yellow, format!("{id} still waits, and takes level {level} from now on"))
        }
        Body::ApprovalResponse(response) => decides(&who, response),
        Body::ExecutionStarted(claim) => {
            let (id, executor) = (visible(claim.tool_call_id.as_str()), visible(&claim.executor));
            (Style::Plain, format!("{who} runs {id} as {executor}"))
        }
        Body::ExecutionReleased(released) => {
            let (id, why) = (visible(released.tool_call_id.as_str()), comment(released.comment.as_ref()));
            (Style::Cyan, format!("{who} releases {id}, whose executor was lost, for another one{why}"))
        }
        Body::ExecutionTakenOver(taken) => {
            let started = &taken.started;
            let (id, executor) = (visible(started.tool_call_id.as_str()), visible(&started.executor));
            (Style::Plain, format!("{who} takes {id} over as {executor}"))
        }
        Body::ToolResult(result) => {
            ends(&visible(result.tool_call_id.as_str()), result.status, &result.content)
        }
        Body::ToolPolicySet(set) => {
            let tool = visible(set.tool.as_str());
            let what = match set.policy {
                ToolPolicy::Default => format!("leaves {tool} to the policy"),
                policy => format!("has the thread say {} of {tool}", policy.as_str()),
            };
            (Style::Cyan, format!("{who} {what}"))
        }
        Body::GrantRevoked(revoked) => (Style::Cyan, format!("{who} takes back grant {}", revoked.grant)),
        Body::ThreadModeSet(set) => (Style::Cyan, format!("{who} sets the mode to {}", mode(set.mode))),
        Body::ThreadClosed(_) => (Style::Cyan, format!("{who} closes the thread")),
        Body::Message(kind, data) => (Style::Dim, format!("{who}: {kind} {}", in_a_line(data))),
    }
}

/// What a mode means.
pub(crate) const fn mode(mode: Mode) -> &'static str {
    mode.as_str()
}

/// Arguments in one line, for a list; `show` has them whole.
pub(crate) fn in_a_line(json: &Json) -> String {
    let lines = arguments(json);
    let command = lines.iter().position(|line| line.starts_with("command: "));
    let Some(command) = command else { return one_line(json) };
    // Behind a command of several lines come lines that begin with spaces.
    let more = if lines.get(command + 1).is_some_and(|line| line.starts_with(' ')) { " …" } else { "" };
    format!("{}{more}", &lines[command]["command: ".len()..])
}

/// What came of a command, as `run` and others put it.
#[derive(Default, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Came {
    exit_code: Option<i64>,
    signal: Option<i64>,
    error: Option<String>,
    output: Option<String>,
}

/// What came of a call, in a line.
fn came(content: &Json) -> String {
    if let Ok(text) = content.read::<String>() {
        return first_line(&text);
    }
    let came: Came = content.read().unwrap_or_default();
    let how = match (came.error, came.exit_code, came.signal) {
        (Some(error), ..) => visible(&error),
        (None, Some(code @ 1..), _) => format!("exit code {code}"),
        (None, None, Some(signal)) => format!("signal {signal}"),
        _ => String::new(),
    };
    let output = came.output.map(|output| first_line(&output)).unwrap_or_default();
    let both: Vec<_> = [how, output].into_iter().filter(|part| !part.is_empty()).collect();
    both.join(", ")
}

fn first_line(text: &str) -> String {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = visible(lines.next().unwrap_or_default());
    if lines.next().is_some() { format!("{first} …") } else { first }
}

fn comment(text: Option<&String>) -> String {
    text.map_or(String::new(), |text| format!(" ({})", visible(text)))
}

fn asks(request: &Request) -> String {
    let id = visible(request.tool_call_id.as_str());
    let why = visible(&request.reason);
    let rule = request.rule.as_ref().map_or(String::new(), |rule| format!("{}: ", visible(rule)));
    let until = request.expires_at.map_or(String::new(), |end| format!(", until {end}"));
    let quorum = request.quorum.filter(|quorum| *quorum > 1);
    let people = quorum.map_or("people".to_owned(), |quorum| format!("{quorum} people"));
    let level = request.level.as_ref().map_or(String::new(), |level| format!(" of level {}", visible(level)));
    format!("{people}{level} are asked about {id}{until} ({rule}{why})")
}

fn decides(who: &str, response: &Response) -> (Style, String) {
    let id = visible(response.tool_call_id.as_str());
    let said = comment(response.comment.as_ref());
    match (response.decision, response.source) {
        (Decision::AllowOnce | Decision::AllowSession, Source::Expiry) => {
            (Style::Green, format!("nobody decided on {id} in time, and so it is allowed"))
        }
        (_, Source::Expiry) => (Style::Red, format!("nobody decided on {id} in time")),
        (_, Source::Cancellation) => (Style::Yellow, format!("{who} withdraws {id}{said}")),
        (Decision::AllowSession, Source::Approver) => {
            let width = response.matches.as_ref().map_or("its tool".to_owned(), |width| {
                width_in_words(width).trim_start_matches("for ").to_owned()
            });
            (Style::Green, format!("{who} allows {id}, and {width} for the session{said}"))
        }
        (Decision::AllowOnce | Decision::AllowSession, source) => {
            let why = match (source, response.grant) {
                (Source::Grant, Some(grant)) => format!(" by grant {grant}"),
                (Source::Mode, _) => " by the thread's mode".to_owned(),
                _ => String::new(),
            };
            let edit = if response.changes.is_empty() { "" } else { " with changed arguments" };
            (Style::Green, format!("{who} allows {id}{edit}{why}{said}"))
        }
        (Decision::Deny, source) => {
            let width = remembered(response.decision, response.matches.as_ref());
            let width = width.map_or(String::new(), |width| format!(" from now on, {width}"));
            let why = match (source, response.grant) {
                (Source::Grant, Some(grant)) => format!(", as in {grant}"),
                _ => String::new(),
            };
            (Style::Red, format!("{who} denies {id}{width}{why}{said}"))
        }
        (Decision::Other, _) => {
            (Style::Plain, format!("{who} decides on {id} in a way of a newer version{said}"))
        }
    }
}

fn ends(id: &str, status: Status, content: &Json) -> (Style, String) {
    let came = came(content);
    let came = if came.is_empty() { came } else { format!(": {came}") };
    match status {
        Status::Success => (Style::Plain, format!("{id} ended well{came}")),
        Status::Error => (Style::Red, format!("{id} failed{came}")),
        other => (Style::Dim, format!("{id} did not run: {}", other.as_str())),
    }
}
