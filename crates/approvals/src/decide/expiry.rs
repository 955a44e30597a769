//! Expiry: an undecided request ends. Silence allows a call only where the policy says so, and only while it is a plain
//! `ask`: a denial stays a denial, and a restriction stays a restriction.

use super::{
    CallCommand, CommandEvidence, CommandFailure, DecisionContext, NeededEvidence, NewEvent,
    new_event::{new_response, new_result},
    restriction,
};
use crate::{Call, CallStanding, call::RecordedFact};
use countersign_events::{
    ApprovalRequest, ApprovalVote, Body, Decision, OnExpiry, Principal, Sha256, Source, Status, Timestamp,
    Verdict,
};

const NOT_A_PLAIN_ASK: &str = "the active policy does not let it run without an answer";

/// The decision on a request that ended at `end`.
pub(super) fn expire(
    call: &Call,
    request: &RecordedFact<ApprovalRequest>,
    end: Timestamp,
    context: &DecisionContext<'_>,
) -> Vec<NewEvent> {
    let by = Principal::system("expiry");
    let asks_to_allow = request.what.on_expiry == Some(OnExpiry::Allow);
    let obstacle = if asks_to_allow { find_obstacle(call, request, end, context) } else { None };
    let allows = asks_to_allow && obstacle.is_none();
    let decision = if allows { Decision::AllowOnce } else { Decision::Deny };
    let mut response = new_response(&call.proposal.what, decision, Source::Expiry, context);
    response.rule.clone_from(&request.what.rule);
    let mut events = vec![NewEvent::new(&by, Body::ApprovalResponse(response))];
    if !allows {
        let text = match obstacle {
            Some(why) => format!("It expired at {end}, and {why}, so this call was not run."),
            None => format!("Nobody decided before {end}, so this call was not run."),
        };
        events.push(NewEvent::new(&by, new_result(call.id(), Status::Expired, &text)));
    }
    events
}

/// Returns true if this call's expiry at `now` needs this policy's judgement as evidence.
#[must_use]
pub fn expiry_needs_judgement(call: &Call, policy: Sha256, now: Timestamp) -> bool {
    let CallStanding::Pending { request } = &call.standing else { return false };
    let is_due = request.what.expires_at.is_some_and(|end| end <= now);
    is_due && request.what.on_expiry == Some(OnExpiry::Allow) && request.what.policy != policy
}

/// Asks for evidence for an answer or a claim if the call ends before it and may be allowed by its end. The gate then
/// works out the judgement and tries again. Other commands bring no judgement of the call: then silence does not allow it.
pub(crate) fn check_expiry_evidence(
    call: &Call,
    command: &CallCommand,
    context: &DecisionContext<'_>,
) -> Result<(), CommandFailure> {
    let is_judged_on_demand = matches!(command, CallCommand::Claim(_) | CallCommand::Respond(_));
    if is_judged_on_demand
        && *context.evidence == CommandEvidence::NotNeeded
        && expiry_needs_judgement(call, context.policy.hash(), context.now)
    {
        return Err(NeededEvidence::ExpiryJudgement.into());
    }
    Ok(())
}

/// The reason why silence must not allow the call.
fn find_obstacle(
    call: &Call,
    request: &RecordedFact<ApprovalRequest>,
    end: Timestamp,
    context: &DecisionContext<'_>,
) -> Option<String> {
    let needs_proof = request.what.proof.is_some();
    find_objection(&call.course.votes)
        .or_else(|| needs_proof.then(|| "it needs a proof by a person".to_owned()))
        .or_else(|| restriction::find_obstacle_to_silence(call, context))
        .or_else(|| (!is_plain_ask(call, request, end, context)).then(|| NOT_A_PLAIN_ASK.to_owned()))
}

/// A vote by a person who did not want the call to run as proposed. It counts, whichever round it was cast in.
pub(super) fn find_objection(votes: &[RecordedFact<ApprovalVote>]) -> Option<String> {
    let denial = votes.iter().find(|vote| !vote.what.decision.allows());
    let edit = || votes.iter().find(|vote| vote.what.arguments.is_some());
    match (denial, denial.and_then(|vote| vote.what.comment.as_ref())) {
        (Some(vote), Some(why)) => Some(format!("{} voted to deny it ({why})", vote.by)),
        (Some(vote), None) => Some(format!("{} voted to deny it", vote.by)),
        (None, _) => edit().map(|vote| format!("{} changed its arguments", vote.by)),
    }
}

/// Returns true if the active policy asks about the call, and lets it run when no answer arrives in time. The policy
/// that asked has said so in the request. If another policy is active and its judgement is missing, the answer is no.
fn is_plain_ask(
    call: &Call,
    request: &RecordedFact<ApprovalRequest>,
    end: Timestamp,
    context: &DecisionContext<'_>,
) -> bool {
    if request.what.policy == context.policy.hash() {
        return true;
    }
    // Evidence for a proposal is about the proposal's caller, so it does not count here.
    let Some(judged) = context.evidence.judged_as_recorded() else { return false };
    let judgement = &judged.judgement;
    let terms = &judgement.terms;
    judgement.policy == context.policy.hash()
        && judged.arguments_hash == call.arguments_hash()
        && judgement.verdict == Verdict::Ask
        && (judgement.doubt.is_none() || call.redacted().is_empty())
        && terms.on_expiry == OnExpiry::Allow
        && terms.proof.is_none()
        && terms.expires.is_some_and(|span| request.at.after(span) <= end)
}
