//! On behalf: a person decides in the place of another one who has handed over their queue. It takes what the other person could have
//! decided, and never more than the person's own level.

use super::{
    CommandFailure, DecisionContext, NeededEvidence, RespondCommand, eligible, terms::DecisionTerms,
};
use crate::{Call, Refused, access::ApproverStanding};
use countersign_events::{Principal, principal::PrincipalKind};

/// Checks that the caller may decide on the call, for themselves or for the person in the command, and returns the decision's level.
pub(super) fn check_level(
    call: &Call,
    respond: &RespondCommand,
    terms: &DecisionTerms,
    context: &DecisionContext<'_>,
) -> Result<Option<String>, CommandFailure> {
    let wanted = respond.level.as_deref();
    let Some(person) = &respond.on_behalf_of else {
        return Ok(eligible::check_level(call, wanted, terms.level.as_deref(), &terms.approvers, context)?);
    };
    check_delegated(person, context)?;
    Ok(check_level_of_both(call, person, wanted, terms, context)?)
}

/// Checks that the delegation's two people may decide on the call, and returns the decision's level. What the person's own credential
/// gave is not known here, so only the policy gives them a level and groups.
fn check_level_of_both(
    call: &Call,
    person: &Principal,
    wanted: Option<&str>,
    terms: &DecisionTerms,
    context: &DecisionContext<'_>,
) -> Result<Option<String>, Refused> {
    eligible::check_is_not_proposer(call, context)?;
    let theirs = DecisionContext { by: person, standing: &ApproverStanding::default(), ..*context };
    let level = eligible::check_level(call, wanted, terms.level.as_deref(), &terms.approvers, &theirs)?;
    if !eligible::has_level(context.by, level.as_deref(), context) {
        let own = eligible::level_of(context.by, context);
        let why = format!("it takes level {}, and theirs is {own}", level.unwrap_or_default());
        return Err(Refused::NotEligible { by: context.by.to_string(), why });
    }
    Ok(level)
}

/// Returns true if the caller may answer this pending call in the place of somebody who has not voted on it, and whose delegation is
/// active.
pub(super) fn may_answer_for_others(
    call: &Call,
    terms: &DecisionTerms,
    context: &DecisionContext<'_>,
) -> bool {
    let has_voted = |person: &Principal| call.course.counting().any(|vote| vote.is_vote_of(person));
    context.delegations.is_some_and(|tokens| {
        tokens.delegators_to(context.by, context.thread_id, context.now).any(|person| {
            !has_voted(person) && check_level_of_both(call, person, None, terms, context).is_ok()
        })
    })
}

fn check_delegated(person: &Principal, context: &DecisionContext<'_>) -> Result<(), CommandFailure> {
    if person.kind() != PrincipalKind::User || person.is_same_actor(context.by) {
        return Err(Refused::invalid("onBehalfOf", "name another person, such as user:ada").into());
    }
    let delegations = context.delegations.ok_or(NeededEvidence::Delegations)?;
    if !delegations.is_delegated(person, context.by, context.thread_id, context.now) {
        return Err(Refused::NotDelegated { from: person.to_string(), by: context.by.to_string() }.into());
    }
    Ok(())
}
