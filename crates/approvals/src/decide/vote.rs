//! Voting: where it takes several, each says so once, and whoever makes it enough decides.

use super::{
    Context, Draft,
    edit::Edit,
    eligible, response,
    said::{Said, decided},
};
use crate::{Call, Refused, call::Fact};
use countersign_events::{
    Body,
    event::{Decision, Request, Source, Vote},
};

/// A vote, and the decision if this is the one that makes it enough. Changed arguments begin a new round, in
/// which nobody has voted yet.
pub(super) fn vote(
    call: &Call,
    said: &Said<'_>,
    request: &Request,
    context: &Context<'_>,
) -> Result<Vec<Draft>, Refused> {
    let before: Vec<_> = if said.edit.is_some() { Vec::new() } else { call.course.counting().collect() };
    if let Some(first) = before.iter().find(|vote| vote.by == *context.by) {
        let same = first.what.decision == said.respond.decision && first.what.matches == said.matches();
        return if same {
            Ok(Vec::new())
        } else {
            Err(Refused::AlreadyVoted { vote: Box::new((*first).clone()) })
        };
    }
    let vote = Vote {
        tool_call_id: call.id().clone(),
        decision: said.respond.decision,
        comment: context.written(said.respond.comment.as_deref()),
        level: said.level.clone(),
        matches: said.matches(),
        arguments: said.edit.as_ref().map(|edit| edit.arguments.clone()),
        arguments_hash: Some(said.edit.as_ref().map_or(call.arguments_hash(), |edit| edit.hash)),
        round: call.course.round() + u32::from(said.edit.is_some()),
    };
    // Where the question has climbed since, those who could not answer it any more do not help to allow it.
    let counts = |before: &&&Fact<Vote>| {
        !before.what.decision.allows() || eligible::reaches(&before.by, call.level(), context)
    };
    let votes: Vec<_> = before.iter().filter(counts).map(|vote| &vote.what).chain([&vote]).collect();
    let decision = counted(&votes, request);
    let mut drafts = vec![Draft::new(context.by, Body::ApprovalVote(vote.clone()))];
    if let Some(decision) = decision {
        let mut response = response(&call.proposal.what, decision, Source::Approver, context);
        response.rule.clone_from(&request.rule);
        response.comment.clone_from(&vote.comment);
        response.level = level(&votes, decision, context);
        response.matches = if remembers(&votes, decision) { said.matches() } else { None };
        if let Some(edit) = said.edit.clone().or_else(|| Edit::again(call)).filter(|_| decision.allows()) {
            edit.stand_in(&mut response);
        }
        let denied = before.iter().filter(|vote| !vote.what.decision.allows());
        let before: Vec<_> = denied.map(|vote| (vote.by.as_str(), vote.what.comment.as_deref())).collect();
        drafts.extend(decided(call, response, &before, context));
    }
    Ok(drafts)
}

/// What the votes decide, if they do. It is for the session only if all who allow said so, at the same width.
fn counted(votes: &[&Vote], request: &Request) -> Option<Decision> {
    let allow = votes.iter().filter(|vote| vote.decision.allows()).count();
    let deny = votes.iter().filter(|vote| vote.decision == Decision::Deny).count();
    let is = |count: usize, needed: Option<u32>| {
        u32::try_from(count).is_ok_and(|count| count >= needed.unwrap_or(1))
    };
    if deny > 0 && is(deny, request.denials) {
        Some(Decision::Deny)
    } else if allow > 0 && is(allow, request.quorum) {
        let session = remembers(votes, Decision::AllowSession);
        Some(if session { Decision::AllowSession } else { Decision::AllowOnce })
    } else {
        None
    }
}

/// Whether all who voted for it want it remembered, and equally wide.
fn remembers(votes: &[&Vote], decision: Decision) -> bool {
    let mut widths = votes.iter().filter(|vote| vote.decision.allows() == decision.allows());
    let Some(first) = widths.next() else { return false };
    let as_said = first.decision == decision;
    as_said && widths.all(|vote| vote.decision == decision && vote.matches == first.matches)
}

/// The lowest of the levels at which those who agree spoke.
fn level(votes: &[&Vote], decision: Decision, context: &Context<'_>) -> Option<String> {
    let agree = votes.iter().filter(|vote| vote.decision.allows() == decision.allows());
    let rank = |vote: &&&Vote| vote.level.as_deref().and_then(|level| context.policy.approvers().rank(level));
    agree.min_by_key(rank)?.level.clone()
}
