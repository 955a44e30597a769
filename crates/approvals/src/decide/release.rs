//! Release: a person lets another executor take over a call with an unknown outcome, and accepts that it may run
//! twice.

use super::{DecisionContext, NewEvent, eligible};
use crate::{Call, Refused};
use countersign_events::{Body, CallState, ExecutionReleased};

pub(super) fn release(
    call: &Call,
    comment: Option<&str>,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    let lists = call.request().map_or(&[][..], |request| &request.what.approvers);
    eligible::check_level(call, None, call.level(), lists, context)?;
    let state = call.state(context.now);
    let Some(claim) = call.claim().filter(|_| state == CallState::Unknown) else {
        return Err(Refused::NotUnknown { state });
    };
    if is_released(call) {
        return Ok(Vec::new());
    }
    let released = ExecutionReleased {
        tool_call_id: call.id().clone(),
        claim: claim.seq,
        comment: context.mask_optional(comment),
    };
    Ok(vec![NewEvent::new(context.by, Body::ExecutionReleased(released))])
}

/// Returns true if a person released the call's current claim.
pub(super) fn is_released(call: &Call) -> bool {
    let released = call.course.released.as_ref().map(|released| released.what.claim);
    released.is_some() && released == call.claim().map(|claim| claim.seq)
}
