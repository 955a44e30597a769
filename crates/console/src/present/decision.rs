//! What a decision changed, in a sentence.

use super::{
    facts::{describe_scope, describe_votes},
    limits::limits_after_scope,
    text::escape_text,
};
use countersign_api as api;
use countersign_events::{Decision, Principal};

/// What a decision by `me` changed in a call that was `before` and is `after`: the call is decided, one vote was
/// added, or nothing changed.
#[must_use]
pub fn describe_outcome(me: &Principal, before: &api::Call, after: &api::Call) -> String {
    let id = escape_text(before.id.as_str());
    let earlier = after.response.as_ref().filter(|first| before.response.is_some() || first.principal != *me);
    if let Some(first) = earlier {
        let (what, who) = (first.decision.as_str(), escape_text(&first.decider()));
        return format!("Nothing changed: {id} was already decided: {what} by {who} at {}.", first.at);
    }
    match &after.response {
        Some(response) => describe_decision(after, response),
        None => describe_vote(before, after, me),
    }
}

/// A decision that is active.
#[must_use]
pub fn describe_decision(call: &api::Call, response: &api::ApprovalResponse) -> String {
    let (id, tool) = (escape_text(call.id.as_str()), escape_text(call.name.as_str()));
    let thread = escape_text(call.thread_id.as_str());
    let what = if response.decision.allows() { "Allowed" } else { "Denied" };
    let scope = response.scope.as_ref().filter(|scope| scope.as_str() != "\"tool\"");
    let only = scope.map_or(String::new(), |scope| format!(", {}", describe_scope(scope)));
    let limits = limits_after_scope(response.expires_at, response.uses);
    match (response.decision, response.scope.is_some()) {
        (Decision::AllowSession, _) | (Decision::Deny, true) => {
            format!("{what} {id}, and later calls of {tool} in thread {thread}{only}{limits}.")
        }
        (Decision::Deny, false) => format!("Denied {id}."),
        _ if response.changes.is_empty() => format!("Allowed {id} once."),
        _ => format!("Allowed {id} once, with changed arguments."),
    }
}

/// A vote that does not decide the call.
fn describe_vote(before: &api::Call, after: &api::Call, me: &Principal) -> String {
    let id = escape_text(before.id.as_str());
    let Some(request) = &after.request else { return format!("{id} is still pending.") };
    let count = |call: &api::Call| call.request.as_ref().map_or(0, |request| request.votes.len());
    let votes = describe_votes(request);
    if count(before) == count(after) {
        let me = escape_text(me.as_str());
        return format!("Nothing changed: {me} already voted on {id}. {votes}.");
    }
    let allow = request.votes.last().is_none_or(|vote| vote.decision.allows());
    format!("Voted on {id}: {votes}. {}.", describe_missing_votes(request, allow))
}

/// The votes that are still missing to allow or to deny the call.
#[must_use]
pub fn describe_missing_votes(request: &api::ApprovalRequest, allow: bool) -> String {
    let counted = |vote: &&api::ApprovalVote| vote.counts && vote.decision.allows() == allow;
    let cast = u32::try_from(request.votes.iter().filter(counted).count()).unwrap_or(u32::MAX);
    let (needed, what) = if allow { (request.quorum, "runs") } else { (request.denials, "is denied") };
    let missing = needed.saturating_sub(cast);
    let people = if missing == 1 { "person" } else { "people" };
    let level =
        request.level.as_ref().map_or(String::new(), |level| format!(" of level {}", escape_text(level)));
    format!("{missing} more {people}{level} must agree before it {what}")
}
