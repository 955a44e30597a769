//! The delegations in a log: a person hands their queue to another person until a moment.

use countersign_events::{Body, DelegationEnded, DelegationSet, Event, Principal, Timestamp};
use std::{collections::BTreeMap, sync::Arc};

/// How long a delegation stays in the directory after its end, for events of processes whose clocks differ.
const KEPT_AFTER_END: std::time::Duration = std::time::Duration::from_hours(1);

/// The delegations in a log that have not ended.
#[derive(Debug, Clone, Default)]
pub struct DelegationDirectory {
    /// By the `seq` of their event. Shared, because readers keep copies of the directory.
    delegations: BTreeMap<i64, Arc<DelegationRecord>>,
}

/// A person has handed their queue to another person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DelegationRecord {
    /// The `seq` of the event, which identifies the delegation.
    pub seq: i64,
    /// The time of that event.
    pub at: Timestamp,
    /// The person who handed over.
    pub from: Principal,
    /// What the event says.
    pub set: DelegationSet,
}

impl DelegationDirectory {
    /// Applies an event, and drops the delegations that had ended by its time. Events about other things change nothing.
    pub(super) fn evolve(&mut self, event: &Event, body: &Body) {
        match body {
            Body::DelegationSet(set) => {
                self.delegations.retain(|_, known| known.set.until.after(KEPT_AFTER_END) > event.timestamp);
                let (seq, at, from) = (event.seq, event.timestamp, event.principal.clone());
                self.delegations.insert(seq, Arc::new(DelegationRecord { seq, at, from, set: set.clone() }));
            }
            Body::DelegationEnded(DelegationEnded { delegation, .. }) => {
                self.delegations.remove(delegation);
            }
            _ => {}
        }
    }

    /// The delegation with this `seq`, unless an event has ended it.
    #[must_use]
    pub fn find(&self, seq: i64) -> Option<&Arc<DelegationRecord>> {
        self.delegations.get(&seq)
    }

    /// Returns true if no delegation is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.delegations.is_empty()
    }

    /// The delegations that are active at `now`, the oldest first.
    pub fn active(&self, now: Timestamp) -> impl Iterator<Item = &Arc<DelegationRecord>> {
        self.delegations.values().filter(move |record| record.set.until > now)
    }

    /// Returns true if `from` has handed their queue to `to` at `now`.
    pub(super) fn is_delegated(&self, from: &Principal, to: &Principal, now: Timestamp) -> bool {
        self.active(now).any(|record| record.from == *from && record.set.to == *to)
    }
}
