//! What time brings: a reminder, an escalation, the end of a question, the end of an approval that nobody used.
//! Whichever process is there carries it out, once.

use super::{Context, Draft, response, result};
use crate::{
    Call, Standing,
    call::{Fact, has_lapsed},
};
use countersign_events::{
    Body, Principal, Timestamp,
    event::{Decision, Escalated, OnExpiry, Reminder, Request, Response, Source, Status},
};

pub(super) fn due(call: &Call, context: &Context<'_>) -> Vec<Draft> {
    match &call.standing {
        Standing::Pending { request } => match request.what.expires_at.filter(|end| *end <= context.now) {
            Some(end) => expired(call, request, end, context),
            None => reminder(call, request, context)
                .into_iter()
                .chain(escalation(call, request, context))
                .collect(),
        },
        Standing::Allowed { response, .. } if has_lapsed(response, context.now) => {
            vec![lapsed(call, response)]
        }
        _ => Vec::new(),
    }
}

fn expired(call: &Call, request: &Fact<Request>, end: Timestamp, context: &Context<'_>) -> Vec<Draft> {
    let by = Principal::system("expiry");
    let allows = request.what.on_expiry == Some(OnExpiry::Allow);
    let decision = if allows { Decision::AllowOnce } else { Decision::Deny };
    let mut response = response(&call.proposal.what, decision, Source::Expiry, context);
    response.rule.clone_from(&request.what.rule);
    let mut drafts = vec![Draft::new(&by, Body::ApprovalResponse(response))];
    if !allows {
        let text = format!("Nobody decided before {end}, so this call was not run.");
        drafts.push(Draft::new(&by, result(call.id(), Status::Expired, &text)));
    }
    drafts
}

fn reminder(call: &Call, request: &Fact<Request>, context: &Context<'_>) -> Option<Draft> {
    let is_due = request.what.remind_at.is_some_and(|moment| moment <= context.now);
    (is_due && call.course.reminder.is_none()).then(|| {
        let reminder = Reminder { tool_call_id: call.id().clone() };
        Draft::new(&Principal::system("reminder"), Body::ApprovalReminder(reminder))
    })
}

fn escalation(call: &Call, request: &Fact<Request>, context: &Context<'_>) -> Option<Draft> {
    let is_due = request.what.escalate_at.is_some_and(|moment| moment <= context.now);
    let level = request.what.escalate_to.clone().filter(|_| is_due && call.course.escalation.is_none())?;
    let escalated = Escalated { tool_call_id: call.id().clone(), level };
    Some(Draft::new(&Principal::system("escalation"), Body::ApprovalEscalated(escalated)))
}

fn lapsed(call: &Call, response: &Fact<Response>) -> Draft {
    let text = format!(
        "Allowed by {} at {}, and not started before the approval lapsed: propose it anew.",
        response.by, response.at
    );
    Draft::new(&Principal::system("expiry"), result(call.id(), Status::Cancelled, &text))
}
