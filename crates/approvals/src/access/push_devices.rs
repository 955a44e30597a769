//! The devices that get people's notifications, built from the log's events.

use countersign_events::{Body, Event, Principal, PushDeviceRemoved, PushDeviceSet, Timestamp};
use std::{collections::BTreeMap, sync::Arc};

/// The devices in a log that are not removed.
#[derive(Debug, Clone, Default)]
pub struct PushDeviceDirectory {
    /// Shared, because readers keep copies of the directory.
    devices: BTreeMap<String, Arc<PushDeviceRecord>>,
}

/// A device that gets notifications.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushDeviceRecord {
    /// The `seq` of the event that set it last.
    pub seq: i64,
    /// What that event says.
    pub set: PushDeviceSet,
    /// When its person registered it.
    pub added_at: Timestamp,
    /// The `seq` at which its person registered it. Requests before it cause no notification.
    pub added_seq: i64,
    /// The person who gets the notifications.
    pub person: Principal,
}

impl PushDeviceDirectory {
    /// Applies an event. Events about other things change nothing.
    pub(super) fn evolve(&mut self, event: &Event, body: &Body) {
        match body {
            Body::PushDeviceSet(set) => {
                let known = self.devices.get(&set.id).filter(|known| known.person == event.principal);
                let (added_at, added_seq) =
                    known.map_or((event.timestamp, event.seq), |known| (known.added_at, known.added_seq));
                let person = event.principal.clone();
                let record =
                    PushDeviceRecord { seq: event.seq, set: set.clone(), added_at, added_seq, person };
                self.devices.insert(set.id.clone(), Arc::new(record));
            }
            Body::PushDeviceRemoved(PushDeviceRemoved { id, .. }) => {
                self.devices.remove(id);
            }
            _ => {}
        }
    }

    /// The device with this id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&Arc<PushDeviceRecord>> {
        self.devices.get(id)
    }

    /// All devices, in the order of their ids.
    pub fn records(&self) -> impl Iterator<Item = &Arc<PushDeviceRecord>> {
        self.devices.values()
    }
}
