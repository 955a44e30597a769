//! Lifting a restriction requires the level of the person who set it, and is never allowed for one's own call.

use super::{DecisionContext, eligible};
use crate::{Call, Refused};
use countersign_events::Principal;

/// Checks that the caller may lift a restriction that `author` set. `level` is the level that was recorded with it.
pub(super) fn check_level_to_lift(
    author: &Principal,
    level: Option<&str>,
    context: &DecisionContext<'_>,
) -> Result<(), Refused> {
    let approvers = context.policy.approvers();
    let recorded = level.unwrap_or_else(|| approvers.level_of(author));
    // A level that the policy no longer has counts as the highest.
    let known = approvers.rank(recorded).map(|_| recorded);
    let needed = known.or(approvers.levels().last().map(String::as_str)).unwrap_or(recorded);
    if eligible::has_level(context.by, Some(needed), context) {
        return Ok(());
    }
    let own = eligible::level_of(context.by, context);
    let why =
        format!("{author} set this restriction; it takes level {needed} to lift it, and theirs is {own}");
    Err(Refused::NotEligible { by: context.by.to_string(), why })
}

/// Checks that the caller proposed none of the calls that the restriction holds back. `open` are the thread's calls
/// that have not started.
pub(super) fn check_lifts_for_others<'a>(
    mut open: impl Iterator<Item = &'a Call>,
    is_affected: impl Fn(&Call) -> bool,
    context: &DecisionContext<'_>,
) -> Result<(), Refused> {
    if open.any(|call| call.proposal.by.is_same_actor(context.by) && is_affected(call)) {
        return Err(Refused::SelfApproval(context.by.to_string()));
    }
    Ok(())
}
