//! What the devices show, which the server that sends writes beside the log.

use countersign_events::{CallId, Sha256};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What one device shows, by thread.
pub(crate) type ShownNotices = BTreeMap<String, ShownNotice>;

/// What the devices show, by device.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PushProgress {
    pub(crate) shown: BTreeMap<String, ShownNotices>,
}

/// A notification that a device shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShownNotice {
    pub(crate) call: CallId,
    /// The `seq` of the request, or of its escalation.
    pub(crate) rank: i64,
    pub(crate) arguments_hash: Sha256,
    pub(crate) may_allow: bool,
}

impl PushProgress {
    /// Reads the state. One that this version cannot read is ignored: notifications may then be sent again.
    pub(crate) fn parse(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    pub(crate) fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Notes what a device shows for a thread; `None` for nothing.
    pub(crate) fn note(&mut self, device: &str, thread: &str, notice: Option<ShownNotice>) {
        match notice {
            Some(notice) => {
                self.shown.entry(device.to_owned()).or_default().insert(thread.to_owned(), notice);
            }
            None => {
                self.shown.get_mut(device).map(|notices| notices.remove(thread));
            }
        }
    }

    /// Forgets other devices than these.
    pub(crate) fn keep_devices(&mut self, devices: &BTreeSet<&str>) {
        self.shown.retain(|device, notices| devices.contains(device.as_str()) && !notices.is_empty());
    }
}
