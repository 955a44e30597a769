//! Cancelling: whoever wanted the call no longer does.

use super::{Context, Draft, response, result};
use crate::{Call, Refused, Standing};
use countersign_events::{
    Body,
    event::{Decision, Source, Status},
};

pub(super) fn cancel(
    call: &Call,
    reason: Option<&str>,
    context: &Context<'_>,
) -> Result<Vec<Draft>, Refused> {
    match &call.standing {
        Standing::Proposed | Standing::Pending { .. } => Ok(withdrawn(call, reason, context)),
        Standing::Allowed { .. } => Ok(vec![ended(call, reason, context)]),
        Standing::Cancelled { .. } => Ok(Vec::new()),
        Standing::Denied { response, .. } => {
            Err(Refused::AlreadyDecided { response: Box::new(response.clone()) })
        }
        Standing::Running { claim, .. } => Err(Refused::AlreadyClaimed { claim: Box::new(claim.clone()) }),
        Standing::Finished { result, .. } => {
            Err(Refused::AlreadyFinished { result: Box::new(result.clone()) })
        }
    }
}

/// The response and the result of a call that is withdrawn while people are asked.
pub(super) fn withdrawn(call: &Call, reason: Option<&str>, context: &Context<'_>) -> Vec<Draft> {
    let mut response = response(&call.proposal.what, Decision::Deny, Source::Cancellation, context);
    response.comment = context.written(reason);
    vec![Draft::new(context.by, Body::ApprovalResponse(response)), ended(call, reason, context)]
}

fn ended(call: &Call, reason: Option<&str>, context: &Context<'_>) -> Draft {
    let text = match context.written(reason) {
        Some(reason) => format!("Cancelled by {}: {reason}", context.by),
        None => format!("Cancelled by {}", context.by),
    };
    Draft::new(context.by, result(call.id(), Status::Cancelled, &text))
}
