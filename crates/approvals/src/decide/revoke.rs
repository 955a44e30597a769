//! Revoke: a grant answers no more calls, and a call that it allowed does not start any more. A denial for the session
//! no longer holds back calls.

use super::{DecisionContext, NewEvent, eligible, lift};
use crate::{Call, GrantScope, Refused, thread::Grant};
use countersign_events::{Body, GrantRevoked};

/// Any person may revoke a grant, because that only restricts. To revoke a denial takes the level of its author.
pub(super) fn revoke<'a>(
    grant: i64,
    open: impl Iterator<Item = &'a Call>,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    eligible::check_is_person(context.by)?;
    let Some(given) = context.thread.grants.iter().find(|given| given.seq == grant) else {
        return Err(Refused::UnknownGrant { grant });
    };
    if context.thread.revocation(grant).is_some() {
        return Ok(Vec::new());
    }
    if !given.allows {
        lift::check_level_to_lift(&given.by, given.author_level.as_deref(), context)?;
        lift::check_lifts_for_others(open, |call| may_hold_back(given, call), context)?;
    }
    Ok(vec![NewEvent::new(context.by, Body::GrantRevoked(GrantRevoked { grant }))])
}

/// Returns true if the denial may hold back the call. A pattern is not compared, so that no argument is parsed here.
fn may_hold_back(denial: &Grant, call: &Call) -> bool {
    let is_exact = denial.scope == Some(GrantScope::Exact);
    let now = call.made().with_arguments(call.arguments_hash());
    now.tool == &denial.tool && (!is_exact || now.arguments.is_same(&denial.arguments))
}
