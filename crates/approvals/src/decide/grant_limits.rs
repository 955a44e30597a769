//! The limits of a remembered decision: a time, and a number of calls that it answers. It ends at the first that it reaches. Both
//! are checked whenever it would answer a call, whether or not its end is in the log already.

use super::{DecisionContext, NewEvent, RespondCommand};
use crate::{Refused, Thread, thread::Grant};
use countersign_events::{Body, GrantEnded, GrantLimit, GrantLimits, GrantUsed, Principal};

/// Checks that each limit is in its range.
pub(super) fn check_limits(limits: GrantLimits) -> Result<(), Refused> {
    let is_in = |number: Option<u32>, most: u32| number.is_none_or(|number| (1..=most).contains(&number));
    if !is_in(limits.seconds, GrantLimits::MAX_SECONDS) {
        let why = "give 1 second to 30 days (2,592,000); without it, the decision ends with its thread";
        return Err(Refused::invalid("expiresInSeconds", why));
    }
    if !is_in(limits.uses, GrantLimits::MAX_USES) {
        let why = "give 1 to 1,000 calls; without it, the decision answers any number";
        return Err(Refused::invalid("uses", why));
    }
    Ok(())
}

/// Checks the limits in an answer. Only a remembered decision has any.
pub(super) fn check_limits_of_answer(respond: &RespondCommand) -> Result<(), Refused> {
    if !respond.limits.is_empty() && respond.scope.is_none() {
        let field = if respond.limits.uses.is_some() { "uses" } else { "expiresInSeconds" };
        let why = "only a decision that is remembered with a scope has limits; leave it out";
        return Err(Refused::invalid(field, why));
    }
    check_limits(respond.limits)
}

/// The events that follow a response by the grant `seq`, if the number of its answers is limited. `before` is the number of calls that
/// it has answered in this step already.
pub(super) fn use_events(seq: Option<i64>, before: u32, by: &Principal, thread: &Thread) -> Vec<NewEvent> {
    let grant = thread.grants.iter().find(|grant| Some(grant.seq) == seq);
    let Some((grant, most)) = grant.and_then(|grant| Some((grant, grant.uses?))) else { return Vec::new() };
    let number = grant.used + before + 1;
    let used = NewEvent::new(by, Body::GrantUsed(GrantUsed { grant: grant.seq, number }));
    let ended = (number >= most).then(|| new_end(grant, GrantLimit::Uses));
    std::iter::once(used).chain(ended).collect()
}

/// Ends a grant that has reached a limit. There is nothing to do if it has none, or if it has ended.
pub(super) fn end_grant(seq: i64, context: &DecisionContext<'_>) -> Vec<NewEvent> {
    let mut standing = context.thread.unended();
    let reached = standing.find(|grant| grant.seq == seq).and_then(|grant| {
        let limit = grant.reached_limit(context.now)?;
        Some(new_end(grant, limit))
    });
    reached.into_iter().collect()
}

fn new_end(grant: &Grant, limit: GrantLimit) -> NewEvent {
    NewEvent::new(&Principal::system("expiry"), Body::GrantEnded(GrantEnded { grant: grant.seq, limit }))
}
