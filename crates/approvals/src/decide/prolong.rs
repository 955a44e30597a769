//! Prolong: a person gives a grant new limits. It takes what it took to give it, so that nobody keeps alive what they may not allow.

use super::{DecisionContext, NewEvent, eligible, grant_limits::check_limits};
use crate::{Refused, thread::Grant};
use countersign_events::{Body, GrantLimits, GrantProlonged};

/// The new limits take the place of all that the grant has: they count from now, and the calls that it has answered count, too.
pub(super) fn prolong(
    seq: i64,
    limits: GrantLimits,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    eligible::check_is_person(context.by)?;
    check_limits(limits)?;
    if let Some(closed) = &context.thread.closed {
        return Err(Refused::ThreadClosed { at: closed.at });
    }
    let mut grants = context.thread.grants.iter();
    let grant = grants.find(|grant| grant.seq == seq).ok_or(Refused::UnknownGrant { grant: seq })?;
    if !context.thread.standing(context.now).any(|standing| standing.seq == seq) {
        return Err(Refused::GrantEnded { grant: seq });
    }
    check_may_prolong(grant, context)?;
    if limits.uses.is_some_and(|uses| uses <= grant.used) {
        let why = format!("it has answered {} calls, so give a larger number", grant.used);
        return Err(Refused::Invalid { field: "uses", why });
    }
    let limits = (limits.end(context.now), limits.uses);
    if limits == (grant.expires_at, grant.uses) {
        return Ok(Vec::new());
    }
    let prolonged = GrantProlonged { grant: seq, expires_at: limits.0, uses: limits.1 };
    Ok(vec![NewEvent::new(context.by, Body::GrantProlonged(prolonged))])
}

/// A person who could have given the grant alone.
fn check_may_prolong(grant: &Grant, context: &DecisionContext<'_>) -> Result<(), Refused> {
    let not_eligible = |why: String| Err(Refused::NotEligible { by: context.by.to_string(), why });
    if !grant.allows {
        return Err(Refused::invalid("grant", "it denies; deny again to deny for longer"));
    }
    if grant.given.quorum > 1 {
        return not_eligible(format!(
            "{} people gave this grant together; give another one on the next call",
            grant.given.quorum
        ));
    }
    if grant.agent.as_ref().is_some_and(|agent| agent.is_same_actor(context.by)) {
        return Err(Refused::SelfApproval(context.by.to_string()));
    }
    if let Some(list) = grant.given.approvers.iter().find(|list| !eligible::is_in(context.by, list, context))
    {
        return not_eligible(format!("it is for {} to decide", list.join(", ")));
    }
    if !eligible::has_level(context.by, grant.given.level.as_deref(), context) {
        let level = grant.given.level.as_deref().unwrap_or_default();
        return not_eligible(format!("the grant was given at level {level}"));
    }
    Ok(())
}
