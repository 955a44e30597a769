//! Take back: a person ends an approval that no executor has used. The decision stays in the log, and the call does not
//! run.

use super::{DecisionContext, NewEvent, cancel::cancelled_result, eligible};
use crate::{Call, CallStanding, Refused};
use countersign_events::{ApprovalTakenBack, Body, CallState, ErasedTexts, GrantRevoked, Source};

/// The reason in the result for the model, without a comment.
const TAKEN_BACK: &str = "the approval was taken back before the call started";

/// Any person may take back an approval by a person, because that only restricts. A grant that the approval gave ends with
/// it, and so do the approvals of waiting calls that the grant answered, unless an executor has used them.
pub(super) fn take_back(
    call: &Call,
    comment: Option<&str>,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    eligible::check_is_person(context.by)?;
    if call.course.taken_back.is_some() {
        return Ok(Vec::new());
    }
    if let Some(claim) = call.claim() {
        return Err(Refused::AlreadyClaimed { claim: Box::new(claim.clone()) });
    }
    let state = call.state(context.now);
    let CallStanding::Allowed { response, .. } = &call.standing else {
        return Err(Refused::NothingToTakeBack { state });
    };
    let is_by_person = response.what.source == Source::Approver || response.what.is_moved();
    if state != CallState::Allowed || !is_by_person {
        return Err(Refused::NothingToTakeBack { state });
    }
    let taken = ApprovalTakenBack {
        tool_call_id: call.id().clone(),
        comment: context.mask_optional(comment),
        erased: ErasedTexts::new(),
    };
    let given = context.thread.standing(context.now).find(|grant| grant.seq == response.seq);
    let revoked = given.map(|grant| Body::GrantRevoked(GrantRevoked { grant: grant.seq }));
    let taken = std::iter::once(Body::ApprovalTakenBack(taken));
    let mut events: Vec<_> = taken.chain(revoked).map(|body| NewEvent::new(context.by, body)).collect();
    events.push(cancelled_result(call, Some(comment.unwrap_or(TAKEN_BACK)), context));
    Ok(events)
}
