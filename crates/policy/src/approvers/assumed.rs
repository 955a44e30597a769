//! Levels and groups as a log implies them, for checking rows without the policy of their time.

use countersign_events::Principal;

/// Ranks above all named levels.
const HIGHEST: &str = "\u{10ffff}";

/// The assumption about levels and groups that the log does not record.
#[derive(Debug, Clone)]
pub struct AssumedLevels {
    /// The people who have every level and are in every group.
    pub qualified: QualifiedPeople,
    /// The level that ranks below all others, if there is one.
    pub lowest: Option<String>,
}

/// The people who have every level and are in every group.
#[derive(Debug, Clone)]
pub enum QualifiedPeople {
    /// No person has any level, and levels do not compare. Only the same level suffices.
    None,
    /// These people.
    Only(Vec<Principal>),
    /// Everyone.
    Everyone,
}

impl AssumedLevels {
    pub(super) fn is_qualified(&self, principal: &Principal) -> bool {
        match &self.qualified {
            QualifiedPeople::None => false,
            QualifiedPeople::Only(people) => people.contains(principal),
            QualifiedPeople::Everyone => true,
        }
    }

    pub(super) fn level_of(&self, principal: &Principal) -> &'static str {
        if self.is_qualified(principal) { HIGHEST } else { "" }
    }

    pub(super) fn rank(&self, level: &str) -> Option<usize> {
        match (&self.qualified, level) {
            (QualifiedPeople::None, _) | (_, "") => None,
            (_, HIGHEST) => Some(2),
            _ => Some(usize::from(self.lowest.as_deref() != Some(level))),
        }
    }
}
