//! Cancel: the proposer withdraws the call.

use super::{
    DecisionContext, NewEvent,
    new_event::{new_response, new_result},
};
use crate::{Call, CallStanding, Refused};
use countersign_events::{Body, Decision, Source, Status};

pub(super) fn cancel(
    call: &Call,
    reason: Option<&str>,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    match &call.standing {
        CallStanding::Proposed | CallStanding::Pending { .. } => Ok(withdraw_pending(call, reason, context)),
        CallStanding::Allowed { .. } => Ok(vec![cancelled_result(call, reason, context)]),
        CallStanding::Cancelled { .. } => Ok(Vec::new()),
        CallStanding::Denied { response, .. } => {
            Err(Refused::AlreadyDecided { response: Box::new(response.clone()) })
        }
        CallStanding::Running { claim, .. } => {
            Err(Refused::AlreadyClaimed { claim: Box::new(claim.clone()) })
        }
        CallStanding::Finished { result, .. } => {
            Err(Refused::AlreadyFinished { result: Box::new(result.clone()) })
        }
    }
}

/// The response and the result for a withdrawn pending call.
pub(super) fn withdraw_pending(
    call: &Call,
    reason: Option<&str>,
    context: &DecisionContext<'_>,
) -> Vec<NewEvent> {
    let mut response = new_response(&call.proposal.what, Decision::Deny, Source::Cancellation, context);
    response.comment = context.mask_optional(reason);
    let response = NewEvent::new(context.by, Body::ApprovalResponse(response));
    vec![response, cancelled_result(call, reason, context)]
}

/// The result for a call that ends before it starts.
pub(super) fn cancelled_result(call: &Call, reason: Option<&str>, context: &DecisionContext<'_>) -> NewEvent {
    let text = match context.mask_optional(reason) {
        Some(reason) => format!("Cancelled by {}: {reason}", context.by),
        None => format!("Cancelled by {}", context.by),
    };
    NewEvent::new(context.by, new_result(call.id(), Status::Cancelled, &text))
}
