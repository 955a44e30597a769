//! Revoke: a grant answers no more calls. Calls that it answered before keep their decision.

use super::{DecisionContext, NewEvent, eligible};
use crate::{Body, Refused, event::GrantRevoked};

/// Only people revoke, because the grant may be a remembered denial.
pub(super) fn revoke(grant: i64, context: &DecisionContext<'_>) -> Result<Vec<NewEvent>, Refused> {
    eligible::check_is_person(context.by)?;
    if !context.thread.grants.iter().any(|given| given.seq == grant) {
        return Err(Refused::UnknownGrant { grant });
    }
    if context.thread.revoked.contains(&grant) {
        return Ok(Vec::new());
    }
    Ok(vec![NewEvent::new(context.by, Body::GrantRevoked(GrantRevoked { grant }))])
}
