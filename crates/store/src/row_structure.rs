//! The structure of a single row, which the database checks only for rows without a hash.

use countersign_events::{Event, EventType};

/// Returns what none of our programs writes in a row, regardless of the rules: data that is not an object, or the wrong
/// kind of thread.
pub(crate) fn structure_fault(event: &Event) -> Option<&'static str> {
    if !event.data.as_str().trim_start().starts_with('{') {
        return Some("its data is not a JSON object");
    }
    match (event.kind, event.thread_id.is_whole_log()) {
        (kind, false) if kind.is_of_whole_log() => {
            Some("an event of this type belongs to the log as a whole, not to a thread")
        }
        (kind, true) if needs_thread(kind) => Some("an event of this type belongs to a thread"),
        _ => None,
    }
}

/// A type that only a newer version knows may be of both kinds, unless its name says that it is about a call or a thread.
fn needs_thread(kind: EventType) -> bool {
    match kind {
        EventType::Newer(newer) => {
            ["TOOL_", "CALL_", "THREAD_"].iter().any(|beginning| newer.as_str().starts_with(beginning))
        }
        known => !known.is_of_whole_log(),
    }
}
