//! Who may decide: people, of the level and the groups that the question asks for, and never the proposer.

use super::Context;
use crate::{Call, Refused, thread::Given};
use countersign_events::{Principal, principal::Kind};
use countersign_policy::Terms;

/// That `by` may decide on the call, and at which level that is. `wanted` is the level the approver chose.
pub(super) fn level(
    call: &Call,
    wanted: Option<&str>,
    context: &Context<'_>,
) -> Result<Option<String>, Refused> {
    person(call, context)?;
    let lists = call.request().map_or(&[][..], |request| &request.what.approvers);
    if let Some(list) = lists.iter().find(|list| !is_in(context.by, list, context)) {
        return Err(not_eligible(context, format!("it is for {} to decide", list.join(", "))));
    }
    let needed = call.level();
    let preset = call.request().and_then(|request| request.what.default_level.as_deref());
    let preset = preset.filter(|preset| ranks(preset, needed, context));
    let Some(level) = wanted.or(preset).or(needed) else { return Ok(None) };
    let approvers = context.policy.approvers();
    let Some(rank) = approvers.rank(level) else {
        let why = format!("there is no level {level:?}; there is {}", approvers.levels().join(", "));
        return Err(Refused::Invalid { field: "level", why });
    };
    if !ranks(level, needed, context) {
        let why = format!("the request asks for level {}", needed.unwrap_or_default());
        return Err(not_eligible(context, why));
    }
    let own = approvers.level_of(context.by);
    if approvers.rank(own) < Some(rank) {
        return Err(not_eligible(context, format!("it takes level {level}, and theirs is {own}")));
    }
    Ok(Some(level.to_owned()))
}

/// That `by` is a person, and not the one who proposed the call.
pub(super) fn person(call: &Call, context: &Context<'_>) -> Result<(), Refused> {
    is_person(context.by)?;
    if call.proposal.by == *context.by {
        return Err(Refused::SelfApproval(context.by.to_string()));
    }
    Ok(())
}

/// That it is a person: agents propose, and decide on nothing.
pub(super) fn is_person(by: &Principal) -> Result<(), Refused> {
    if by.kind() == Kind::User { Ok(()) } else { Err(Refused::NotAnApprover(by.to_string())) }
}

/// Whether what was decided under `given` is enough for a question on those terms.
pub(super) fn covers(by: &Principal, given: &Given, terms: &Terms, context: &Context<'_>) -> bool {
    let level = match (&terms.level, &given.level) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(needed), Some(level)) => ranks(level, Some(needed), context),
    };
    let people = terms.approvers == given.approvers
        || given.quorum <= 1 && terms.approvers.iter().all(|list| is_in(by, list, context));
    level && given.quorum >= terms.quorum && people
}

/// Whether one person, by what the policy says of them, could answer a question on those terms alone.
pub(super) fn suffices(by: &Principal, terms: &Terms, context: &Context<'_>) -> bool {
    let level = context.policy.approvers().level_of(by).to_owned();
    covers(by, &Given { level: Some(level), quorum: 1, ..Given::default() }, terms, context)
}

/// Whether what the policy says of that person is enough for a question of that level.
pub(super) fn reaches(by: &Principal, needed: Option<&str>, context: &Context<'_>) -> bool {
    ranks(context.policy.approvers().level_of(by), needed, context)
}

fn is_in(by: &Principal, list: &[String], context: &Context<'_>) -> bool {
    list.iter().any(|entry| context.policy.approvers().is_in(by, entry))
}

/// Whether `level` is at least `needed`. A level that the policy does not know is above all that it knows.
fn ranks(level: &str, needed: Option<&str>, context: &Context<'_>) -> bool {
    let approvers = context.policy.approvers();
    match needed.map(|needed| approvers.rank(needed)) {
        None => true,
        Some(None) => needed == Some(level),
        Some(Some(needed)) => approvers.rank(level).is_some_and(|rank| rank >= needed),
    }
}

fn not_eligible(context: &Context<'_>, why: String) -> Refused {
    Refused::NotEligible { by: context.by.to_string(), why }
}
