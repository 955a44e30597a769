//! Withdraw: a pending call whose proposer is gone. Presence is not part of the log, so the command brings the last time at
//! which the proposer was seen, and the event keeps it.

use super::{
    DecisionContext, NewEvent,
    new_event::{new_response, new_result},
};
use crate::{Call, CallStanding};
use countersign_events::{Body, Decision, Principal, Source, Status, Timestamp};
use std::time::Duration;

/// The principal that withdraws calls.
const PRESENCE: &str = "presence";

/// Returns true if the call asks to be withdrawn when its proposer is gone, and it was last seen long enough ago. A call on
/// which a person has voted stays: their work is not thrown away.
#[must_use]
pub fn is_withdrawal_due(call: &Call, last_seen: Timestamp, now: Timestamp) -> bool {
    let CallStanding::Pending { request } = &call.standing else { return false };
    let Some(seconds) = request.what.withdraw_after_seconds else { return false };
    call.course.votes.is_empty() && last_seen.after(Duration::from_secs(seconds)) <= now
}

/// Only the service itself knows who was seen, so a command by anyone else writes nothing.
pub(super) fn withdraw(call: &Call, last_seen: Timestamp, context: &DecisionContext<'_>) -> Vec<NewEvent> {
    let by = Principal::system(PRESENCE);
    if *context.by != by || !is_withdrawal_due(call, last_seen, context.now) {
        return Vec::new();
    }
    let mut response = new_response(&call.proposal.what, Decision::Deny, Source::Cancellation, context);
    response.proposer_last_seen_at = Some(last_seen);
    let text = format!(
        "Withdrawn, because the agent that proposed it was last seen at {last_seen}. Propose it again if it is still needed."
    );
    let result = NewEvent::new(&by, new_result(call.id(), Status::Cancelled, &text));
    vec![NewEvent::new(&by, Body::ApprovalResponse(response)), result]
}
