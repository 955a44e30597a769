//! The terms on which a pending request is decided: its original terms or the active policy's terms, whichever are
//! stricter.

use super::{CommandFailure, DecisionContext, RespondCommand, eligible};
use crate::{Call, CallStanding, Refused};
use countersign_events::{ApprovalVote, DecisionChannel, Principal, ProofRequirement, Sha256, Verdict};
use countersign_policy::Judgement;

/// The terms on which a request is decided now.
pub(super) struct DecisionTerms {
    /// The level that an approver needs.
    pub(super) level: Option<String>,
    /// The number of approvals needed.
    pub(super) quorum: u32,
    /// The number of denials needed.
    pub(super) denials: u32,
    /// An approver must be in each of these lists.
    pub(super) approvers: Vec<Vec<String>>,
    /// The proof that each approval needs.
    pub(super) proof: Option<ProofRequirement>,
    /// The surfaces on which it may be decided besides those that show the whole card.
    pub(super) decide_in: Vec<DecisionChannel>,
}

/// Returns true if an answer to this call needs this policy's judgement as evidence: another policy opened the request,
/// or an approver has changed the arguments since.
#[must_use]
pub fn answer_needs_judgement(call: &Call, policy: Sha256) -> bool {
    let CallStanding::Pending { request } = &call.standing else { return false };
    request.what.policy != policy || call.course.edited().is_some()
}

/// The terms for this answer. A policy that blocks the call by now refuses an approval. Edited arguments must need no
/// more than the request asks for, which their own review checks.
pub(super) fn terms_of_answer(
    call: &Call,
    respond: &RespondCommand,
    context: &DecisionContext<'_>,
) -> Result<DecisionTerms, CommandFailure> {
    let asked = DecisionTerms::of_request(call);
    if respond.is_edit(call) || !answer_needs_judgement(call, context.policy.hash()) {
        return Ok(asked);
    }
    let judgement = context.judgement_of(call.arguments_hash());
    // A denial needs no evidence: a stop denies many calls at once.
    if !respond.decision.allows() {
        return Ok(
            judgement.map_or_else(|_| DecisionTerms::of_request(call), |judged| asked.with(judged, context))
        );
    }
    let judgement = judgement?;
    if judgement.verdict == Verdict::Block {
        let reason = context.mask(&judgement.reason);
        return Err(Refused::Blocked { rule: judgement.principal().to_string(), reason }.into());
    }
    Ok(asked.with(judgement, context))
}

impl DecisionTerms {
    /// The terms that the request was opened with, after an escalation perhaps.
    pub(super) fn of_request(call: &Call) -> Self {
        let asked = call.request().map(|request| &request.what);
        Self {
            level: call.level().map(str::to_owned),
            quorum: asked.and_then(|request| request.quorum).unwrap_or(1),
            denials: asked.and_then(|request| request.denials).unwrap_or(1),
            approvers: asked.map(|request| request.approvers.clone()).unwrap_or_default(),
            proof: asked.and_then(|request| request.proof),
            decide_in: asked.map(|request| request.decide_in.clone()).unwrap_or_default(),
        }
    }

    /// Returns true if several votes may be needed.
    pub(super) const fn are_for_several(&self) -> bool {
        self.quorum > 1 || self.denials > 1
    }

    /// Returns true if this person's vote to allow, perhaps in another person's place, counts.
    pub(super) fn admit(
        &self,
        by: &Principal,
        on_behalf_of: Option<&Principal>,
        context: &DecisionContext<'_>,
    ) -> bool {
        let voter = on_behalf_of.unwrap_or(by);
        eligible::has_level(by, self.level.as_deref(), context)
            && eligible::has_level(voter, self.level.as_deref(), context)
            && self.approvers.iter().all(|list| eligible::is_in(voter, list, context))
    }

    /// Returns true if the vote has the proof that an approval needs. It was checked when the vote was cast.
    pub(super) fn are_proved_by(&self, vote: &ApprovalVote) -> bool {
        let accepts =
            |needed: ProofRequirement| vote.proof.as_ref().is_some_and(|proof| needed.accepts(proof.kind));
        self.proof.is_none_or(accepts)
    }

    /// The stricter of these terms and those of a judgement. A judgement that allows asks for nothing more.
    pub(super) fn with(mut self, judgement: &Judgement, context: &DecisionContext<'_>) -> Self {
        if judgement.verdict != Verdict::Ask {
            return self;
        }
        let terms = &judgement.terms;
        if let Some(level) = &terms.level
            && !self.level.as_deref().is_some_and(|own| eligible::is_at_least(own, Some(level), context))
        {
            self.level = Some(level.clone());
        }
        self.proof = [self.proof, terms.proof].into_iter().flatten().max_by_key(|proof| proof.rank());
        self.decide_in.retain(|channel| terms.decide_in.contains(channel));
        self.quorum = self.quorum.max(terms.quorum);
        self.denials = self.denials.min(terms.denials);
        for list in &terms.approvers {
            if !self.approvers.contains(list) {
                self.approvers.push(list.clone());
            }
        }
        self
    }
}
