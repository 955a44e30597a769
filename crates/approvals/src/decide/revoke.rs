//! Revoking: a standing grant answers no more calls. What it answered before stays answered.

use super::{Context, Draft, eligible};
use crate::Refused;
use countersign_events::{Body, event::GrantRevoked};

/// What is taken back may be a denial, so only people do it.
pub(super) fn revoke(grant: i64, context: &Context<'_>) -> Result<Vec<Draft>, Refused> {
    eligible::is_person(context.by)?;
    if !context.thread.grants.iter().any(|given| given.seq == grant) {
        return Err(Refused::UnknownGrant { grant });
    }
    if context.thread.revoked.contains(&grant) {
        return Ok(Vec::new());
    }
    Ok(vec![Draft::new(context.by, Body::GrantRevoked(GrantRevoked { grant }))])
}
