//! Renew: the executor still runs the call.

use super::{DecisionContext, NewEvent, RenewCommand, lease::lease_end};
use crate::{Call, CallStanding, Refused};
use countersign_events::{Body, ExecutionRenewed};
use std::time::Duration;

/// Extends the current claim's lease. An executor whose lease lapsed may renew it as long as no other executor took
/// over: it is not lost. A renewal never shortens a lease, and it writes nothing while most of the lease remains, so
/// that an executor that renews too often does not fill the log. A lease of 0 ends it at once: the executor gives up a
/// call whose outcome it cannot know.
pub(super) fn renew(
    call: &Call,
    renew: &RenewCommand,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    let new_end = lease_end(renew.lease, context)?;
    let claim = match &call.standing {
        CallStanding::Running { claim, .. } => claim,
        CallStanding::Finished { result, .. } => {
            return Err(Refused::AlreadyFinished { result: Box::new(result.clone()) });
        }
        _ => return Err(Refused::NotClaimed { state: call.state(context.now) }),
    };
    if renew.executor != claim.what.executor || claim.by != *context.by {
        return Err(Refused::NotTheExecutor { executor: claim.what.executor.clone() });
    }
    let remaining = claim.what.lease_expires_at.map(|end| end.since(context.now)).unwrap_or_default();
    let gives_up = renew.lease == Some(Duration::ZERO) && !remaining.is_zero();
    if !gives_up && remaining >= new_end.since(context.now) * 3 / 4 {
        return Ok(Vec::new());
    }
    let renewed = ExecutionRenewed {
        tool_call_id: call.id().clone(),
        executor: renew.executor.clone(),
        lease_expires_at: new_end,
    };
    Ok(vec![NewEvent::new(context.by, Body::ExecutionRenewed(renewed))])
}
