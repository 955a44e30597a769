//! Vote: if a request needs several approvers, each votes once, and the vote that completes the quorum decides.

use super::{
    DecisionContext, NewEvent,
    answer::{CheckedAnswer, DenialRemark, response_events},
    edit::ArgumentEdit,
    new_event::new_response,
    terms::DecisionTerms,
};
use crate::{
    Call, Refused,
    call::{RecordedFact, voters},
};
use countersign_events::{
    ApprovalRequest, ApprovalVote, Body, Decision, ErasedTexts, GrantAgents, GrantLimits, Source,
};

/// The vote, and the decision if this vote completes the quorum. Edited arguments start a new round, in which the
/// earlier votes do not count.
pub(super) fn vote(
    call: &Call,
    answer: &CheckedAnswer<'_>,
    request: &ApprovalRequest,
    terms: &DecisionTerms,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    let before: Vec<_> = if answer.edit.is_some() { Vec::new() } else { call.course.counting().collect() };
    let on_behalf_of = answer.respond.on_behalf_of.as_ref();
    // A person counts once, whoever casts the vote: neither of the two votes again.
    let has_voted = |vote: &&&RecordedFact<ApprovalVote>| {
        voters(context.by, on_behalf_of).any(|person| vote.is_vote_of(person))
    };
    if let Some(first) = before.iter().find(has_voted) {
        return repeat_vote(first, answer, context);
    }
    let vote = ApprovalVote {
        tool_call_id: call.id().clone(),
        decision: answer.respond.decision,
        on_behalf_of: on_behalf_of.cloned(),
        comment: context.mask_optional(answer.respond.comment.as_deref()),
        level: answer.level.clone(),
        scope: answer.scope(),
        agents: answer.respond.recorded_agents(),
        expires_in_seconds: answer.respond.limits.seconds,
        uses: answer.respond.limits.uses,
        arguments: answer.edit.as_ref().map(|edit| edit.arguments.clone()),
        arguments_hash: Some(answer.edit.as_ref().map_or(call.arguments_hash(), |edit| edit.hash)),
        round: call.course.round() + u32::from(answer.edit.is_some()),
        proof: answer.proof.clone(),
        erased: ErasedTexts::new(),
    };
    // After an escalation or under a stricter policy, an allowing vote counts only if its approver meets the new terms.
    let counts = |before: &&&RecordedFact<ApprovalVote>| {
        !before.what.decision.allows()
            || terms.admit(&before.by, before.what.on_behalf_of.as_ref(), context)
                && terms.are_proved_by(&before.what)
    };
    let votes: Vec<_> = before.iter().filter(counts).map(|vote| &vote.what).chain([&vote]).collect();
    let decision = count_votes(&votes, terms);
    let mut events = vec![NewEvent::new(context.by, Body::ApprovalVote(vote.clone()))];
    if let Some(decision) = decision {
        let mut response = new_response(&call.proposal.what, decision, Source::Approver, context);
        response.rule.clone_from(&request.rule);
        response.comment.clone_from(&vote.comment);
        response.on_behalf_of.clone_from(&vote.on_behalf_of);
        response.level = lowest_level(&votes, decision, context);
        if is_remembered(&votes, decision) {
            response.scope = answer.scope();
            response.agents = common_agents(&votes, decision);
            let limits = common_limits(&votes, decision);
            (response.expires_at, response.uses) = (limits.end(context.now), limits.uses);
        }
        if let Some(edit) =
            answer.edit.clone().or_else(|| ArgumentEdit::from_votes(call)).filter(|_| decision.allows())
        {
            edit.write_to(&mut response);
        }
        let denied = before.iter().filter(|vote| !vote.what.decision.allows());
        let before: Vec<_> = denied.map(|vote| DenialRemark::of_vote(vote)).collect();
        events.extend(response_events(call, response, &before, context));
    }
    Ok(events)
}

/// A repeated vote changes nothing. Another one by a person whom the first vote used up is refused.
fn repeat_vote(
    first: &RecordedFact<ApprovalVote>,
    answer: &CheckedAnswer<'_>,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    let respond = answer.respond;
    let is_for_same = first.what.on_behalf_of == respond.on_behalf_of;
    let is_by_same = is_for_same && first.by.is_same_actor(context.by);
    if is_by_same && first.by != *context.by {
        return Err(Refused::OtherSpelling { given: context.by.clone(), known: first.by.clone() });
    }
    let agents = first.what.agents == respond.recorded_agents();
    let is_as_wide = first.what.scope == answer.scope() && agents && limits(&first.what) == respond.limits;
    if is_by_same && first.what.decision == respond.decision && is_as_wide {
        return Ok(Vec::new());
    }
    Err(Refused::AlreadyVoted { vote: Box::new(first.clone()) })
}

/// The decision that the votes make, if they suffice. It is for the session only if all allowing votes say so, with
/// the same scope.
fn count_votes(votes: &[&ApprovalVote], terms: &DecisionTerms) -> Option<Decision> {
    let allow = votes.iter().filter(|vote| vote.decision.allows()).count();
    let deny = votes.iter().filter(|vote| vote.decision == Decision::Deny).count();
    let is = |count: usize, needed: u32| u32::try_from(count).is_ok_and(|count| count >= needed);
    if deny > 0 && is(deny, terms.denials) {
        Some(Decision::Deny)
    } else if allow > 0 && is(allow, terms.quorum) {
        let session = is_remembered(votes, Decision::AllowSession);
        Some(if session { Decision::AllowSession } else { Decision::AllowOnce })
    } else {
        None
    }
}

/// Returns true if all votes for this decision want it remembered, with the same scope.
fn is_remembered(votes: &[&ApprovalVote], decision: Decision) -> bool {
    let mut agreeing = votes.iter().filter(|vote| vote.decision.allows() == decision.allows());
    let Some(first) = agreeing.next() else { return false };
    first.decision == decision && agreeing.all(|vote| vote.decision == decision && vote.scope == first.scope)
}

/// The agents that all votes for this decision agree on: all of them, only if each vote says so.
fn common_agents(votes: &[&ApprovalVote], decision: Decision) -> Option<GrantAgents> {
    let mut agreeing = votes.iter().filter(|vote| vote.decision == decision);
    agreeing
        .all(|vote| vote.agents == Some(GrantAgents::Any))
        .then_some(GrantAgents::Any)
        .filter(|_| decision.allows())
}

/// The tightest limits among the votes for this decision.
fn common_limits(votes: &[&ApprovalVote], decision: Decision) -> GrantLimits {
    let agreeing = votes.iter().filter(|vote| vote.decision == decision);
    agreeing.fold(GrantLimits::default(), |tightest, vote| tightest.tighter(limits(vote)))
}

fn limits(vote: &ApprovalVote) -> GrantLimits {
    GrantLimits { seconds: vote.expires_in_seconds, uses: vote.uses }
}

/// The lowest level among the agreeing votes.
fn lowest_level(
    votes: &[&ApprovalVote],
    decision: Decision,
    context: &DecisionContext<'_>,
) -> Option<String> {
    let agree = votes.iter().filter(|vote| vote.decision.allows() == decision.allows());
    let rank = |vote: &&&ApprovalVote| {
        vote.level.as_deref().and_then(|level| context.policy.approvers().rank(level))
    };
    agree.min_by_key(rank)?.level.clone()
}
