//! Due events: a reminder, an escalation, the expiry of a request, the lapse of an unused approval. The first
//! process that reaches the moment writes them.

use super::{DecisionContext, NewEvent, expiry::expire, new_event::new_result};
use crate::{
    Call, CallStanding,
    call::{RecordedFact, has_lapsed},
};
use countersign_events::{
    Body, Principal,
    event::{ApprovalEscalation, ApprovalReminder, ApprovalRequest, ApprovalResponse, Status},
};

pub(super) fn due_events(call: &Call, context: &DecisionContext<'_>) -> Vec<NewEvent> {
    match &call.standing {
        CallStanding::Pending { request } => {
            match request.what.expires_at.filter(|end| *end <= context.now) {
                Some(end) => expire(call, request, end, context),
                None => reminder(call, request, context)
                    .into_iter()
                    .chain(escalation(call, request, context))
                    .collect(),
            }
        }
        CallStanding::Allowed { response, .. } if has_lapsed(response, context.now) => {
            vec![lapse(call, response)]
        }
        _ => Vec::new(),
    }
}

fn reminder(
    call: &Call,
    request: &RecordedFact<ApprovalRequest>,
    context: &DecisionContext<'_>,
) -> Option<NewEvent> {
    let is_due = request.what.remind_at.is_some_and(|moment| moment <= context.now);
    (is_due && call.course.reminder.is_none()).then(|| {
        let reminder = ApprovalReminder { tool_call_id: call.id().clone() };
        NewEvent::new(&Principal::system("reminder"), Body::ApprovalReminder(reminder))
    })
}

fn escalation(
    call: &Call,
    request: &RecordedFact<ApprovalRequest>,
    context: &DecisionContext<'_>,
) -> Option<NewEvent> {
    let is_due = request.what.escalate_at.is_some_and(|moment| moment <= context.now);
    let level = request.what.escalate_to.clone().filter(|_| is_due && call.course.escalation.is_none())?;
    let escalated = ApprovalEscalation { tool_call_id: call.id().clone(), level };
    Some(NewEvent::new(&Principal::system("escalation"), Body::ApprovalEscalated(escalated)))
}

fn lapse(call: &Call, response: &RecordedFact<ApprovalResponse>) -> NewEvent {
    let text = format!(
        "Allowed by {} at {}, but not started before the approval lapsed: propose it again.",
        response.by, response.at
    );
    NewEvent::new(&Principal::system("expiry"), new_result(call.id(), Status::Cancelled, &text))
}
