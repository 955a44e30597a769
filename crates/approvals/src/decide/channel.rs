//! Channels: surfaces that show less than the card, or that prove less about who decides. The policy says what they decide.

use super::{
    DecisionContext, RespondCommand,
    behalf::may_answer_for_others,
    eligible,
    terms::{DecisionTerms, answer_needs_judgement},
};
use crate::{Call, GrantScope, Refused, call::RecordedFact};
use countersign_events::{ApprovalVote, Decision, DecisionChannel, QuestionForm, RiskLevel};
use countersign_policy::Policy;
use serde_json::Value;

/// The longest time for which a chat remembers an approval, in seconds.
pub const CHAT_GRANT_SECONDS: u32 = 3_600;

/// Refuses a decision on a surface that shows less than the card, unless the policy permits it there.
pub(super) fn check_channel(
    call: &Call,
    respond: &RespondCommand,
    terms: &DecisionTerms,
    context: &DecisionContext<'_>,
) -> Result<(), Refused> {
    let Some(channel) = respond.channel else { return Ok(()) };
    if channel == DecisionChannel::Other {
        return Err(Refused::invalid("channel", "it is unknown"));
    }
    if respond.about.is_none() {
        return Err(Refused::invalid(
            "argumentsHash",
            "a decision there names the arguments that were shown",
        ));
    }
    if respond.arguments.is_some() {
        return Err(Refused::invalid("channel", "the arguments are changed on the card"));
    }
    if channel == DecisionChannel::Chat {
        check_chat(call, respond, terms)
    } else {
        check_notification(call, respond, terms, context)
    }
}

/// A notification always denies, and allows if the policy lets notifications allow calls of this risk, and one person decides
/// without a level and a proof.
fn check_notification(
    call: &Call,
    respond: &RespondCommand,
    terms: &DecisionTerms,
    context: &DecisionContext<'_>,
) -> Result<(), Refused> {
    if respond.scope.is_some() {
        return Err(Refused::invalid("channel", "a notification decides one call as it is"));
    }
    if !respond.decision.allows() {
        return Ok(());
    }
    if respond.decision == Decision::AllowOnce && admits(call, terms, context.policy) {
        return Ok(());
    }
    Err(Refused::NotOffered("to allow this call in a notification; open its page"))
}

/// A chat decides what its rule lets a chat decide: this call, or exactly these arguments for an hour.
fn check_chat(call: &Call, respond: &RespondCommand, terms: &DecisionTerms) -> Result<(), Refused> {
    let is_short = respond.limits.seconds.is_some_and(|seconds| seconds <= CHAT_GRANT_SECONDS);
    let is_narrow = match respond.decision {
        Decision::AllowSession => {
            respond.scope == Some(GrantScope::Exact) && respond.agents.is_none() && is_short
        }
        _ => respond.scope.is_none(),
    };
    if !is_narrow || respond.and_waiting {
        let why = "a chat decides one call, or allows exactly its arguments for at most an hour";
        return Err(Refused::invalid("channel", why));
    }
    if chat_admits(call, terms) {
        Ok(())
    } else {
        Err(Refused::NotOffered("to decide on this call in a chat; open its page"))
    }
}

/// Returns true if a notification may offer to allow this pending call.
#[must_use]
pub fn may_allow_in_notification(call: &Call, policy: &Policy) -> bool {
    let is_offered =
        |call: &Call| call.request().is_some_and(|fact| fact.what.options.contains(&Decision::AllowOnce));
    call.is_pending() && is_offered(call) && admits(call, &DecisionTerms::of_request(call), policy)
}

/// Returns true if a chat may offer to decide on this pending call. If another policy opened the request, it offers nothing.
#[must_use]
pub fn may_decide_in_chat(call: &Call, policy: &Policy) -> bool {
    let is_current = !answer_needs_judgement(call, policy.hash());
    call.is_pending() && is_current && chat_admits(call, &DecisionTerms::of_request(call))
}

fn chat_admits(call: &Call, terms: &DecisionTerms) -> bool {
    terms.decide_in.contains(&DecisionChannel::Chat) && terms.proof.is_none() && is_usual(call)
}

fn admits(call: &Call, terms: &DecisionTerms, policy: &Policy) -> bool {
    let is_plain = terms.level.is_none() && terms.proof.is_none() && !terms.are_for_several();
    is_plain && is_usual(call) && policy.lets_notifications_allow(claimed_risk(call))
}

/// Returns true if the call asks for no more than a yes or no to the arguments that the agent proposed, and nothing else
/// about it has to be seen.
fn is_usual(call: &Call) -> bool {
    let proposal = &call.proposal.what;
    let asks_people = QuestionForm::read(&proposal.name, call.arguments()).is_some();
    let request = call.request().map(|fact| &fact.what);
    let is_plain =
        request.is_none_or(|request| request.changed_definition.is_none() && request.same_call.is_none());
    is_plain && !asks_people && call.course.edited().is_none()
}

/// The risk that the agent claims.
fn claimed_risk(call: &Call) -> Option<RiskLevel> {
    let impact: Value = call.proposal.what.impact.as_ref()?.read().ok()?;
    impact.get("riskLevel")?.as_str()?.parse().ok()
}

/// Returns true if the caller is one of those who may answer this pending call, for themselves or in another person's place, and has
/// not voted on it. The terms are those of its request.
#[must_use]
pub fn may_answer(call: &Call, context: &DecisionContext<'_>) -> bool {
    let terms = DecisionTerms::of_request(call);
    let has_voted = |vote: &RecordedFact<ApprovalVote>| vote.is_vote_of(context.by);
    let may_decide =
        || eligible::check_level(call, None, terms.level.as_deref(), &terms.approvers, context).is_ok();
    call.is_pending()
        && (may_decide() || may_answer_for_others(call, &terms, context))
        && !call.course.counting().any(has_voted)
}
