//! The rights of each role.

use countersign_events::Role;

/// What a caller needs in order to use an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Right {
    /// Read calls, threads and events.
    Read,
    /// Read the log's policy.
    ReadPolicy,
    /// Propose, claim, renew, finish and cancel calls, and wait for them.
    Execute,
    /// Add messages to a conversation.
    Converse,
    /// Decide, stop, release, revoke grants, and preview scopes.
    Decide,
    /// Close a thread.
    Close,
    /// Add and remove keys that prove decisions: the caller's own ones, or, for an admin, those of every person.
    ManageKeys,
    /// Activate policies, set thread modes and thread policies, and manage tokens.
    Administer,
}

impl Right {
    /// All rights.
    pub const ALL: &[Self] = &[
        Self::Read,
        Self::ReadPolicy,
        Self::Execute,
        Self::Converse,
        Self::Decide,
        Self::Close,
        Self::ManageKeys,
        Self::Administer,
    ];

    /// Returns true if the role has this right. A role from a newer version has no rights.
    #[must_use]
    pub const fn belongs_to(self, role: Role) -> bool {
        match role {
            Role::Agent => matches!(self, Self::Read | Self::Execute | Self::Converse | Self::Close),
            Role::Approver => {
                matches!(
                    self,
                    Self::Read
                        | Self::ReadPolicy
                        | Self::Converse
                        | Self::Decide
                        | Self::Close
                        | Self::ManageKeys
                )
            }
            Role::Auditor => matches!(self, Self::Read | Self::ReadPolicy),
            Role::Admin => {
                matches!(
                    self,
                    Self::Read | Self::ReadPolicy | Self::Close | Self::ManageKeys | Self::Administer
                )
            }
            Role::Other => false,
        }
    }

    /// The right in a sentence: "the role auditor may not …".
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Read => "read the log",
            Self::ReadPolicy => "read the policy",
            Self::Execute => "propose and execute calls",
            Self::Converse => "add messages",
            Self::Decide => "decide",
            Self::Close => "close threads",
            Self::ManageKeys => "manage keys of approvers",
            Self::Administer => "set policies, modes and tokens",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_role_both_proposes_and_decides() {
        for role in Role::ALL {
            assert!(!(Right::Execute.belongs_to(*role) && Right::Decide.belongs_to(*role)), "{role:?}");
            assert!(!(Right::Execute.belongs_to(*role) && Right::Administer.belongs_to(*role)), "{role:?}");
        }
    }

    #[test]
    fn role_of_newer_version_has_no_rights() {
        assert!(Right::ALL.iter().all(|right| !right.belongs_to(Role::Other)));
    }
}
