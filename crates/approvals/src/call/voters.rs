//! The people whom a vote or a decision uses up: who made it, and the person in whose place.

use super::RecordedFact;
use countersign_events::{ApprovalVote, Principal};

/// The people whom a vote uses up: who cast it, and the person in whose place.
pub(crate) fn voters<'a>(
    by: &'a Principal,
    on_behalf_of: Option<&'a Principal>,
) -> impl Iterator<Item = &'a Principal> {
    std::iter::once(by).chain(on_behalf_of)
}

/// Returns true if one person counts in both votes.
pub(super) fn shares_voter(one: &RecordedFact<ApprovalVote>, other: &RecordedFact<ApprovalVote>) -> bool {
    voters(&other.by, other.what.on_behalf_of.as_ref()).any(|person| one.is_vote_of(person))
}

impl RecordedFact<ApprovalVote> {
    /// Returns true if the vote uses up this person: they cast it, or somebody in their place.
    #[must_use]
    pub fn is_vote_of(&self, person: &Principal) -> bool {
        voters(&self.by, self.what.on_behalf_of.as_ref()).any(|voter| voter.is_same_actor(person))
    }
}
