//! The decision context: everything besides the call that a decision may depend on.

use super::evidence::{CommandEvidence, CommandFailure, NeededEvidence};
use crate::{
    PendingCount, Refused, Thread,
    access::{ApproverStanding, CommandCaller, ProofContext, TokenDirectory},
    advisor_directory::AdvisorDirectory,
    pinned_tools::PinnedTool,
    refused::ArgumentsMismatch,
};
use countersign_events::{Place, PolicyChange, Principal, Sha256, ThreadId, Timestamp};
use countersign_policy::{Judgement, Policy};

/// Everything besides the call that a decision may depend on.
#[derive(Debug, Clone, Copy)]
pub struct DecisionContext<'a> {
    /// The thread that the call belongs to.
    pub thread_id: &'a ThreadId,
    /// The state of that thread.
    pub thread: &'a Thread,
    /// The active policy.
    pub policy: &'a Policy,
    /// The principal that gives the command.
    pub by: &'a Principal,
    /// The standing as an approver that the caller's credential gives.
    pub standing: &'a ApproverStanding,
    /// The moment at which the command is decided.
    pub now: Timestamp,
    /// The facts that were worked out before the command was queued.
    pub evidence: &'a CommandEvidence,
    /// The number of open requests. Zero when a log is checked, because a refused proposal left no trace in it.
    pub pending: PendingCount,
    /// What proofs are checked with.
    pub proofs: ProofContext<'a>,
    /// The proposed tool's definitions.
    pub pinned: Option<&'a PinnedTool>,
    /// The reports on advisors and their modes, for a command that needs them.
    pub advisors: Option<&'a AdvisorDirectory>,
    /// The delegations, for a command in another person's place. `None` if they were not loaded.
    pub delegations: Option<&'a TokenDirectory>,
    /// The event that set the active policy, for a command that may answer a waiting call by it.
    pub policy_change: Option<&'a PolicyChange>,
}

impl<'a> DecisionContext<'a> {
    /// A context without what only some commands need: open requests, keys, a definition, advisors and a policy change.
    #[must_use]
    pub fn new(
        thread_id: &'a ThreadId,
        thread: &'a Thread,
        by: &'a CommandCaller,
        policy: &'a Policy,
        evidence: &'a CommandEvidence,
        now: Timestamp,
    ) -> Self {
        Self {
            thread_id,
            thread,
            policy,
            by: &by.principal,
            standing: &by.standing,
            now,
            evidence,
            pending: PendingCount::default(),
            proofs: ProofContext::default(),
            pinned: None,
            advisors: None,
            delegations: None,
            policy_change: None,
        }
    }
}

impl DecisionContext<'_> {
    /// An optional string with its secrets masked, as the log keeps it.
    pub(super) fn mask_optional(&self, text: Option<&str>) -> Option<String> {
        text.map(|text| self.mask(text))
    }

    /// A place with its secrets masked, as the log keeps it.
    pub(super) fn mask_place(&self, place: Option<&Place>) -> Option<Place> {
        place.map(|place| place.masked(|text| self.policy.redactor().redact_text(text)))
    }

    /// The string with its secrets masked, as the log keeps it.
    pub(super) fn mask(&self, text: &str) -> String {
        self.policy.redactor().redact_text(text).unwrap_or_else(|| text.to_owned())
    }

    /// The active policy's judgement of the arguments with this hash. It must be in the evidence: policy conditions are
    /// never evaluated here.
    pub(super) fn judgement_of(&self, arguments_hash: Sha256) -> Result<&Judgement, CommandFailure> {
        let judged = self.evidence.judged().filter(|judged| judged.judgement.policy == self.policy.hash());
        match judged {
            Some(judged) if judged.arguments_hash == arguments_hash => Ok(&judged.judgement),
            // An approver edited the arguments after the evidence was worked out.
            Some(judged) => Err(Refused::ArgumentsChanged(ArgumentsMismatch::Claim {
                approved: arguments_hash,
                given: judged.arguments_hash,
            })
            .into()),
            None => Err(NeededEvidence::Judgement.into()),
        }
    }
}
