//! The threads that can be archived: closed ones that do not change any more.

use countersign_events::{
    Body, CallId, Event, EventType, ExecutionStarted, ExecutionTakenOver, ThreadId, Timestamp,
};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Finds the threads in a log that can be archived. It keeps a few numbers for each thread.
#[derive(Debug, Default)]
pub struct ArchivableThreads {
    threads: HashMap<ThreadId, ThreadCourse>,
}

#[derive(Debug)]
struct ThreadCourse {
    extent: ThreadExtent,
    is_closed: bool,
    is_archived: bool,
    /// Whether a newer version has written what may forbid to archive it.
    is_restricted: bool,
    running: HashSet<CallId>,
}

/// The thread events that go to an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadExtent {
    /// The number of events.
    pub events: u64,
    /// The last event's `seq`.
    pub through: i64,
    /// The last event's time.
    pub last_at: Timestamp,
}

/// The closed threads before a moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArchiveSelection {
    /// The threads that can be archived.
    pub threads: BTreeMap<ThreadId, ThreadExtent>,
    /// The threads with a call that may still report a result, and that call.
    pub running: BTreeMap<ThreadId, CallId>,
}

impl ArchivableThreads {
    /// Adds the next event in `seq` order.
    pub fn add(&mut self, event: &Event) {
        if event.kind.is_of_whole_log() {
            return;
        }
        let extent = ThreadExtent { events: 0, through: event.seq, last_at: event.timestamp };
        if !self.threads.contains_key(&event.thread_id) {
            let course = ThreadCourse {
                extent,
                is_closed: false,
                is_archived: false,
                is_restricted: false,
                running: HashSet::new(),
            };
            self.threads.insert(event.thread_id.clone(), course);
        }
        let Some(thread) = self.threads.get_mut(&event.thread_id) else { return };
        thread.extent = ThreadExtent { events: thread.extent.events + 1, ..extent };
        match event.kind {
            EventType::ThreadClosed => thread.is_closed = true,
            EventType::ThreadArchived => thread.is_archived = true,
            EventType::Newer(_) => {
                let body = Body::read(event.seq, event.kind, &event.data);
                thread.is_restricted |= !matches!(body, Ok(Body::Newer(newer)) if newer.is_harmless);
            }
            EventType::ExecutionStarted => {
                thread.running.extend(event.data.read().map(|start: ExecutionStarted| start.tool_call_id));
            }
            EventType::ExecutionTakenOver => {
                let call = |taken: ExecutionTakenOver| taken.started.tool_call_id;
                thread.running.extend(event.data.read().map(call));
            }
            EventType::ToolResult => {
                if let Ok(EndedCall { tool_call_id }) = event.data.read() {
                    thread.running.remove(&tool_call_id);
                }
            }
            _ => {}
        }
    }

    /// Selects the closed threads whose last event was before a moment and that are not archived yet.
    #[must_use]
    pub fn select(self, before: Timestamp, admits: impl Fn(&ThreadId) -> bool) -> ArchiveSelection {
        let mut selection = ArchiveSelection::default();
        for (thread_id, thread) in self.threads {
            let is_due = thread.is_closed && !thread.is_archived && thread.extent.last_at < before;
            if !is_due || thread.is_restricted || !admits(&thread_id) {
                continue;
            }
            match thread.running.into_iter().min() {
                Some(call) => selection.running.insert(thread_id, call).is_some(),
                None => selection.threads.insert(thread_id, thread.extent).is_some(),
            };
        }
        selection
    }
}

/// The call that a result is about. A result whose content was erased has no `content`.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct EndedCall {
    tool_call_id: CallId,
}
