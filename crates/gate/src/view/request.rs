//! The request to approvers, and their votes, as the API shows them.

use countersign_api as api;
use countersign_approvals::{Call, call::RecordedFact, scope::GrantScope};
use countersign_events::ApprovalVote;
use countersign_policy::Policy;

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
        proof: request.proof,
        decide_in: request.decide_in.clone(),
        advisor: request.advisor.clone(),
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
        same_call: request.same_call.as_ref().map(|same| api::SameCall {
            id: same.id.clone(),
            allowed_at: same.allowed_at,
            started_at: same.started_at,
            state: None,
        }),
        changed_definition: request.changed_definition.map(|changed| api::DefinitionChange {
            definition_hash: changed.definition_hash,
            accepted_hash: changed.accepted_hash,
            accepted: false,
            changes: Vec::new(),
        }),
        withdraw_after_seconds: request.withdraw_after_seconds,
        policy: request.policy,
    })
}

/// Adds the facts that approvers need before they decide: the levels that they may use, the scopes that they may
/// choose, and the number of similar calls. It parses no arguments.
pub(crate) fn inform_approvers(
    request: &mut api::ApprovalRequest,
    call: &Call,
    similar: usize,
    policy: &Policy,
) {
    let approvers = policy.approvers();
    let least = request.level.as_deref().and_then(|level| approvers.rank(level)).unwrap_or(0);
    request.available_levels = approvers.levels().iter().skip(least).cloned().collect();
    let preset = request.default_level.take().filter(|level| request.available_levels.contains(level));
    request.default_level =
        preset.or_else(|| request.level.clone()).or_else(|| request.available_levels.first().cloned());
    request.similar_operations_count = Some(similar);
    let suggested = call.request().map(|fact| &fact.what.suggested_scopes[..]).unwrap_or_default();
    request.scopes = GrantScope::offered(suggested, call.proposal.what.place.as_ref());
}

fn event_mark<T>(fact: &RecordedFact<T>) -> api::EventMark {
    api::EventMark { seq: fact.seq, at: fact.at }
}

/// A vote as the API shows it. It is valid only in its own round: edited arguments start a new round.
pub(crate) fn view_vote(vote: &RecordedFact<ApprovalVote>, round: u32) -> api::ApprovalVote {
    api::ApprovalVote {
        seq: vote.seq,
        principal: vote.by.clone(),
        at: vote.at,
        decision: vote.what.decision,
        on_behalf_of: vote.what.on_behalf_of.clone(),
        comment: vote.what.comment.clone(),
        level: vote.what.level.clone(),
        scope: vote.what.scope.clone(),
        arguments: vote.what.arguments.clone(),
        proof: vote.what.proof.clone(),
        counts: vote.what.round == round,
    }
}
