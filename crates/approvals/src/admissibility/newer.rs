//! Events of types that only a newer version knows, and the rows that these rules therefore cannot judge.

use super::log_row::LogRow;
use countersign_events::{Body, CallId, Event, NewerEvent, ThreadId};
use serde_json::Value;
use std::collections::{HashMap, HashSet, VecDeque};

/// The numbers of events that the rules of this version cannot judge. The hash chain covers them like all others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnjudgedCounts {
    /// The events of types that only a newer version knows.
    pub newer: u64,
    /// The events about the calls and threads that these concern, unless their author marked them as harmless, or that words of a
    /// newer version in events of known types concern.
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
        if !newer.is_harmless {
            self.note_concerned(&event.thread_id, newer.call.as_ref());
        }
        self.rows.push_back(LogRow { event, body: Body::Newer(newer) });
    }

    fn note_concerned(&mut self, thread_id: &ThreadId, call: Option<&CallId>) {
        // A log-wide event concerns no call: its author excludes older versions by the layout if needed.
        if *thread_id == ThreadId::whole_log() {
            return;
        }
        match call {
            Some(id) => {
                self.calls.entry(thread_id.clone()).or_default().insert(id.clone());
            }
            None => {
                self.threads.insert(thread_id.clone());
            }
        }
    }

    /// Returns true if a row that the rules would not have written has a word of a newer version. The row then concerns what
    /// an event of a newer type would: its call, or all calls of its thread.
    pub(super) fn note_words(&mut self, LogRow { event, body }: &LogRow) -> bool {
        let has_words = has_newer_words(event, body);
        if has_words {
            self.note_concerned(&event.thread_id, body.call_id());
        }
        has_words
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

/// Whether a row has a word that this version does not know, and that it therefore reads as another one: `other`.
fn has_newer_words(event: &Event, body: &Body) -> bool {
    let read = body.data().ok().and_then(|data| data.read::<Value>().ok());
    let written = event.data.read::<Value>().ok();
    read.zip(written).is_some_and(|(read, written)| differs_in_words(&read, &written))
}

fn differs_in_words(read: &Value, written: &Value) -> bool {
    match (read, written) {
        (Value::String(read), Value::String(written)) => read == "other" && written != "other",
        (Value::Object(read), Value::Object(written)) => read
            .iter()
            .any(|(name, read)| written.get(name).is_some_and(|written| differs_in_words(read, written))),
        (Value::Array(read), Value::Array(written)) => {
            read.iter().zip(written).any(|(read, written)| differs_in_words(read, written))
        }
        _ => false,
    }
}
