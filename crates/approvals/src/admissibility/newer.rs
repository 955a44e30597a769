//! Events of types that only a newer version knows, and the rows that these rules therefore cannot judge.

use super::log_row::LogRow;
use countersign_events::{CallId, Event, ThreadId, event::NewerEvent};
use std::collections::{HashMap, HashSet};

/// The numbers of events that the rules of this version cannot judge. The hash chain covers them like all others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnjudgedCounts {
    /// The events of types that only a newer version knows.
    pub newer: u64,
    /// The events about the calls and threads that these concern, unless their author marked them as harmless.
    pub concerned: u64,
}

/// What the events of newer types concern.
#[derive(Debug, Default)]
pub(super) struct NewerFacts {
    pub(super) events: u64,
    pub(super) unjudged: u64,
    calls: HashMap<ThreadId, HashSet<CallId>>,
    threads: HashSet<ThreadId>,
}

impl NewerFacts {
    pub(super) fn add(&mut self, event: &Event, newer: &NewerEvent) {
        self.events += 1;
        // An event of the log as a whole concerns no call: its author excludes older versions by the layout if needed.
        if newer.is_harmless || event.thread_id == ThreadId::whole_log() {
            return;
        }
        match &newer.call {
            Some(id) => drop(self.calls.entry(event.thread_id.clone()).or_default().insert(id.clone())),
            None => drop(self.threads.insert(event.thread_id.clone())),
        }
    }

    /// True if only a newer version can judge the row.
    pub(super) fn concern(&self, row: &LogRow) -> bool {
        let LogRow { event, body } = row;
        self.threads.contains(&event.thread_id)
            || self
                .calls
                .get(&event.thread_id)
                .is_some_and(|calls| body.call_id().is_some_and(|id| calls.contains(id)))
    }
}
