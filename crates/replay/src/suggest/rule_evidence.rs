//! The evidence for one rule, and the refused calls of its tool.

use super::{
    candidate::CandidateRule,
    evidence::{AllowedCall, RefusedCall},
    period::EvidencePeriod,
};
use countersign_events::Timestamp;
use std::collections::BTreeSet;

/// The maximum number of proposers that a rule names. With more, the rule applies to all principals.
const MAX_NAMED_PROPOSERS: usize = 5;

/// The maximum number of folders that a rule names. With more, the rule applies in every folder.
const MAX_NAMED_FOLDERS: usize = 5;

/// The allowed calls that support a rule, in numbers, and the refused calls of its tool.
pub(super) struct RuleEvidence<'a> {
    pub(super) prompts: u64,
    pub(super) arguments: usize,
    pub(super) threads: usize,
    pub(super) people: Vec<String>,
    pub(super) proposers: Vec<String>,
    folders: BTreeSet<Option<String>>,
    pub(super) period: EvidencePeriod,
    pub(super) refused: Vec<&'a RefusedCall>,
}

impl<'a> RuleEvidence<'a> {
    pub(super) fn for_candidate(
        candidate: &CandidateRule,
        allowed: &[AllowedCall],
        obstacles: &'a [RefusedCall],
    ) -> Self {
        let matched: Vec<_> = candidate.matched.iter().map(|index| &allowed[*index]).collect();
        let union_of = |names: fn(&AllowedCall) -> &BTreeSet<String>| -> Vec<String> {
            matched
                .iter()
                .flat_map(|allowed| names(allowed))
                .cloned()
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect()
        };
        let periods = matched.iter().map(|allowed| allowed.period);
        Self {
            prompts: matched.iter().map(|allowed| allowed.prompts).sum(),
            arguments: matched.len(),
            threads: matched.iter().flat_map(|allowed| &allowed.threads).collect::<BTreeSet<_>>().len(),
            people: union_of(|allowed| &allowed.people),
            proposers: union_of(|allowed| &allowed.proposers),
            folders: matched.iter().flat_map(|allowed| &allowed.folders).cloned().collect(),
            period: periods
                .reduce(EvidencePeriod::union)
                .unwrap_or(EvidencePeriod::from_moment(Timestamp::from_millis(0))),
            refused: obstacles.iter().filter(|obstacle| obstacle.call.tool == candidate.tool).collect(),
        }
    }

    /// The proposers that the rule names, or `None` if there are too many to name.
    pub(super) fn named_proposers(&self) -> Option<&[String]> {
        (self.proposers.len() <= MAX_NAMED_PROPOSERS).then_some(&self.proposers)
    }

    /// The folders that the rule names, or `None` if there are too many, or a call names none.
    pub(super) fn named_folders(&self) -> Option<Vec<&str>> {
        let folders: Option<Vec<_>> = self.folders.iter().map(Option::as_deref).collect();
        folders.filter(|folders| (1..=MAX_NAMED_FOLDERS).contains(&folders.len()))
    }
}
