//! Revoking: a standing grant answers no more calls. What it answered before stays answered.

use super::{Context, Draft};
use crate::{Body, Refused, event::GrantRevoked};

pub(super) fn revoke(grant: i64, context: &Context<'_>) -> Result<Vec<Draft>, Refused> {
    if !context.thread.grants.iter().any(|given| given.seq == grant) {
        return Err(Refused::UnknownGrant { grant });
    }
    if context.thread.revoked.contains(&grant) {
        return Ok(Vec::new());
    }
    Ok(vec![Draft::new(context.by, Body::GrantRevoked(GrantRevoked { grant }))])
}
