//! All person and agent names in the log. A quorum counts names, so two spellings of one name must not become two
//! people: the first spelling stays, and another one is refused.

use countersign_events::{Principal, fold_spelling, principal::PrincipalKind};
use std::collections::BTreeMap;

/// The names of people and agents in the events about access.
#[derive(Debug, Clone, Default)]
pub struct KnownNames {
    /// The spellings, the first one first, by kind and folded name. Only an old log has several of one name.
    spellings: BTreeMap<(bool, String), Vec<Principal>>,
}

/// A person or an agent, and the folded name.
fn key_of(actor: &Principal) -> Option<(bool, String)> {
    match actor.kind() {
        PrincipalKind::User => Some((true, fold_spelling(actor.actor_name()))),
        PrincipalKind::Agent => Some((false, fold_spelling(actor.actor_name()))),
        PrincipalKind::Policy | PrincipalKind::Advisor | PrincipalKind::System => None,
    }
}

impl KnownNames {
    /// Adds a person or agent name.
    pub(super) fn add(&mut self, actor: &Principal) {
        if let Some(key) = key_of(actor) {
            let spellings = self.spellings.entry(key).or_default();
            if !spellings.contains(actor) {
                spellings.push(actor.clone());
            }
        }
    }

    /// Returns the first spelling of this name, unless the log knows no spelling of it, or this one.
    #[must_use]
    pub fn find_other_spelling(&self, actor: &Principal) -> Option<&Principal> {
        let spellings = self.spellings.get(&key_of(actor)?)?;
        if spellings.contains(actor) { None } else { spellings.first() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_spelling_stays() {
        let mut names = KnownNames::default();
        names.add(&Principal::user("ada"));
        let refused = |text: &str| names.find_other_spelling(&text.parse().expect("valid")).is_some();
        assert!(refused("user:Ada") && refused("user:\u{ff41}da"));
        assert!(!refused("user:ada") && !refused("agent:Ada") && !refused("user:adam"));
    }

    #[test]
    fn spellings_of_an_old_log_stay_usable() {
        let mut names = KnownNames::default();
        names.add(&Principal::user("ada"));
        names.add(&Principal::user("Ada"));
        assert_eq!(names.find_other_spelling(&Principal::user("Ada")), None);
        assert_eq!(names.find_other_spelling(&Principal::user("ADA")), Some(&Principal::user("ada")));
    }
}
