//! Eligibility: approvers are people with the level and the groups that the request asks for, never the proposer.

use super::DecisionContext;
use crate::{Call, Refused, thread::GrantTerms};
use countersign_events::{Principal, principal::PrincipalKind};
use countersign_policy::ApprovalTerms;

/// Checks that the caller may decide on the call, and returns the decision's level. `wanted` is the level that the
/// approver chose, `needed` the level that it takes, and the approver must be in each of the `lists`.
pub(super) fn check_level(
    call: &Call,
    wanted: Option<&str>,
    needed: Option<&str>,
    lists: &[Vec<String>],
    context: &DecisionContext<'_>,
) -> Result<Option<String>, Refused> {
    check_is_not_proposer(call, context)?;
    if let Some(list) = lists.iter().find(|list| !is_in(context.by, list, context)) {
        return Err(not_eligible(context, format!("it is for {} to decide", list.join(", "))));
    }
    let preset = call.request().and_then(|request| request.what.default_level.as_deref());
    let preset = preset.filter(|preset| is_at_least(preset, needed, context));
    let Some(level) = wanted.or(preset).or(needed) else { return Ok(None) };
    let approvers = context.policy.approvers();
    let Some(rank) = approvers.rank(level) else {
        let why = format!("there is no level {level:?}; there is {}", approvers.levels().join(", "));
        return Err(Refused::Invalid { field: "level", why });
    };
    if !is_at_least(level, needed, context) {
        let why = format!("the request asks for level {}", needed.unwrap_or_default());
        return Err(not_eligible(context, why));
    }
    let own = level_of(context.by, context);
    if approvers.rank(own) < Some(rank) {
        return Err(not_eligible(context, format!("it takes level {level}, and theirs is {own}")));
    }
    Ok(Some(level.to_owned()))
}

/// Checks that the caller is a person and did not propose the call.
pub(super) fn check_is_not_proposer(call: &Call, context: &DecisionContext<'_>) -> Result<(), Refused> {
    check_is_person(context.by)?;
    if call.proposal.by.is_same_actor(context.by) {
        return Err(Refused::SelfApproval(context.by.to_string()));
    }
    Ok(())
}

/// Checks that the principal is a person. Agents propose and never decide.
pub(crate) fn check_is_person(by: &Principal) -> Result<(), Refused> {
    if by.kind() == PrincipalKind::User { Ok(()) } else { Err(Refused::NotAnApprover(by.to_string())) }
}

/// Returns true if a decision that was made under `given` suffices for a request on these terms.
pub(super) fn covers(
    by: &Principal,
    given: &GrantTerms,
    terms: &ApprovalTerms,
    context: &DecisionContext<'_>,
) -> bool {
    let level = match (&terms.level, &given.level) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(needed), Some(level)) => is_at_least(level, Some(needed), context),
    };
    let voter = given.on_behalf_of.as_ref().unwrap_or(by);
    let people = terms.approvers == given.approvers
        || given.quorum <= 1 && terms.approvers.iter().all(|list| is_in(voter, list, context));
    // A proof is about one call, so no earlier decision replaces it.
    level && given.quorum >= terms.quorum && people && terms.proof.is_none()
}

/// Returns true if this person alone could answer a request on these terms, by the level that the policy gives them.
pub(super) fn suffices(by: &Principal, terms: &ApprovalTerms, context: &DecisionContext<'_>) -> bool {
    let level = level_of(by, context).to_owned();
    covers(by, &GrantTerms { level: Some(level), quorum: 1, ..GrantTerms::default() }, terms, context)
}

/// A person's level: the one that the policy gives, or for the caller the credential's level if it is higher.
pub(super) fn level_of<'a>(by: &Principal, context: &DecisionContext<'a>) -> &'a str {
    let own = context.standing.level.as_deref().filter(|_| by == context.by);
    context.policy.approvers().highest_level(by, own)
}

/// Returns true if this person's level suffices.
pub(super) fn has_level(by: &Principal, needed: Option<&str>, context: &DecisionContext<'_>) -> bool {
    is_at_least(level_of(by, context), needed, context)
}

/// Returns true if the list of principals and groups includes the person.
pub(super) fn is_in(by: &Principal, list: &[String], context: &DecisionContext<'_>) -> bool {
    let approvers = context.policy.approvers();
    list.iter().any(|entry| approvers.is_in(by, entry) || by == context.by && context.standing.is_in(entry))
}

/// Returns true if `level` is at least `needed`. A required level that the policy does not define is above all others.
pub(super) fn is_at_least(level: &str, needed: Option<&str>, context: &DecisionContext<'_>) -> bool {
    let approvers = context.policy.approvers();
    match needed.map(|needed| approvers.rank(needed)) {
        None => true,
        Some(None) => needed == Some(level),
        Some(Some(needed)) => approvers.rank(level).is_some_and(|rank| rank >= needed),
    }
}

fn not_eligible(context: &DecisionContext<'_>, why: String) -> Refused {
    Refused::NotEligible { by: context.by.to_string(), why }
}
