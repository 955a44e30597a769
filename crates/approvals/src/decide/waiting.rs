//! Waiting calls: a remembered decision may also decide the calls of its thread that wait. It decides exactly those that
//! it would answer if they were proposed now, so that it never reaches further than for later calls.

use super::{
    DecisionContext, NewEvent, RespondCommand, due, expiry,
    grant_limits::use_events,
    new_event::{new_response, new_result},
    propose::denial_text,
    respond,
    ruling::{self, CallRuling, RulingAnswer},
    terms::DecisionTerms,
};
use crate::{Call, CallStanding, GrantScope, Thread, call::RecordedFact, thread::Grant};
use countersign_events::{
    ApprovalRequest, Basis, Body, CallId, Decision, Event, Json, Source, Status, Verdict,
};
use countersign_policy::{ApprovalTerms, Judgement};

/// The maximum number of waiting calls that one decision examines, the oldest first.
pub const MAX_WAITING: usize = 1_000;

/// The bytes of arguments of waiting calls that one decision reads at most.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The events that decide the calls among `open` that `grant` answers. The grant is in the context's thread.
pub(crate) fn answer_waiting<'a>(
    grant: &Grant,
    open: impl Iterator<Item = &'a Call>,
    context: &DecisionContext<'_>,
) -> Vec<NewEvent> {
    let answered = find_answered(grant, open, context);
    let step = answered.into_iter().zip(0..);
    step.flat_map(|((call, answer), before)| {
        let mut events = response_by_grant(call, grant, &answer, context);
        events.extend(use_events(Some(grant.seq), before, &answer.by, context.thread));
        events
    })
    .collect()
}

/// The waiting calls that this decision on `call` would decide too. There are none if the decision is refused, or if it
/// is a vote that does not complete the quorum.
#[must_use]
pub fn preview_waiting<'a>(
    call: &Call,
    answer: &RespondCommand,
    open: impl Iterator<Item = &'a Call>,
    context: &DecisionContext<'_>,
) -> Vec<&'a CallId> {
    let events = respond::respond(call, answer, context).unwrap_or_default();
    let Some(thread) = events.iter().find_map(|event| thread_after(call, event, context)) else {
        return Vec::new();
    };
    let Some(grant) = thread.grants.last().filter(|grant| grant.seq == i64::MAX) else { return Vec::new() };
    let context = DecisionContext { thread: &thread, ..*context };
    find_answered(grant, open, &context).into_iter().map(|(call, _)| call.id()).collect()
}

/// The thread after the response of `call`, as if it were the last event in the log.
fn thread_after(call: &Call, new: &NewEvent, context: &DecisionContext<'_>) -> Option<Thread> {
    let Body::ApprovalResponse(_) = &new.body else { return None };
    let event = Event {
        seq: i64::MAX,
        thread_id: context.thread_id.clone(),
        kind: new.body.event_type(),
        timestamp: context.now,
        principal: new.by.clone(),
        data: Json::string(""),
        hash: None,
    };
    let mut thread = context.thread.clone();
    thread.evolve(&event, &new.body, Some(call));
    Some(thread)
}

fn find_answered<'a>(
    grant: &Grant,
    open: impl Iterator<Item = &'a Call>,
    context: &DecisionContext<'_>,
) -> Vec<(&'a Call, RulingAnswer)> {
    let thread = thread_with(grant, context.thread);
    let context = DecisionContext { thread: &thread, ..*context };
    let is_candidate = |call: &&Call| {
        *call.id() != grant.tool_call_id
            && call.proposal.what.name == grant.tool
            && matches!(call.standing, CallStanding::Pending { .. })
    };
    let mut bytes = 0;
    let is_within_budget = |call: &&Call| {
        bytes += call.arguments().as_str().len();
        bytes <= MAX_BYTES
    };
    let candidates = open.filter(is_candidate).take(MAX_WAITING).take_while(is_within_budget);
    let left = grant.uses.map_or(usize::MAX, |most| most.saturating_sub(grant.used) as usize);
    candidates.filter_map(|call| Some((call, find_answer(grant, call, &context)?))).take(left).collect()
}

/// The thread without the decisions that would answer a call before `grant`. The denials stay: they come first.
fn thread_with(grant: &Grant, thread: &Thread) -> Thread {
    let mut thread = thread.clone();
    thread.grants.retain(|other| other.seq == grant.seq || grant.allows && !other.allows);
    thread
}

/// The grant's answer to the waiting call, if it would answer the call now.
fn find_answer(grant: &Grant, call: &Call, context: &DecisionContext<'_>) -> Option<RulingAnswer> {
    let CallStanding::Pending { request } = &call.standing else { return None };
    // The process that writes these events decides by them, or a person does so afterwards.
    if !due::due_events(call, context).is_empty() || is_disputed(grant, call) {
        return None;
    }
    // A pattern cannot be compared with masked arguments.
    if matches!(grant.scope, Some(GrantScope::Pattern(_))) && !call.redacted().is_empty() {
        return None;
    }
    let judgement = judge_now(call, request, context)?;
    let is_changed = request.what.changed_definition.is_some();
    match ruling::rule_on_call(&judgement, &call.subject(), &call.proposal.what, is_changed, context) {
        CallRuling::Allow(answer) | CallRuling::Deny(answer) if answer.grant == Some(grant.seq) => {
            Some(answer)
        }
        _ => None,
    }
}

/// Returns true if a person changed the arguments, or voted to deny what the grant would allow.
fn is_disputed(grant: &Grant, call: &Call) -> bool {
    let is_edited = call.course.votes.iter().any(|vote| vote.what.arguments.is_some());
    is_edited || grant.allows && expiry::find_objection(&call.course.votes).is_some()
}

/// The active policy's judgement: the one that opened the request, or the one in the evidence. Its terms are never less
/// strict than the request's terms, which may have escalated.
fn judge_now(
    call: &Call,
    request: &RecordedFact<ApprovalRequest>,
    context: &DecisionContext<'_>,
) -> Option<Judgement> {
    let asked = DecisionTerms::of_request(call);
    let (mut judgement, terms) = if request.what.policy == context.policy.hash() {
        (judgement_of_request(&request.what), asked)
    } else {
        let judged = context.evidence.judged_waiting(call.id())?;
        let judgement = (*judged.judgement).clone();
        let is_about_this =
            judged.arguments_hash == call.arguments_hash() && judgement.policy == context.policy.hash();
        let is_clear = judgement.doubt.is_none() || call.redacted().is_empty();
        if !is_about_this || !is_clear {
            return None;
        }
        let terms = asked.with(&judgement, context);
        (judgement, terms)
    };
    let DecisionTerms { level, quorum, approvers, proof, .. } = terms;
    judgement.terms = ApprovalTerms { level, quorum, approvers, proof, ..judgement.terms };
    Some(judgement)
}

/// The judgement that led to the request. Without a basis, the policy allowed the call and the thread asked.
fn judgement_of_request(request: &ApprovalRequest) -> Judgement {
    Judgement {
        relies_on_tool: false,
        verdict: if request.basis.is_some() { Verdict::Ask } else { Verdict::Allow },
        basis: request.basis.unwrap_or(Basis::Default),
        rule: request.rule.clone(),
        reason: request.reason.clone(),
        terms: ApprovalTerms::default(),
        doubt: None,
        shadow: Vec::new(),
        matched: Vec::new(),
        policy: request.policy,
    }
}

/// The response that the grant gives, with the result for the model if it denies.
fn response_by_grant(
    call: &Call,
    grant: &Grant,
    answer: &RulingAnswer,
    context: &DecisionContext<'_>,
) -> Vec<NewEvent> {
    let decision = if grant.allows { Decision::AllowOnce } else { Decision::Deny };
    let mut response = new_response(&call.proposal.what, decision, Source::Grant, context);
    response.rule = call.request().and_then(|request| request.what.rule.clone());
    response.grant = Some(grant.seq);
    response.level.clone_from(&answer.level);
    response.comment = (!grant.allows).then(|| answer.reason.clone());
    let result = (!grant.allows)
        .then(|| NewEvent::new(&answer.by, new_result(call.id(), Status::Denied, &denial_text(answer))));
    std::iter::once(NewEvent::new(&answer.by, Body::ApprovalResponse(response))).chain(result).collect()
}
