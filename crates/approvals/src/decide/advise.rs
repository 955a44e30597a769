//! Advise: an advisor's advice on a call. It is recorded, and answers the request if the policy lets the advisor
//! decide, the advisor is proven, and no person has said anything about the call.

use super::{
    AdviceCommand, DecisionContext, NewEvent, answer::response_events, new_event::new_response, restriction,
    terms::DecisionTerms,
};
use crate::{Call, CallStanding, Refused, advisor_directory::AdvisorDirectory};
use countersign_events::{
    AdviceVerdict, AdvisorMode, ApprovalAdvice, ApprovalRequest, Body, Decision, ErasedTexts, Principal,
    Source, ToolPolicy,
};
use countersign_policy::AdvisorSettings;

/// The maximum length of an advisor reason, in bytes.
pub const MAX_ADVICE_BYTES: usize = 4_096;

/// The maximum number of labels in an advice, and the maximum label length in bytes.
const MAX_LABELS: usize = 16;
const MAX_LABEL_BYTES: usize = 64;

/// Records the advice. A second advice by the same advisor on the same call changes nothing.
pub(super) fn advise(
    call: &Call,
    command: &AdviceCommand,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    if *context.by != Principal::advisor(&command.advisor) {
        let why = format!("{} is not this advisor", context.by);
        return Err(Refused::Invalid { field: "advisor", why });
    }
    if call.proposal.by == *context.by {
        return Err(Refused::SelfApproval(context.by.to_string()));
    }
    if call.course.advice.iter().any(|advice| advice.what.advisor == command.advisor) {
        return Ok(Vec::new());
    }
    check_open(call, context)?;
    check_texts(command)?;
    let settings = find_advisor(command, context)?;
    let unknown = AdvisorDirectory::default();
    let directory = context.advisors.unwrap_or(&unknown);
    let mode = directory.effective_mode(settings).mode;
    let advice = new_advice(call, command, mode, context);
    let answer = decision_of(command.advice)
        .filter(|_| mode == AdvisorMode::Decide && may_answer(call, &advice, settings, context));
    let answered = answer.map(|decision| response(call, decision, &advice, context)).unwrap_or_default();
    let advised = NewEvent::new(context.by, Body::ApprovalAdvice(advice));
    Ok(std::iter::once(advised).chain(answered).collect())
}

/// Checks that people were asked about the call, and that its content is in the log. Late advice is also recorded,
/// because it is compared with the decision.
fn check_open(call: &Call, context: &DecisionContext<'_>) -> Result<(), Refused> {
    let invalid = |why: &str| Err(Refused::Invalid { field: "call", why: why.to_owned() });
    if let Some(closed) = &context.thread.closed {
        return Err(Refused::ThreadClosed { at: closed.at });
    }
    if call.course.erasure.is_some() {
        return invalid("its content was erased");
    }
    if call.request().is_none() {
        return invalid("people were not asked about it, so no advisor is");
    }
    Ok(())
}

fn check_texts(command: &AdviceCommand) -> Result<(), Refused> {
    let invalid = |field, why: String| Err(Refused::Invalid { field, why });
    if command.advice == AdviceVerdict::Other {
        return invalid("advice", "it must be allow, deny or ask".to_owned());
    }
    if command.failure.is_some() && command.advice != AdviceVerdict::Ask {
        return invalid("advice", "an advisor that failed to answer leaves the call to people".to_owned());
    }
    if command.reason.as_ref().is_some_and(|reason| reason.len() > MAX_ADVICE_BYTES) {
        return invalid("reason", format!("it may have at most {MAX_ADVICE_BYTES} bytes"));
    }
    let is_bad = |label: &String| {
        label.is_empty() || label.len() > MAX_LABEL_BYTES || label.contains(char::is_control)
    };
    if command.labels.len() > MAX_LABELS || command.labels.iter().any(is_bad) {
        let why = format!(
            "an advice may have at most {MAX_LABELS} labels, each of 1 to {MAX_LABEL_BYTES} bytes without control characters"
        );
        return invalid("labels", why);
    }
    Ok(())
}

/// The settings with which the advisor was asked. An advisor that the active policy asks differently, or not at all,
/// has answered another question.
fn find_advisor<'a>(
    command: &AdviceCommand,
    context: &DecisionContext<'a>,
) -> Result<&'a AdvisorSettings, Refused> {
    let settings = context.policy.advisor(&command.advisor);
    settings
        .filter(|settings| settings.configuration == command.configuration)
        .ok_or_else(|| Refused::UnknownAdvisor(command.advisor.clone()))
}

fn new_advice(
    call: &Call,
    command: &AdviceCommand,
    mode: AdvisorMode,
    context: &DecisionContext<'_>,
) -> ApprovalAdvice {
    ApprovalAdvice {
        tool_call_id: call.id().clone(),
        advisor: command.advisor.clone(),
        mode,
        configuration: command.configuration,
        advice: command.advice,
        reason: context.mask_optional(command.reason.as_deref()),
        confidence: command.confidence.clone(),
        labels: command.labels.iter().map(|label| context.mask(label)).collect(),
        failure: command.failure,
        elapsed_millis: command.elapsed_millis,
        tokens: command.tokens,
        cached: command.cached,
        arguments_hash: command.arguments_hash,
        policy: context.policy.hash(),
        erased: ErasedTexts::new(),
    }
}

const fn decision_of(advice: AdviceVerdict) -> Option<Decision> {
    match advice {
        AdviceVerdict::Allow => Some(Decision::AllowOnce),
        AdviceVerdict::Deny => Some(Decision::Deny),
        AdviceVerdict::Ask | AdviceVerdict::Other => None,
    }
}

/// Returns true if the advice may answer the request instead of people.
fn may_answer(
    call: &Call,
    advice: &ApprovalAdvice,
    settings: &AdvisorSettings,
    context: &DecisionContext<'_>,
) -> bool {
    let CallStanding::Pending { request } = &call.standing else { return false };
    let hash = call.arguments_hash();
    let subject = call.subject();
    // A thread rule that a person made takes precedence over a policy rule that lets an advisor answer.
    let is_restricted = matches!(
        context.thread.policy_for(subject.tool),
        ToolPolicy::RequireApproval | ToolPolicy::Deny | ToolPolicy::Other
    ) || restriction::find_restriction(call, &subject, hash, context).is_some();
    settings.may_answer(advice.advice)
        && request.what.advisor.as_ref() == Some(&advice.advisor)
        && request.what.policy == context.policy.hash()
        && advice.arguments_hash == hash
        && is_untouched(call, &request.what)
        && !is_restricted
}

/// Returns true if no person has said anything about the call, and one approver of any level could decide it.
fn is_untouched(call: &Call, request: &ApprovalRequest) -> bool {
    let terms = DecisionTerms::of_request(call);
    let is_plain = terms.level.is_none()
        && !terms.are_for_several()
        && terms.approvers.is_empty()
        && terms.proof.is_none()
        && request.changed_definition.is_none();
    is_plain && call.course.votes.is_empty() && call.course.escalation.is_none()
}

/// The response that the advice gives. It is for this call only.
fn response(
    call: &Call,
    decision: Decision,
    advice: &ApprovalAdvice,
    context: &DecisionContext<'_>,
) -> Vec<NewEvent> {
    let mut response = new_response(&call.proposal.what, decision, Source::Advisor, context);
    response.rule = call.request().and_then(|request| request.what.rule.clone());
    response.comment.clone_from(&advice.reason);
    response_events(call, response, &[], context)
}
