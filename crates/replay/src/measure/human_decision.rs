//! Human decisions on calls that people were asked about.

use countersign_approvals::Call;
use countersign_events::{Source, principal::PrincipalKind};
use serde::Serialize;

/// A human decision on a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HumanDecision {
    /// The person allowed the call as proposed.
    Allowed,
    /// The person denied the call.
    Denied,
    /// The person allowed the call with other arguments: as proposed, it would not have run.
    Changed,
}

impl HumanDecision {
    /// The human decision on the call; `None` if people were not asked, or if no person decided.
    #[must_use]
    pub fn from_call(call: &Call) -> Option<Self> {
        let (_, response) = (call.request()?, call.response()?);
        let is_human = response.what.source == Source::Approver && response.by.kind() == PrincipalKind::User;
        is_human.then(|| {
            if !response.what.decision.allows() {
                Self::Denied
            } else if is_changed(call) {
                Self::Changed
            } else {
                Self::Allowed
            }
        })
    }
}

/// Returns true if other arguments were allowed than those that were proposed. The hash also tells it after an erasure.
fn is_changed(call: &Call) -> bool {
    let proposed = call.proposal.what.arguments_hash;
    call.response().is_some_and(|response| response.what.arguments_hash != proposed)
}
