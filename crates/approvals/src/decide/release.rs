//! Releasing: a person lets another executor take over a call whose outcome nobody knows, and answers for it
//! that it may run twice.

use super::{Context, Draft, eligible};
use crate::{Call, Refused};
use countersign_events::{Body, State, event::ExecutionReleased};

pub(super) fn release(
    call: &Call,
    comment: Option<&str>,
    context: &Context<'_>,
) -> Result<Vec<Draft>, Refused> {
    eligible::level(call, None, context)?;
    let state = call.state(context.now);
    let Some(claim) = call.claim().filter(|_| state == State::Unknown) else {
        return Err(Refused::NotUnknown { state });
    };
    if is_released(call) {
        return Ok(Vec::new());
    }
    let released = ExecutionReleased {
        tool_call_id: call.id().clone(),
        claim: claim.seq,
        comment: context.written(comment),
    };
    Ok(vec![Draft::new(context.by, Body::ExecutionReleased(released))])
}

/// Whether a person let somebody else have the claim that the call is at.
pub(super) fn is_released(call: &Call) -> bool {
    let released = call.course.released.as_ref().map(|released| released.what.claim);
    released.is_some() && released == call.claim().map(|claim| claim.seq)
}
