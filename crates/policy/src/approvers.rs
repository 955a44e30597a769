//! The levels and groups of approvers.

mod assumed;

pub use assumed::{AssumedLevels, QualifiedPeople};

use countersign_events::Principal;
use std::collections::HashMap;

/// The levels of approvers, and the people that the policy names.
#[derive(Debug, Clone)]
pub struct ApproverDirectory {
    levels: Vec<String>,
    people: HashMap<String, PolicyPerson>,
    assumed: Option<AssumedLevels>,
}

/// The level and groups that the policy gives to one person.
#[derive(Debug, Clone)]
pub(crate) struct PolicyPerson {
    pub(crate) level: String,
    pub(crate) groups: Vec<String>,
}

impl Default for ApproverDirectory {
    fn default() -> Self {
        let levels = ["user", "admin", "super_admin"].map(str::to_owned).to_vec();
        Self { levels, people: HashMap::new(), assumed: None }
    }
}

impl ApproverDirectory {
    pub(crate) fn new(levels: Vec<String>, people: HashMap<String, PolicyPerson>) -> Self {
        Self { levels, people, assumed: None }
    }

    /// Levels and groups as a log implies them, without the policy that defined them.
    pub(crate) fn assumed(assumed: AssumedLevels) -> Self {
        Self { levels: Vec::new(), people: HashMap::new(), assumed: Some(assumed) }
    }

    /// The levels, the lowest first.
    #[must_use]
    pub fn levels(&self) -> &[String] {
        &self.levels
    }

    /// The person's level. A person whom the policy does not name has the lowest level.
    #[must_use]
    pub fn level_of(&self, principal: &Principal) -> &str {
        if let Some(assumed) = &self.assumed {
            return assumed.level_of(principal);
        }
        let named = self.people.get(principal.as_str()).map(|person| person.level.as_str());
        named.or(self.levels.first().map(String::as_str)).unwrap_or("user")
    }

    /// The level at which a person decides: the policy's, or that of their credential if it is higher.
    #[must_use]
    pub fn highest_level<'a>(&'a self, principal: &Principal, own: Option<&'a str>) -> &'a str {
        let given = self.level_of(principal);
        own.filter(|own| self.rank(own) > self.rank(given)).unwrap_or(given)
    }

    /// The position of this level, counted from the lowest, or `None` if the level does not exist.
    #[must_use]
    pub fn rank(&self, level: &str) -> Option<usize> {
        if let Some(assumed) = &self.assumed {
            return assumed.rank(level);
        }
        self.levels.iter().position(|known| known == level)
    }

    /// Returns true if an approver list entry, such as `user:ada` or `@ops`, includes the person.
    #[must_use]
    pub fn is_in(&self, principal: &Principal, entry: &str) -> bool {
        match entry.strip_prefix('@') {
            None => principal.as_str() == entry,
            Some(_) if self.assumed.is_some() => {
                self.assumed.as_ref().is_some_and(|assumed| assumed.is_qualified(principal))
            }
            Some(group) => {
                let person = self.people.get(principal.as_str());
                person.is_some_and(|person| person.groups.iter().any(|known| known == group))
            }
        }
    }

    /// Returns true if the group has at least one member.
    pub(crate) fn has_group(&self, group: &str) -> bool {
        self.people.values().any(|person| person.groups.iter().any(|known| known == group))
    }

    /// The number of different people in a list of approvers.
    pub(crate) fn count_people(&self, entries: &[String]) -> usize {
        let plain = entries.iter().filter(|entry| !entry.starts_with('@')).cloned();
        let in_groups = self.people.iter().filter(|(_, person)| {
            person
                .groups
                .iter()
                .any(|group| entries.iter().any(|entry| entry.strip_prefix('@') == Some(group)))
        });
        let mut people: Vec<String> = plain.chain(in_groups.map(|(name, _)| name.clone())).collect();
        people.sort();
        people.dedup();
        people.len()
    }
}
