//! The request to approvers, and their votes, as the API shows them.

use countersign_api as api;
use countersign_approvals::{Call, call::RecordedFact};
use countersign_events::event::ApprovalVote;

pub(super) fn view_request(call: &Call) -> Option<api::ApprovalRequest> {
    let fact = call.request()?;
    let (request, round) = (&fact.what, call.course.round());
    Some(api::ApprovalRequest {
        seq: fact.seq,
        requested_at: fact.at,
        options: request.options.clone(),
        reason: request.reason.clone(),
        rule: request.rule.clone(),
        basis: request.basis,
        shadow: request.shadow.clone(),
        level: call.level().map(str::to_owned),
        available_levels: Vec::new(),
        default_level: request.default_level.clone(),
        quorum: request.quorum.unwrap_or(1),
        denials: request.denials.unwrap_or(1),
        approvers: request.approvers.clone(),
        votes: call.course.votes.iter().map(|vote| view_vote(vote, round)).collect(),
        remind_at: request.remind_at,
        reminded: call.course.reminder.as_ref().map(event_mark),
        escalate_at: request.escalate_at,
        escalate_to: request.escalate_to.clone(),
        escalated: call.course.escalation.as_ref().map(event_mark),
        expires_at: request.expires_at,
        on_expiry: request.on_expiry,
        similar_operations_count: None,
        scopes: Vec::new(),
        policy: request.policy,
    })
}

fn event_mark<T>(fact: &RecordedFact<T>) -> api::EventMark {
    api::EventMark { seq: fact.seq, at: fact.at }
}

/// A vote as the API shows it. It counts only in its own round: edited arguments begin a new one.
pub(crate) fn view_vote(vote: &RecordedFact<ApprovalVote>, round: u32) -> api::ApprovalVote {
    api::ApprovalVote {
        seq: vote.seq,
        principal: vote.by.clone(),
        at: vote.at,
        decision: vote.what.decision,
        comment: vote.what.comment.clone(),
        level: vote.what.level.clone(),
        scope: vote.what.scope.clone(),
        arguments: vote.what.arguments.clone(),
        counts: vote.what.round == round,
    }
}
