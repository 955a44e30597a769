//! Edit: an approver changes the arguments before they run. The changes are shown, must satisfy the tool's schema,
//! and are judged like a new proposal.

use super::{CommandFailure, DecisionContext, HashedArguments, NeededEvidence, RespondCommand};
use crate::{Call, Refused, thread::GrantTerms};
use countersign_events::{
    ApprovalResponse, Decision, Json, Principal, ProofRequirement, Sha256, Verdict,
    json::{ArgumentChange, diff},
};
use countersign_policy::ApprovalTerms;

/// The differences between the proposed arguments and these.
#[must_use]
pub fn argument_changes(call: &Call, arguments: &HashedArguments) -> Vec<ArgumentChange> {
    diff(&call.proposal.what.arguments, arguments.json())
}

/// Arguments that an approver edited, with the differences from the proposal.
#[derive(Debug, Clone)]
pub(super) struct ArgumentEdit {
    pub(super) arguments: Json,
    pub(super) hash: Sha256,
    changes: Vec<ArgumentChange>,
}

impl ArgumentEdit {
    /// The edit in the current round's votes.
    pub(super) fn from_votes(call: &Call) -> Option<Self> {
        let vote = call.course.edited()?;
        let arguments = vote.arguments.clone()?;
        let changes = diff(&call.proposal.what.arguments, &arguments);
        Some(Self { arguments, hash: vote.arguments_hash?, changes })
    }

    /// Puts the edited arguments into the response.
    pub(super) fn write_to(&self, response: &mut ApprovalResponse) {
        response.arguments = Some(self.arguments.clone());
        response.arguments_hash = self.hash;
        response.changes.clone_from(&self.changes);
    }
}

/// Checks the edit that a decision makes, if it changes the arguments that would run now.
pub(super) fn check_edit(
    call: &Call,
    respond: &RespondCommand,
    context: &DecisionContext<'_>,
) -> Result<Option<ArgumentEdit>, CommandFailure> {
    let Some(arguments) = &respond.arguments else { return Ok(None) };
    if arguments.hash() == call.arguments_hash() {
        return Ok(None);
    }
    if respond.decision != Decision::AllowOnce {
        return Err(invalid("only with allow_once can the arguments be changed".to_owned()).into());
    }
    check_secrets(call, arguments, context)?;
    let Some(review) = context.evidence.edit_review() else {
        return Err(NeededEvidence::EditReview.into());
    };
    if let Some(why) = &review.schema_error {
        return Err(invalid(why.clone()).into());
    }
    check_judgement(call, arguments, respond.on_behalf_of.as_ref(), context)?;
    let changes = review.changes.clone();
    Ok(Some(ArgumentEdit { arguments: arguments.json().clone(), hash: arguments.hash(), changes }))
}

/// Returns why an approval of the call once, with these arguments, would be refused because of them.
#[must_use]
pub fn preview_edit(
    call: &Call,
    arguments: &HashedArguments,
    context: &DecisionContext<'_>,
) -> Option<Refused> {
    let arguments = Some(arguments.clone());
    let respond = RespondCommand { arguments, ..RespondCommand::plain(Decision::AllowOnce) };
    match check_edit(call, &respond, context) {
        Ok(_) => None,
        Err(CommandFailure::Refused(refused)) => Some(refused),
        Err(CommandFailure::NeedsEvidence(needed)) => Some(needed.into()),
    }
}

/// Edited arguments run as the log keeps them, so they must contain neither a secret nor a mask.
fn check_secrets(
    call: &Call,
    arguments: &HashedArguments,
    context: &DecisionContext<'_>,
) -> Result<(), Refused> {
    if context.policy.redactor().redact_json(arguments.json()).is_some() {
        let why = "edited arguments run exactly as the log stores them, so they must not contain a secret; \
                   deny the call and let the agent propose another";
        return Err(invalid(why.to_owned()));
    }
    if !call.proposal.what.redacted.is_empty()
        && arguments.json().as_str().contains(countersign_redaction::MASK)
    {
        let why = "some of the arguments are masked, and an edit cannot keep a masked value; \
                   deny the call and let the agent propose another";
        return Err(invalid(why.to_owned()));
    }
    Ok(())
}

/// An edit must not be blocked by the policy, nor need more approval than the request asks for.
fn check_judgement(
    call: &Call,
    arguments: &HashedArguments,
    on_behalf_of: Option<&Principal>,
    context: &DecisionContext<'_>,
) -> Result<(), CommandFailure> {
    let judgement = context.judgement_of(arguments.hash())?;
    if judgement.verdict == Verdict::Block {
        let reason = judgement.reason.clone();
        return Err(Refused::Blocked { rule: judgement.principal().to_string(), reason }.into());
    }
    let asked = call.request().map(|request| &request.what);
    let given = GrantTerms {
        level: call.level().map(str::to_owned),
        quorum: asked.and_then(|request| request.quorum).unwrap_or(1),
        approvers: asked.map(|request| request.approvers.clone()).unwrap_or_default(),
        on_behalf_of: on_behalf_of.cloned(),
        ..GrantTerms::default()
    };
    let rank = |proof: Option<ProofRequirement>| proof.map_or(0, ProofRequirement::rank);
    let is_proved = rank(judgement.terms.proof) <= rank(asked.and_then(|request| request.proof));
    let terms = ApprovalTerms { proof: None, ..judgement.terms.clone() };
    if judgement.verdict == Verdict::Ask && !(is_proved && asks_no_more(&terms, &given, context)) {
        let why = "the policy requires more votes, a higher level, other approvers or another proof for these arguments than the request does; \
                   deny the call and let the agent propose another";
        return Err(invalid(why.to_owned()).into());
    }
    Ok(())
}

fn asks_no_more(terms: &ApprovalTerms, given: &GrantTerms, context: &DecisionContext<'_>) -> bool {
    super::eligible::covers(context.by, given, terms, context)
}

fn invalid(why: String) -> Refused {
    Refused::Invalid { field: "arguments", why }
}
