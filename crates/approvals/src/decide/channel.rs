//! Channels: a notification shows a part of a call, so it denies, and allows only what the policy says.

use super::{DecisionContext, RespondCommand, eligible, terms::DecisionTerms};
use crate::{Call, Refused, call::RecordedFact};
use countersign_events::{ApprovalVote, Decision, DecisionChannel, QuestionForm, RiskLevel};
use countersign_policy::Policy;
use serde_json::Value;

/// Refuses an approval in a notification unless the policy lets notifications allow calls of this risk, and one person decides
/// without a level and a proof.
pub(super) fn check_channel(
    call: &Call,
    respond: &RespondCommand,
    terms: &DecisionTerms,
    context: &DecisionContext<'_>,
) -> Result<(), Refused> {
    match respond.channel {
        None => Ok(()),
        Some(DecisionChannel::Other) => Err(Refused::invalid("channel", "it is unknown")),
        Some(DecisionChannel::Notification) if respond.about.is_none() => Err(Refused::invalid(
            "argumentsHash",
            "a decision in a notification names the arguments that it showed",
        )),
        Some(DecisionChannel::Notification) if respond.scope.is_some() || respond.arguments.is_some() => {
            Err(Refused::invalid("channel", "a notification decides one call as it is"))
        }
        Some(DecisionChannel::Notification) if !respond.decision.allows() => Ok(()),
        Some(DecisionChannel::Notification) => {
            if respond.decision == Decision::AllowOnce && admits(call, terms, context.policy) {
                return Ok(());
            }
            Err(Refused::NotOffered("to allow this call in a notification; open its page"))
        }
    }
}

/// Returns true if a notification may offer to allow this pending call.
#[must_use]
pub fn may_allow_in_notification(call: &Call, policy: &Policy) -> bool {
    let is_offered =
        |call: &Call| call.request().is_some_and(|fact| fact.what.options.contains(&Decision::AllowOnce));
    call.is_pending() && is_offered(call) && admits(call, &DecisionTerms::of_request(call), policy)
}

fn admits(call: &Call, terms: &DecisionTerms, policy: &Policy) -> bool {
    let is_plain = terms.level.is_none() && terms.proof.is_none() && !terms.are_for_several();
    let proposal = &call.proposal.what;
    let asks_people = QuestionForm::read(&proposal.name, call.arguments()).is_some();
    let request = call.request().map(|fact| &fact.what);
    let is_usual =
        request.is_none_or(|request| request.changed_definition.is_none() && request.same_call.is_none());
    is_plain
        && is_usual
        && !asks_people
        && call.course.edited().is_none()
        && policy.lets_notifications_allow(claimed_risk(call))
}

/// The risk that the agent claims.
fn claimed_risk(call: &Call) -> Option<RiskLevel> {
    let impact: Value = call.proposal.what.impact.as_ref()?.read().ok()?;
    impact.get("riskLevel")?.as_str()?.parse().ok()
}

/// Returns true if the caller is one of those who may answer this pending call, and has not voted on it. The terms are those of
/// its request.
#[must_use]
pub fn may_answer(call: &Call, context: &DecisionContext<'_>) -> bool {
    let terms = DecisionTerms::of_request(call);
    let has_voted = |vote: &RecordedFact<ApprovalVote>| vote.by == *context.by;
    call.is_pending()
        && eligible::check_level(call, None, terms.level.as_deref(), &terms.approvers, context).is_ok()
        && !call.course.counting().any(has_voted)
}
