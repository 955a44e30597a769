//! Due events: a reminder, an escalation, the expiry of requests and of unused approvals. The first process that
//! notices one writes it.

use super::{
    DecisionContext, NewEvent,
    expiry::{expire, find_objection},
    new_event::{blocked_text, new_response, new_result},
    propose,
    ruling::{self, CallRuling},
};
use crate::{
    Call, CallStanding,
    call::{RecordedFact, has_lapsed},
};
use countersign_events::{
    ApprovalEscalation, ApprovalReminder, ApprovalRequest, ApprovalResponse, Body, Decision, Principal,
    Source, Status, Verdict,
};
use countersign_policy::Judgement;

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

/// Events for the `Due` command: those that are due, or the active policy's answer to a pending call without people.
/// Other commands only refuse to allow a call that this policy blocks, because their evidence may be about something
/// else.
pub(super) fn due_or_answered(call: &Call, context: &DecisionContext<'_>) -> Vec<NewEvent> {
    let due = due_events(call, context);
    if due.is_empty() { answered(call, context).unwrap_or_default() } else { due }
}

fn answered(call: &Call, context: &DecisionContext<'_>) -> Option<Vec<NewEvent>> {
    let CallStanding::Pending { request } = &call.standing else { return None };
    let judgement = context.judgement_of(call.arguments_hash()).ok()?;
    let events = match judgement.verdict {
        Verdict::Block => blocked(call, judgement, context),
        Verdict::Allow => vec![allowed(call, request, judgement, context)?],
        Verdict::Ask => return None,
    };
    Some(events.into_iter().map(|event| with_policy_change(event, context)).collect())
}

/// The response names the change of the policy that answers the call, because its author lets the call run or denies it.
fn with_policy_change(NewEvent { by, body }: NewEvent, context: &DecisionContext<'_>) -> NewEvent {
    let body = match body {
        Body::ApprovalResponse(response) => Body::ApprovalResponse(ApprovalResponse {
            policy_change: context.policy_change.cloned(),
            set_by: None,
            ..response
        }),
        other => other,
    };
    NewEvent { by, body }
}

/// The answer if the policy allows the call, as if the call were proposed now. A person who voted to deny it or changed
/// its arguments wants to be asked.
fn allowed(
    call: &Call,
    request: &RecordedFact<ApprovalRequest>,
    judgement: &Judgement,
    context: &DecisionContext<'_>,
) -> Option<NewEvent> {
    if find_objection(&call.course.votes).is_some() {
        return None;
    }
    let proposed = &call.proposal.what;
    let is_changed = request.what.changed_definition.is_some();
    match ruling::rule_on_call(judgement, &call.subject(), proposed, is_changed, context) {
        CallRuling::Allow(answer) if answer.source == Source::Policy => {
            Some(propose::allowed(proposed, &answer, None, judgement, context))
        }
        _ => None,
    }
}

fn blocked(call: &Call, judgement: &Judgement, context: &DecisionContext<'_>) -> Vec<NewEvent> {
    let (by, reason) = (judgement.principal(), context.mask(&judgement.reason));
    let mut response = new_response(&call.proposal.what, Decision::Deny, Source::Policy, context);
    response.rule.clone_from(&judgement.rule);
    response.basis = Some(judgement.basis);
    response.shadow.clone_from(&judgement.shadow);
    let text = blocked_text(&by, &reason);
    response.comment = Some(reason);
    let result = NewEvent::new(&by, new_result(call.id(), Status::Denied, &text));
    vec![NewEvent::new(&by, Body::ApprovalResponse(response)), result]
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
