//! The call heading: tool, proposer, risk and the time that is left.

use crate::{
    document::MAX_NAME,
    inbox::{
        message::call_key,
        state::{InboxMode, InboxState, ListedCall, StatusTone},
    },
    picture::{TextInk, TextPart, risk_word},
};
use countersign_api as api;
use countersign_console::{
    ImpactSummary, describe_presence, escape_text, format_age, format_duration, join_parts, text_width,
    truncate_text, wrap_words,
};
use countersign_events::Timestamp;

/// The heading lines, and the text at the right of the first.
pub(crate) fn heading(inbox: &InboxState, columns: usize, now: Timestamp) -> (Vec<Vec<TextPart>>, String) {
    if inbox.mode == InboxMode::Help {
        return (vec![vec![(TextInk::Strong, "Keys".to_owned())]], String::new());
    }
    let Some(waiting) = inbox.current() else { return (Vec::new(), String::new()) };
    let call = &waiting.call;
    let right = ordinal(inbox, waiting);
    let tool =
        truncate_text(&escape_text(call.name.as_str()), columns.saturating_sub(text_width(&right) + 2));
    let mut lines = vec![vec![(TextInk::Strong, tool)]];
    let facts = join_parts(&origin_parts(call, now), columns);
    lines.extend(facts.into_iter().map(|line| vec![(TextInk::Faint, line)]));
    if let Some(how) = &waiting.gone {
        lines.push(vec![(
            TextInk::Said(StatusTone::Bad),
            truncate_text(&format!("No longer pending: {how}"), columns),
        )]);
        return (lines, right);
    }
    lines.extend(absence_lines(call, columns, now));
    let impact = ImpactSummary::from_call(call);
    let mut pieces = Vec::new();
    if let Some(risk) = impact.risk {
        pieces.push((TextInk::Risk(risk), risk_word(risk).to_owned()));
    }
    match impact.reversible {
        Some(true) => pieces.push((TextInk::Plain, "can be undone".to_owned())),
        Some(false) => pieces.push((TextInk::Strong, "cannot be undone".to_owned())),
        None => {}
    }
    if let Some(end) = call.request.as_ref().and_then(|request| request.expires_at) {
        let left = end.since(now).as_secs();
        let ink = if left < 60 { TextInk::Urgent } else { TextInk::Plain };
        pieces.push((ink, format!("{} left", format_duration(left))));
    }
    if !pieces.is_empty() {
        lines.push(pieces);
    }
    (lines, right)
}

/// The position in the list, such as `2 of 3`.
fn ordinal(inbox: &InboxState, waiting: &ListedCall) -> String {
    if waiting.gone.is_some() {
        return "decided".to_owned();
    }
    let mut listed = inbox.listed().filter(|other| other.gone.is_none());
    let at = listed.position(|other| call_key(&other.call) == call_key(&waiting.call));
    let count = inbox.listed().filter(|other| other.gone.is_none()).count();
    at.map_or_else(String::new, |at| format!("{} of {count}", at + 1))
}

/// The warning that the agent is gone. A small window keeps only its first line.
fn absence_lines(call: &api::Call, columns: usize, now: Timestamp) -> Vec<Vec<TextPart>> {
    let Some(text) = describe_presence(call, now).filter(|_| call.proposer_gone) else { return Vec::new() };
    let effect = "If you allow the call, it may not run until the agent returns.";
    let mut lines = vec![vec![(TextInk::Urgent, truncate_text(&format!("Agent {text}"), columns))]];
    lines.extend(wrap_words(effect, columns).into_iter().map(|line| vec![(TextInk::Faint, line)]));
    lines
}

/// The proposer, its presence, the thread and the request age.
fn origin_parts(call: &api::Call, now: Timestamp) -> Vec<String> {
    let name = |name: &str| truncate_text(&escape_text(name), MAX_NAME);
    let since = call.request.as_ref().map_or(call.proposal.at, |request| request.requested_at);
    let mut parts = vec![
        format!("by {}", name(call.proposal.principal.as_str())),
        format!("in {}", name(call.thread_id.as_str())),
        format_age(since, now),
    ];
    let waits = describe_presence(call, now).filter(|_| !call.proposer_gone);
    parts.extend(waits.map(|text| format!("agent {text}")));
    parts
}
