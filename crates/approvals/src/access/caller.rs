//! Command callers, as the rules see them.

use countersign_events::Principal;

/// A command's caller: the principal that the log names, and the standing that its credential gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandCaller {
    /// The principal.
    pub principal: Principal,
    /// The standing from the credential, which adds to the one that the policy gives.
    pub standing: ApproverStanding,
}

/// The level and the groups that a credential gives to an approver. The default gives none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApproverStanding {
    /// The level. One that the policy does not define gives nothing.
    pub level: Option<String>,
    /// The groups, without `@`.
    pub groups: Vec<String>,
}

impl ApproverStanding {
    /// Returns true if an approver list entry, such as `@ops`, names one of the groups.
    pub(crate) fn is_in(&self, entry: &str) -> bool {
        entry.strip_prefix('@').is_some_and(|group| self.groups.iter().any(|own| own == group))
    }
}

impl From<Principal> for CommandCaller {
    fn from(principal: Principal) -> Self {
        Self { principal, standing: ApproverStanding::default() }
    }
}
