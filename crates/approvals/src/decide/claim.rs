//! Claim: the last check before a call runs.

use super::{
    ClaimCommand, CommandFailure, DecisionContext, HashedArguments, NewEvent, lease::lease_end,
    release::is_released, restriction, ruling,
};
use crate::{Call, CallStanding, Refused, call::RecordedFact, refused::ArgumentsMismatch};
use countersign_events::{
    Body, CallState, ExecutionStarted, ExecutionTakenOver, Principal, Sha256, Source,
    id::{BadName, check_name},
};
use countersign_policy::JudgedCall;

/// Decides again whether the call may start, because the approval may be outdated. A second claim is refused even to
/// the executor that made the first: after a crash the two cannot be distinguished, and the call would run twice. Only
/// an idempotent or released call is taken over, once the lease of its executor has lapsed.
pub(super) fn claim(
    call: &Call,
    claim: &ClaimCommand,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, CommandFailure> {
    check_executor(&claim.executor)?;
    let lease_end = lease_end(claim.lease, context)?;
    let lost = match &call.standing {
        CallStanding::Allowed { .. } => None,
        CallStanding::Running { claim: first, .. } if can_be_taken_over(call, context) => Some(first),
        CallStanding::Running { claim, .. } | CallStanding::Finished { claim, .. } => {
            return Err(Refused::AlreadyClaimed { claim: Box::new(claim.clone()) }.into());
        }
        _ => return Err(Refused::NotAllowed { state: call.state(context.now) }.into()),
    };
    if let Some(closed) = &context.thread.closed {
        return Err(Refused::ThreadClosed { at: closed.at }.into());
    }
    check_arguments(call, claim)?;
    check_definition(call, claim)?;
    check_advice(call, context)?;
    check_policy(call, claim, context)?;
    restriction::check_still_allowed(call, &claim_subject(call, claim), context)?;
    let started = ExecutionStarted {
        tool_call_id: call.id().clone(),
        executor: claim.executor.clone(),
        arguments_hash: claim.arguments_hash,
        lease_expires_at: Some(lease_end),
    };
    let body = match lost {
        None => Body::ExecutionStarted(started),
        Some(RecordedFact { seq, .. }) => {
            Body::ExecutionTakenOver(ExecutionTakenOver { claim: *seq, started })
        }
    };
    Ok(vec![NewEvent::new(context.by, body)])
}

fn can_be_taken_over(call: &Call, context: &DecisionContext<'_>) -> bool {
    call.state(context.now) == CallState::Unknown
        && (is_released(call) || context.policy.is_idempotent(&call.subject()))
}

/// The arguments that run must be the approved ones.
fn check_arguments(call: &Call, claim: &ClaimCommand) -> Result<(), Refused> {
    let approved = call.arguments_hash();
    let brought = claim.arguments.as_ref().map(HashedArguments::hash);
    match [Some(claim.arguments_hash), brought].into_iter().flatten().find(|given| *given != approved) {
        Some(given) => Err(Refused::ArgumentsChanged(ArgumentsMismatch::Claim { approved, given })),
        None => Ok(()),
    }
}

/// The tool's definition must be the approved one.
fn check_definition(call: &Call, claim: &ClaimCommand) -> Result<(), Refused> {
    match (call.proposal.what.definition_hash, claim.definition_hash) {
        (Some(approved), Some(given)) if approved != given => {
            Err(Refused::DefinitionChanged { approved, given })
        }
        _ => Ok(()),
    }
}

/// What an advisor allowed holds only under the policy that let it decide.
fn check_advice(call: &Call, context: &DecisionContext<'_>) -> Result<(), Refused> {
    match call.response().filter(|response| response.what.source == Source::Advisor) {
        Some(response) if response.what.policy != Some(context.policy.hash()) => {
            Err(Refused::AdviceOutdated { by: response.by.to_string() })
        }
        _ => Ok(()),
    }
}

/// Neither the current policy nor the thread may block the call. The policy that judged the call already is not
/// asked again: it would say the same.
fn check_policy(
    call: &Call,
    claim: &ClaimCommand,
    context: &DecisionContext<'_>,
) -> Result<(), CommandFailure> {
    let is_judged = judging_policy(call) == Some(context.policy.hash());
    let judgement = if is_judged { None } else { Some(context.judgement_of(call.arguments_hash())?) };
    let subject = claim_subject(call, claim);
    // A rule may read a part that is masked in the log. The executor can supply it, so do not guess.
    if let Some(rule) = judgement.and_then(|judgement| judgement.doubt.as_ref())
        && !subject.redacted.is_empty()
    {
        let reason = "it may look at what the log has masked; claim with the arguments themselves".to_owned();
        return Err(Refused::Blocked { rule: Principal::policy(rule).to_string(), reason }.into());
    }
    match ruling::find_block(judgement, &subject, context) {
        Some(block) => Err(restriction::blocked(&block, context).into()),
        None => Ok(()),
    }
}

/// Returns true if a claim of this call needs this policy's judgement as evidence. A pending call always does: an
/// approver may edit its arguments before the claim is decided. A call that has ended never does: its claim is refused
/// anyway.
#[must_use]
pub fn claim_needs_judgement(call: &Call, policy: Sha256) -> bool {
    match &call.standing {
        CallStanding::Proposed | CallStanding::Pending { .. } => true,
        CallStanding::Allowed { .. } | CallStanding::Running { .. } => judging_policy(call) != Some(policy),
        CallStanding::Denied { .. } | CallStanding::Cancelled { .. } | CallStanding::Finished { .. } => false,
    }
}

/// The policy that judged the arguments that would run. The response names the policy that was active when it was
/// given, which judged the arguments only if the approver edited them.
fn judging_policy(call: &Call) -> Option<Sha256> {
    let response = call.response().map(|response| &response.what)?;
    match (&response.arguments, call.request()) {
        (Some(_), _) if !call.course.votes.is_empty() => None,
        (None, Some(request)) => Some(request.what.policy),
        _ => response.policy,
    }
}

/// The call as the policy judges it at the claim, with the arguments that the executor supplied, if it did.
#[must_use]
pub fn claim_subject<'a>(call: &'a Call, claim: &'a ClaimCommand) -> JudgedCall<'a> {
    match &claim.arguments {
        Some(brought) => call.subject_with(brought.json(), &[]),
        None => call.subject(),
    }
}

fn check_executor(executor: &str) -> Result<(), Refused> {
    let why = match check_name(executor) {
        Ok(()) => return Ok(()),
        Err(BadName::Empty) => "it is empty; name the process that runs the call".to_owned(),
        Err(why) => why.to_string(),
    };
    Err(Refused::Invalid { field: "executor", why })
}
