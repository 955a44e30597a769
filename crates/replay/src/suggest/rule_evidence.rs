//! The evidence for one rule, and the calls that it must not allow.

use super::{
    candidate::CandidateRule,
    evidence::{AllowedCall, RefusedCall},
    span::EvidencePeriod,
};
use countersign_events::Timestamp;
use std::collections::BTreeSet;

/// How many proposers a rule names; for more it is for anybody.
const PROPOSERS: usize = 5;

/// What speaks for a rule, and what it may not meet.
pub(super) struct RuleEvidence<'a> {
    pub(super) prompts: u64,
    pub(super) arguments: usize,
    pub(super) threads: usize,
    pub(super) people: Vec<String>,
    pub(super) proposers: Vec<String>,
    pub(super) span: EvidencePeriod,
    pub(super) against: Vec<&'a RefusedCall>,
}

impl<'a> RuleEvidence<'a> {
    pub(super) fn of(
        candidate: &CandidateRule,
        allowed: &[AllowedCall],
        obstacles: &'a [RefusedCall],
    ) -> Self {
        let met: Vec<_> = candidate.meets.iter().map(|index| &allowed[*index]).collect();
        let all = |of: fn(&AllowedCall) -> &BTreeSet<String>| -> Vec<String> {
            met.iter().flat_map(|allowed| of(allowed)).cloned().collect::<BTreeSet<_>>().into_iter().collect()
        };
        let spans = met.iter().map(|allowed| allowed.span);
        Self {
            prompts: met.iter().map(|allowed| allowed.prompts).sum(),
            arguments: met.len(),
            threads: met.iter().flat_map(|allowed| &allowed.threads).collect::<BTreeSet<_>>().len(),
            people: all(|allowed| &allowed.people),
            proposers: all(|allowed| &allowed.proposers),
            span: spans.reduce(EvidencePeriod::and).unwrap_or(EvidencePeriod::of(Timestamp::from_millis(0))),
            against: obstacles.iter().filter(|obstacle| obstacle.looks.tool == candidate.tool).collect(),
        }
    }

    /// Whom the rule is for: those that the evidence is of, unless it is of many.
    pub(super) fn named(&self) -> Option<&[String]> {
        (self.proposers.len() <= PROPOSERS).then_some(&self.proposers)
    }
}
