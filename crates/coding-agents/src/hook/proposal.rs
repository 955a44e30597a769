//! The proposal for the call in a message, and the answer to its outcome.

use super::{
    answer::HookAnswer,
    branches,
    failure::HookFailure,
    links,
    message::HookMessage,
    program::HookProgram,
    question,
    terms::{HookTerms, RuleAllowance},
};
use crate::{AgentApprovalTerms, ApprovalOutcome, EditSupport, approval::ClaimedCall, seek_approval};
use countersign_api::{Call, CallGate, GateError, ProposeRequest, ThreadId, ToolName, random_id};
use countersign_events::Source;
use countersign_policy::Policy;

pub(super) async fn decide_with(
    gate: &dyn CallGate,
    thread: &ThreadId,
    request: &ProposeRequest,
    executor: &str,
    edits: EditSupport,
    terms: HookTerms<'_>,
) -> Result<ApprovalOutcome, GateError> {
    let approval =
        AgentApprovalTerms { executor, wait: Some(terms.wait), lease_seconds: terms.lease_seconds, edits };
    seek_approval(gate, thread, request, approval).await
}

pub(super) fn answer_outcome(
    outcome: ApprovalOutcome,
    caller: &dyn HookProgram,
    message: &HookMessage,
    terms: HookTerms<'_>,
) -> HookAnswer {
    match outcome {
        ApprovalOutcome::Claimed(claimed) => allow(&claimed, caller, message, terms),
        ApprovalOutcome::Refused(reason) => HookAnswer::Deny { reason },
        ApprovalOutcome::Pending(call) => {
            let place = (terms.decision_place)(&call);
            let why = explain_request(&call);
            let reason = format!(
                "No decision yet: call {} ({}) waits for a person.{why} They decide at: {place}. Tell the user so. Repeat exactly \
                 the same call to wait again or to get the decision; people are not asked twice.",
                call.id, call.name
            );
            if terms.defers { HookAnswer::Defer { reason } } else { HookAnswer::Deny { reason } }
        }
    }
}

/// Why people are asked, as a sentence that names the rule.
fn explain_request(call: &Call) -> String {
    let Some(request) = &call.request else { return String::new() };
    let reason = &request.reason;
    match &request.rule {
        Some(rule) if !reason.contains(rule.as_str()) => format!(" Asked because: {reason} (rule {rule:?})."),
        _ => format!(" Asked because: {reason}."),
    }
}

/// Whether the agent's own rules decide on a call that may run: while it plans, and if only a rule allowed the call.
pub(super) fn leaves_decision(call: &Call, message: &HookMessage, terms: HookTerms<'_>) -> bool {
    let source = call.response.as_ref().map(|response| response.source);
    // A grant and a mode are a person's decision; an advisor is none.
    let is_by_person = matches!(source, Some(Source::Approver | Source::Grant | Source::Mode));
    let leaves_rules = match terms.rule_answer {
        RuleAllowance::Allow => false,
        RuleAllowance::None => true,
        RuleAllowance::UnlessRefused => message.refuses_unlisted || is_observed(call),
    };
    message.is_planning || leaves_rules && !is_by_person
}

/// Whether the policy only observes. It then allows everything, which nobody means as an answer to the agent.
fn is_observed(call: &Call) -> bool {
    let rule = call.response.as_ref().and_then(|response| response.rule.as_deref());
    rule == Some(Policy::OBSERVE_RULE)
}

/// The answer to a claimed call. It always has the approved arguments, so that those of another hook do not take their place.
fn allow(
    claimed: &ClaimedCall,
    caller: &dyn HookProgram,
    message: &HookMessage,
    terms: HookTerms<'_>,
) -> HookAnswer {
    let approved = if claimed.is_edited { &claimed.call.arguments } else { &message.tool_input };
    let is_left = match question::find_question(caller, message) {
        // Without an answer, the agent asks its own user.
        Some(form) => !question::is_answered(&form, &claimed.call, claimed.is_edited),
        None => leaves_decision(&claimed.call, message, terms),
    };
    if is_left {
        return HookAnswer::NoDecision { arguments: Some(approved.clone()) };
    }
    let response = claimed.call.response.as_ref();
    let by = response.map_or_else(|| "Countersign".to_owned(), |response| response.principal.to_string());
    HookAnswer::Allow {
        reason: format!("allowed by {by}"),
        arguments: Some(approved.clone()),
        is_edited: claimed.is_edited,
        note: response.and_then(|response| response.note.clone()),
    }
}

/// The thread and the proposal for the call that the message is about.
pub(super) fn read_call(
    message: &HookMessage,
    terms: HookTerms<'_>,
) -> Result<(ThreadId, ProposeRequest), HookFailure> {
    let bad = |field: &str, why: &dyn std::fmt::Display| HookFailure::BadMessage(format!("{field}: {why}"));
    let thread = ThreadId::new(&message.session_id).map_err(|why| bad("session_id", &why))?;
    let name = ToolName::new(&message.tool_name).map_err(|why| bad("tool_name", &why))?;
    let id = message.tool_use_id.clone().unwrap_or_else(|| random_id("call_"));
    let id = countersign_api::parse_call_id(&id).map_err(|why| bad("tool_use_id", &why))?;
    message.tool_input.admit_arguments().map_err(|why| bad("tool_input", &why))?;
    let place = message.place(terms.origin);
    let place = place.map(|place| links::add_link_targets(place, &name, &message.tool_input));
    let place = place.map(|place| branches::add_branches(place, &name, &message.tool_input));
    let request = ProposeRequest {
        id,
        name,
        arguments: message.tool_input.clone(),
        annotations: None,
        impact: None,
        description: message.description.clone(),
        place,
        definition: None,
        expires_in_seconds: None,
        replaces: None,
        // A call that is deferred comes back with the session, perhaps days later.
        withdraw_when_gone: !terms.defers,
    };
    Ok((thread, request))
}

/// What the program does with the arguments that hold an answer.
pub(super) fn edits_of(caller: &dyn HookProgram, terms: HookTerms<'_>) -> EditSupport {
    if terms.ignores_edits { EditSupport::Unsupported } else { caller.edits() }
}
