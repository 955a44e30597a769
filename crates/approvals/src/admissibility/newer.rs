//! Events of types that only a newer version knows, and the rows that these rules therefore cannot judge.

use super::log_row::LogRow;
use countersign_events::{Body, CallId, Event, NewerEvent, ThreadId};
use std::collections::{HashMap, HashSet, VecDeque};

/// The numbers of events that the rules of this version cannot judge. The hash chain covers them like all others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnjudgedCounts {
    /// The events of types that only a newer version knows.
    pub newer: u64,
    /// The events about the calls and threads that these concern, unless their author marked them as harmless.
    pub concerned: u64,
}

/// The events of newer types, and what they concern.
#[derive(Debug, Default)]
pub(super) struct NewerFacts {
    pub(super) events: u64,
    pub(super) unjudged: u64,
    calls: HashMap<ThreadId, HashSet<CallId>>,
    threads: HashSet<ThreadId>,
    /// The events that are not taken yet. They are between the rows of one command, which are judged together.
    rows: VecDeque<LogRow>,
}

impl NewerFacts {
    pub(super) fn add(&mut self, event: Event, newer: NewerEvent) {
        self.events += 1;
        // A log-wide event concerns no call: its author excludes older versions by the layout if needed.
        if !newer.is_harmless && event.thread_id != ThreadId::whole_log() {
            match newer.call.clone() {
                Some(id) => {
                    self.calls.entry(event.thread_id.clone()).or_default().insert(id);
                }
                None => {
                    self.threads.insert(event.thread_id.clone());
                }
            }
        }
        self.rows.push_back(LogRow { event, body: Body::Newer(newer) });
    }

    /// Takes the next event before a position.
    pub(super) fn take_row_before(&mut self, seq: i64) -> Option<LogRow> {
        self.rows.pop_front_if(|row| row.event.seq < seq)
    }

    /// Whether only a newer version can judge the row.
    pub(super) fn concern(&self, LogRow { event, body }: &LogRow) -> bool {
        let of_thread = self.calls.get(&event.thread_id).zip(body.call_id());
        self.threads.contains(&event.thread_id) || of_thread.is_some_and(|(calls, id)| calls.contains(id))
    }
}
