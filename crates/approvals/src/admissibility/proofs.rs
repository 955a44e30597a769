//! Counts the approvals that prove their author, and compares their keys with those that are pinned off the machine. The
//! signatures themselves are checked by the rules, as for a new decision.

use super::log_row::LogRow;
use crate::access::ApproverKeyDirectory;
use countersign_events::{Body, CallId, DecisionProof, Principal, ProofKind, Source};
use countersign_proofs::pinned::PinnedKeys;

/// The numbers of approvals by people with and without a proof. If a request needs several approvers, these are the votes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProofCounts {
    /// Approvals with a proof.
    pub proved: u64,
    /// Approvals without one.
    pub unproved: u64,
    /// The proved ones by a passkey at a time when the log knew no origin of its servers, so that the page on which it was
    /// used could not be compared.
    pub unknown_origin: u64,
}

/// The proofs so far.
#[derive(Debug, Default)]
pub(super) struct ProofTally {
    pinned: Option<PinnedKeys>,
    pub(super) counts: ProofCounts,
    /// The last row's call, if that row was a vote. The response that a vote completes is not counted again.
    last_vote: Option<CallId>,
}

impl ProofTally {
    pub(super) fn with_pinned_keys(pinned: PinnedKeys) -> Self {
        Self { pinned: Some(pinned), ..Self::default() }
    }

    /// Notes a row. The error is the reason why its proof does not count, for people.
    pub(super) fn note(&mut self, row: &LogRow, keys: &ApproverKeyDirectory) -> Result<(), String> {
        let last_vote = self.last_vote.take();
        let (proof, is_approval) = match &row.body {
            Body::ApprovalVote(vote) => {
                self.last_vote = Some(vote.tool_call_id.clone());
                (vote.proof.as_ref(), vote.decision.allows())
            }
            Body::ApprovalResponse(response) => {
                let completes_vote = last_vote.as_ref() == Some(&response.tool_call_id);
                let is_own = response.source == Source::Approver && !completes_vote;
                (response.proof.as_ref(), is_own && response.decision.allows())
            }
            Body::ApproverKeyAdded(added) => (added.proof.as_ref(), false),
            _ => return Ok(()),
        };
        match proof {
            Some(proof) if is_approval => {
                self.counts.proved += 1;
                let is_unknown = proof.kind == ProofKind::Passkey && keys.web_origins().is_empty();
                self.counts.unknown_origin += u64::from(is_unknown);
            }
            None if is_approval => self.counts.unproved += 1,
            _ => {}
        }
        proof.map_or(Ok(()), |proof| self.check_pin(&row.event.principal, proof, keys))
    }

    fn check_pin(
        &self,
        person: &Principal,
        proof: &DecisionProof,
        keys: &ApproverKeyDirectory,
    ) -> Result<(), String> {
        let Some(pinned) = &self.pinned else { return Ok(()) };
        let key = keys.find(&proof.key).and_then(|record| record.public_key.as_ref());
        if key.is_some_and(|key| pinned.contain(person, key)) {
            return Ok(());
        }
        Err(format!("its proof is by the key {}, which is not one of the pinned keys of {person}", proof.key))
    }
}
