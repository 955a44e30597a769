//! Propose: the policy's judgement and the thread's state decide on a new call.

use super::{
    CommandFailure, DecisionContext, NewEvent, ProposeCommand,
    evidence::logged_arguments,
    grant_limits::use_events,
    new_event::{blocked_text, new_response, new_result},
    ruling::{self, CallRuling, RulingAnswer},
};
use crate::{Call, Refused, thread::ONCE};
use countersign_events::{
    ApprovalRequest, ApprovalResponse, Body, CallId, ChangedDefinition, Decision, ErasedTexts, Json,
    OnExpiry, Status, ToolCall, ToolDefinition, ToolPolicy, Verdict,
};
use countersign_policy::Judgement;
use std::iter;

pub(super) fn propose(
    call: Option<&Call>,
    propose: &ProposeCommand,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, CommandFailure> {
    if let Some(call) = call {
        return Ok(check_same_call(call, propose, context)?);
    }
    if let Some(closed) = &context.thread.closed {
        return Err(Refused::ThreadClosed { at: closed.at }.into());
    }
    let subject = propose.subject(context.thread_id, context.by);
    let mut judgement = context.judgement_of(propose.arguments.hash())?.clone();
    // The policy saw the arguments unmasked, and its reason may quote them.
    judgement.reason = context.mask(&judgement.reason);
    let call = tool_call(propose, context);
    let changed = change_of_definition(propose, context);
    let ruling = ruling::rule_on_call(&judgement, &subject, &call, changed.is_some(), context);
    let follows = match &ruling {
        CallRuling::Allow(answer) | CallRuling::Move(answer, _) => {
            let is_moved = matches!(ruling, CallRuling::Move(..));
            let scope = is_moved.then(|| Json::stored(ONCE.to_owned()).ok()).flatten();
            let response = allowed(&call, answer, scope, &judgement, context);
            iter::once(response).chain(use_events(answer.grant, 0, &answer.by, context.thread)).collect()
        }
        CallRuling::Block(answer) => {
            let text = blocked_text(&answer.by, &answer.reason);
            denied(&call, answer, &text, &judgement, context)
        }
        CallRuling::Deny(answer) => {
            let mut events = denied(&call, answer, &denial_text(answer), &judgement, context);
            events.extend(use_events(answer.grant, 0, &answer.by, context.thread));
            events
        }
        CallRuling::Ask(options, same_call) => {
            check_pending_limits(context)?;
            let mut request = new_request(propose, &judgement, options.clone(), changed, context);
            request.same_call.clone_from(same_call);
            vec![NewEvent::new(context.by, Body::ApprovalRequest(request))]
        }
    };
    let moved = match &ruling {
        CallRuling::Move(answer, from) => Some(moved_away(from, answer, &call.id)),
        _ => None,
    };
    let proposed = NewEvent::new(context.by, Body::ToolCall(call));
    Ok(moved.into_iter().chain(iter::once(proposed)).chain(follows).collect())
}

/// The change that the proposal makes to the accepted definition of its tool.
fn change_of_definition(
    propose: &ProposeCommand,
    context: &DecisionContext<'_>,
) -> Option<ChangedDefinition> {
    context.pinned?.change(propose.identity()?)
}

/// Refuses a request beyond the policy's limits, so that an agent in a loop cannot bury the requests that people should
/// see.
fn check_pending_limits(context: &DecisionContext<'_>) -> Result<(), Refused> {
    let (limits, pending) = (context.policy.pending_limits(), context.pending);
    if pending.in_thread >= limits.per_thread {
        let whose = format!("thread {}", context.thread_id);
        return Err(Refused::TooManyPending { whose, limit: limits.per_thread });
    }
    if pending.of_proposer >= limits.per_agent {
        return Err(Refused::TooManyPending { whose: context.by.to_string(), limit: limits.per_agent });
    }
    Ok(())
}

/// A repeated proposal yields no events. Another call under the same id is refused.
fn check_same_call(
    call: &Call,
    propose: &ProposeCommand,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    let first = &call.proposal.what;
    let is_same_place = first.place == context.mask_place(propose.place.as_deref());
    if first.name == propose.name && first.arguments_hash == propose.arguments.hash() && is_same_place {
        return Ok(Vec::new());
    }
    Err(Refused::CallDiffers { id: first.id.clone(), arguments_hash: first.arguments_hash })
}

/// The proposal event. Its hash covers the arguments as proposed, and the secrets in its content are masked.
fn tool_call(propose: &ProposeCommand, context: &DecisionContext<'_>) -> ToolCall {
    let redactor = context.policy.redactor();
    // Evidence by another policy, which may mask other values, was refused with its judgement.
    let logged = context.evidence.logged_arguments().cloned();
    let logged = logged.unwrap_or_else(|| logged_arguments(redactor, propose.arguments.json()));
    let mask = |json: &Json| redactor.redact_json(json).map_or_else(|| json.clone(), |masked| masked.json);
    ToolCall {
        id: propose.id.clone(),
        name: propose.name.clone(),
        arguments: logged.json,
        arguments_hash: propose.arguments.hash(),
        place: context.mask_place(propose.place.as_deref()),
        annotations: propose.annotations.as_ref().map(mask),
        impact: propose.impact.as_ref().map(mask),
        description: context.mask_optional(propose.description.as_deref()),
        definition: propose.definition.clone().map(|definition| ToolDefinition {
            description: context.mask_optional(definition.description.as_deref()),
            ..definition
        }),
        definition_hash: ToolDefinition::hash(propose.definition.as_ref(), propose.annotations.as_ref()),
        replaces: propose.replaces.clone(),
        redacted: logged.pointers,
        effects: context.evidence.effects().to_vec(),
        erased: ErasedTexts::new(),
    }
}

/// The reasons in a request for a call that the policy allows.
const REQUIRED: &str = "the thread requires approval for this tool";
const CHANGED: &str = "the definition of this tool has changed, and no person has accepted the change";

fn new_request(
    propose: &ProposeCommand,
    judgement: &Judgement,
    options: Vec<Decision>,
    changed_definition: Option<ChangedDefinition>,
    context: &DecisionContext<'_>,
) -> ApprovalRequest {
    let terms = &judgement.terms;
    let span = match (terms.expires, propose.expires_in) {
        (Some(rule), Some(asked)) => Some(rule.min(asked)),
        (rule, asked) => rule.or(asked),
    };
    let asks = judgement.verdict == Verdict::Ask;
    let several = |count: u32| (count > 1).then_some(count);
    // Expiry allows only if people had all the time that the rule gives them, and the thread requires no person.
    let is_shortened = propose.expires_in.is_some_and(|asked| terms.expires.is_none_or(|rule| asked < rule));
    let is_required = context.thread.policy_for(&propose.name) == ToolPolicy::RequireApproval;
    let needs_person = is_required || terms.proof.is_some() || changed_definition.is_some();
    let on_expiry = if is_shortened || needs_person { OnExpiry::Deny } else { terms.on_expiry };
    let own_reason = if is_required { REQUIRED } else { CHANGED };
    ApprovalRequest {
        tool_call_id: propose.id.clone(),
        rule: judgement.rule.clone().filter(|_| asks),
        reason: if asks { judgement.reason.clone() } else { own_reason.to_owned() },
        options,
        basis: asks.then_some(judgement.basis),
        shadow: judgement.shadow.clone(),
        level: terms.level.clone(),
        default_level: terms.default_level.clone(),
        quorum: several(terms.quorum),
        denials: several(terms.denials),
        approvers: terms.approvers.clone(),
        proof: terms.proof,
        decide_in: terms.decide_in.clone(),
        advisor: terms.advisor.clone().filter(|_| asks && !needs_person),
        remind_at: terms.remind_after.map(|span| context.now.after(span)),
        escalate_at: terms
            .escalate_after
            .filter(|_| terms.escalate_to.is_some())
            .map(|span| context.now.after(span)),
        escalate_to: terms.escalate_to.clone(),
        expires_at: span.map(|span| context.now.after(span)),
        on_expiry: span.map(|_| on_expiry),
        same_call: None,
        changed_definition,
        suggested_scopes: context.evidence.suggested_scopes().to_vec(),
        withdraw_after_seconds: context
            .policy
            .withdraw_after()
            .filter(|_| propose.withdraw_when_gone)
            .map(|span| span.as_secs()),
        policy: context.policy.hash(),
    }
}

/// The response of the policy, the thread mode or an earlier decision. It is for this call only, so that a grant never
/// creates another grant.
fn automatic_response(
    call: &ToolCall,
    decision: Decision,
    answer: &RulingAnswer,
    judgement: &Judgement,
    context: &DecisionContext<'_>,
) -> ApprovalResponse {
    ApprovalResponse {
        rule: judgement.rule.clone(),
        basis: Some(judgement.basis),
        shadow: judgement.shadow.clone(),
        grant: answer.grant,
        level: answer.level.clone(),
        set_by: answer.set_by.clone(),
        ..new_response(call, decision, answer.source, context)
    }
}

pub(super) fn allowed(
    call: &ToolCall,
    answer: &RulingAnswer,
    scope: Option<Json>,
    judgement: &Judgement,
    context: &DecisionContext<'_>,
) -> NewEvent {
    let response = automatic_response(call, Decision::AllowOnce, answer, judgement, context);
    // An approval that moves to this call keeps its end.
    let lapses_at = answer.lapses_at.or(response.lapses_at);
    NewEvent::new(&answer.by, Body::ApprovalResponse(ApprovalResponse { scope, lapses_at, ..response }))
}

fn denied(
    call: &ToolCall,
    answer: &RulingAnswer,
    text: &str,
    judgement: &Judgement,
    context: &DecisionContext<'_>,
) -> Vec<NewEvent> {
    let mut response = automatic_response(call, Decision::Deny, answer, judgement, context);
    response.comment = Some(answer.reason.clone());
    let result = NewEvent::new(&answer.by, new_result(&call.id, Status::Denied, text));
    vec![NewEvent::new(&answer.by, Body::ApprovalResponse(response)), result]
}

/// The message for the model if the call is denied without asking people.
pub(super) fn denial_text(answer: &RulingAnswer) -> String {
    match answer.grant {
        Some(_) => format!(
            "Denied without asking again, because {} (do not retry this call unchanged)",
            answer.reason
        ),
        None => format!(
            "Denied by {}: this thread denies every call that needs approval ({}). Do not retry it.",
            answer.by, answer.reason
        ),
    }
}

/// Ends the call whose approval moves to `to`: an `allow_once` approval belongs to one call only.
fn moved_away(from: &CallId, answer: &RulingAnswer, to: &CallId) -> NewEvent {
    let text = format!(
        "Not run: it was not started before the same call was proposed again as {to}, which uses its approval."
    );
    NewEvent::new(&answer.by, new_result(from, Status::Cancelled, &text))
}
