//! What came of a decision, in words.

use crate::target::Gate;
use crate::{facts, output::visible};
use countersign_api as api;
use countersign_gate::{Principal, event::Decision};

/// What came of it. Whoever repeats a decision is told whose it was, and whoever was not enough alone is told
/// what it still takes.
pub(super) fn told(gate: &Gate, call: &api::Call, decided: &api::Call) -> String {
    let id = visible(call.id.as_str());
    let before = call.response.is_some();
    let others = decided.response.as_ref().filter(|first| before || first.principal != *gate.principal());
    if let Some(first) = others {
        let (what, who) = (first.decision.as_str(), visible(first.principal.as_str()));
        return format!("Nothing changed: {id} was decided before, {what} by {who} at {}.", first.at);
    }
    match &decided.response {
        Some(response) => done(decided, response),
        None => voted(call, decided, gate.principal()),
    }
}

/// A decision that stands.
pub(crate) fn done(call: &api::Call, response: &api::ApprovalResponse) -> String {
    let (id, tool) = (visible(call.id.as_str()), visible(call.name.as_str()));
    let thread = visible(call.thread_id.as_str());
    let what = if response.decision.allows() { "Allowed" } else { "Denied" };
    let width = response.matches.as_ref().filter(|width| width.as_str() != "\"tool\"");
    let only = width.map_or(String::new(), |width| format!(", {}", facts::width_in_words(width)));
    match (response.decision, response.matches.is_some()) {
        (Decision::AllowSession, _) | (Decision::Deny, true) => {
            format!("{what} {id}, and {tool} from now on in thread {thread}{only}.")
        }
        (Decision::Deny, false) => format!("Denied {id}."),
        _ if response.changes.is_empty() => format!("Allowed {id}, this once."),
        _ => format!("Allowed {id}, this once, with changed arguments."),
    }
}

/// A vote that is not enough alone.
fn voted(call: &api::Call, decided: &api::Call, me: &Principal) -> String {
    let id = visible(call.id.as_str());
    let Some(request) = &decided.request else { return format!("{id} still waits.") };
    let votes = |call: &api::Call| call.request.as_ref().map_or(0, |request| request.votes.len());
    let progress = facts::progress(request);
    if votes(call) == votes(decided) {
        return format!("Nothing changed: {me} voted on {id} before. {progress}.", me = visible(me.as_str()));
    }
    let allow = request.votes.last().is_none_or(|vote| vote.decision.allows());
    format!("Voted on {id}: {progress}. {}.", still(request, allow))
}

/// What it still takes to allow it, or to deny it.
pub(crate) fn still(request: &api::ApprovalRequest, allow: bool) -> String {
    let alike = |vote: &&api::ApprovalVote| vote.counts && vote.decision.allows() == allow;
    let spoken = u32::try_from(request.votes.iter().filter(alike).count()).unwrap_or(u32::MAX);
    let (needed, what) = if allow { (request.quorum, "runs") } else { (request.denials, "is denied") };
    let more = needed.saturating_sub(spoken);
    let people = if more == 1 { "person" } else { "people" };
    let level = request.level.as_ref().map_or(String::new(), |level| format!(" of level {}", visible(level)));
    format!("It still takes {more} more {people}{level} before it {what}")
}
