//! Levels and groups as a log implies them, for checking rows without the policy of their time.

use crate::Principal;

/// Stands above all named levels.
const HIGHEST: &str = "\u{10ffff}";

/// The assumption about levels and groups that the log does not record.
#[derive(Debug, Clone)]
pub(crate) struct AssumedLevels {
    /// The people who have every level and are in every group.
    pub(crate) qualified: Qualified,
    /// The level below all others, if any is.
    pub(crate) lowest: Option<String>,
}

/// The people who have every level and are in every group.
#[derive(Debug, Clone)]
pub(crate) enum Qualified {
    /// Nobody has any level, and levels do not compare. Only the same level suffices.
    Nobody,
    /// One person.
    Only(Principal),
    /// Everyone.
    Everybody,
}

impl AssumedLevels {
    pub(super) fn is_qualified(&self, principal: &Principal) -> bool {
        match &self.qualified {
            Qualified::Nobody => false,
            Qualified::Only(one) => one == principal,
            Qualified::Everybody => true,
        }
    }

    pub(super) fn level_of(&self, principal: &Principal) -> &'static str {
        if self.is_qualified(principal) { HIGHEST } else { "" }
    }

    pub(super) fn rank(&self, level: &str) -> Option<usize> {
        match (&self.qualified, level) {
            (Qualified::Nobody, _) | (_, "") => None,
            (_, HIGHEST) => Some(2),
            _ => Some(usize::from(self.lowest.as_deref() != Some(level))),
        }
    }
}
