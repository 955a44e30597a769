//! Respond: an approver's decision, which is final.

use super::{
    CommandFailure, DecisionContext, HashedArguments, NewEvent, RespondCommand,
    answer::{CheckedAnswer, response_events},
    behalf, channel, edit, eligible, grant_limits, proof, restriction, terms, vote,
};
use crate::{Call, CallStanding, GrantScope, Refused, call::RecordedFact, refused::ArgumentsMismatch};
use countersign_events::{ApprovalRequest, ApprovalResponse, Decision, GrantLimits, Source};
use countersign_policy::{CallReading, RuleEffect};

pub(super) fn respond(
    call: &Call,
    respond: &RespondCommand,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, CommandFailure> {
    eligible::check_is_not_proposer(call, context)?;
    if let Some(first) = call.response() {
        let same = first.what.source == Source::Approver && is_same(first, respond, call);
        return if same {
            Ok(Vec::new())
        } else {
            Err(Refused::AlreadyDecided { response: Box::new(first.clone()) }.into())
        };
    }
    let request = match &call.standing {
        CallStanding::Pending { request } => Some(&request.what),
        _ => None,
    };
    check_offer(request, respond)?;
    check_seen_arguments(call, respond)?;
    let terms = terms::terms_of_answer(call, respond, context)?;
    channel::check_channel(call, respond, &terms, context)?;
    let level = behalf::check_level(call, respond, &terms, context)?;
    check_restrictions(call, respond, context)?;
    check_scope(call, respond, context)?;
    grant_limits::check_limits_of_answer(respond)?;
    let edit = edit::check_edit(call, respond, context)?;
    let proof = proof::check_answer(call, respond, terms.proof, edit.as_ref(), context)?;
    let answer = CheckedAnswer { respond, level, edit, proof };
    match request.filter(|_| terms.are_for_several()) {
        Some(request) => Ok(vote::vote(call, &answer, request, &terms, context)?),
        None => Ok(response_events(call, answer.response(call, context), &[], context)),
    }
}

fn is_same(first: &RecordedFact<ApprovalResponse>, respond: &RespondCommand, call: &Call) -> bool {
    let limits = GrantLimits::recorded(first.at, first.what.expires_at, first.what.uses);
    let first = &first.what;
    let proposed = call.proposal.what.arguments_hash;
    let hash = respond.arguments.as_ref().map_or(proposed, HashedArguments::hash);
    let arguments = first.arguments_hash == hash || !first.decision.allows();
    let scope = respond.scope.as_ref().map(GrantScope::json);
    let agents = first.agents == respond.recorded_agents();
    let is_as_wide = first.scope == scope && agents && limits == respond.limits;
    let is_for_same = first.on_behalf_of == respond.on_behalf_of;
    first.decision == respond.decision && arguments && is_as_wide && is_for_same
}

fn check_offer(request: Option<&ApprovalRequest>, respond: &RespondCommand) -> Result<(), Refused> {
    let offered = request.is_none_or(|request| request.options.contains(&respond.decision));
    if respond.decision == Decision::Other || !offered {
        return Err(Refused::NotOffered(respond.decision.as_str()));
    }
    Ok(())
}

/// The approver must have seen the arguments that would run.
fn check_seen_arguments(call: &Call, respond: &RespondCommand) -> Result<(), Refused> {
    let current = call.arguments_hash();
    match respond.about {
        Some(given) if given != current => {
            Err(Refused::ArgumentsChanged(ArgumentsMismatch::Decision { current, given }))
        }
        // An approver who edits them again sees the arguments that they send.
        None if respond.decision.allows()
            && respond.arguments.is_none()
            && call.course.edited().is_some() =>
        {
            Err(Refused::ArgumentsChanged(ArgumentsMismatch::UnseenEdit { current }))
        }
        _ => Ok(()),
    }
}

/// An approval lifts no restriction of the thread. A person who may lift it does so first.
fn check_restrictions(
    call: &Call,
    respond: &RespondCommand,
    context: &DecisionContext<'_>,
) -> Result<(), Refused> {
    if !respond.decision.allows() {
        return Ok(());
    }
    let (subject, hash) = match &respond.arguments {
        Some(edited) => (call.subject_with(edited.json(), &[]), edited.hash()),
        None => (call.subject(), call.arguments_hash()),
    };
    match restriction::find_restriction(call, &subject, hash, context) {
        Some(held) => Err(restriction::blocked(&held, context)),
        None => Ok(()),
    }
}

/// A remembered decision's scope must include its own call.
fn check_scope(call: &Call, respond: &RespondCommand, context: &DecisionContext<'_>) -> Result<(), Refused> {
    let invalid = |why: &str| Err(Refused::Invalid { field: "scope", why: why.to_owned() });
    if respond.agents.is_some() && respond.decision != Decision::AllowSession {
        let why = "only allow_session is for certain agents; leave it out".to_owned();
        return Err(Refused::Invalid { field: "agents", why });
    }
    if respond.and_waiting && respond.scope.is_none() {
        let why = "only a decision that is remembered with a scope answers calls that wait; leave it out"
            .to_owned();
        return Err(Refused::Invalid { field: "andWaiting", why });
    }
    let Some(scope) = &respond.scope else {
        return match respond.decision {
            // An edit is for one call, which has its own refusal.
            Decision::AllowSession if !respond.is_edit(call) => invalid(
                "allow_session needs one: \"exact\", \"tool\" or a pattern such as {\"command\": \"git status **\"}",
            ),
            _ => Ok(()),
        };
    };
    let effect = match respond.decision {
        Decision::AllowSession => RuleEffect::Widen,
        Decision::Deny => RuleEffect::Restrict,
        _ => return invalid("only allow_session and deny are remembered; leave it out"),
    };
    if respond.is_edit(call) {
        return invalid("changed arguments are for this call alone; leave it out");
    }
    // The scope is listed and shown, where it would not be masked.
    if context.policy.redactor().redact_json(&scope.json()).is_some() {
        return invalid("the log shows the pattern to everyone, so it must not contain a secret");
    }
    let GrantScope::Pattern(pattern) = scope else { return Ok(()) };
    let subject = call.subject();
    let look = CallReading::new(context.policy, &subject);
    if pattern.matches(&look, effect) {
        return Ok(());
    }
    match pattern.find_hindrance(&look).filter(|_| effect == RuleEffect::Widen) {
        Some(arguments) => invalid(&format!(
            "the pattern does not show {arguments} of the call that it is decided on, which may change what runs; name it under `args`"
        )),
        None => invalid("the pattern does not match the call that it is decided on"),
    }
}
