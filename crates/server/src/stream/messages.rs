//! The messages of events. All streams share them, so each event is serialised once, whatever the number of readers.

use axum::body::Bytes;
use countersign_api::LogCursor;
use countersign_events::Event;
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The most bytes of events and their messages in memory.
const CACHED_BYTES: usize = 16 * 1024 * 1024;

/// The approximate bytes of an entry in addition to its data and its message.
const ENTRY_BYTES: usize = 512;

/// Messages of the last events that a stream has sent.
#[derive(Default)]
pub(crate) struct EventMessages {
    cached: Mutex<CachedMessages>,
}

#[derive(Default)]
struct CachedMessages {
    by_seq: HashMap<i64, CachedMessage>,
    /// The keys, the oldest entry first.
    order: VecDeque<i64>,
    bytes: usize,
}

struct CachedMessage {
    event: Arc<Event>,
    message: Bytes,
}

impl EventMessages {
    /// Returns an event's message.
    pub(super) fn message(&self, event: &Arc<Event>) -> Bytes {
        if let Some(message) = self.cached().find(event) {
            return message;
        }
        let message = serialise(event);
        self.cached().add(event, &message);
        message
    }

    fn cached(&self) -> MutexGuard<'_, CachedMessages> {
        // No code panics while it holds this lock. If it did, events would be serialised again.
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CachedMessages {
    fn find(&self, event: &Arc<Event>) -> Option<Bytes> {
        let found = self.by_seq.get(&event.seq)?;
        // A database that has lost events may have another event at this position.
        (Arc::ptr_eq(&found.event, event) || found.event == *event).then(|| found.message.clone())
    }

    fn add(&mut self, event: &Arc<Event>, message: &Bytes) {
        let entry = CachedMessage { event: Arc::clone(event), message: message.clone() };
        self.bytes += entry.bytes();
        match self.by_seq.insert(event.seq, entry) {
            Some(replaced) => self.bytes -= replaced.bytes(),
            None => self.order.push_back(event.seq),
        }
        while self.bytes > CACHED_BYTES {
            let Some(oldest) = self.order.pop_front() else { break };
            let Some(removed) = self.by_seq.remove(&oldest) else { break };
            self.bytes -= removed.bytes();
        }
    }
}

impl CachedMessage {
    fn bytes(&self) -> usize {
        ENTRY_BYTES + self.event.data.as_str().len() + self.message.len()
    }
}

/// Creates the message for an event, with the data on one line: JSON has line breaks only between tokens, where a space
/// means the same.
fn serialise(event: &Event) -> Bytes {
    let data = serde_json::to_string(event).unwrap_or_default().replace(['\n', '\r'], " ");
    let cursor = LogCursor::of_event(event);
    Bytes::from(format!("id: {cursor}\nevent: {}\ndata: {data}\n\n", event.kind))
}

/// Joins messages into one piece of the response. A single message is not copied.
pub(super) fn join(mut messages: Vec<Bytes>) -> Bytes {
    match messages.len() {
        1 => messages.remove(0),
        _ => messages.concat().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_events::{EventType, Json, Principal, ThreadId, Timestamp};

    fn event_of_size(seq: i64, bytes: usize) -> Arc<Event> {
        Arc::new(Event {
            seq,
            thread_id: ThreadId::new("t").expect("valid"),
            kind: EventType::UserMessage,
            timestamp: Timestamp::from_millis(0),
            principal: Principal::user("ada"),
            data: Json::string(&"x".repeat(bytes)),
            hash: None,
        })
    }

    #[test]
    fn event_is_serialised_once_for_all_readers() {
        let messages = EventMessages::default();
        let first = messages.message(&event_of_size(1, 10));
        // Equal, but read from the table by another reader.
        let second = messages.message(&event_of_size(1, 10));
        assert_eq!(first.as_ptr(), second.as_ptr());
    }

    #[test]
    fn other_event_with_the_same_seq_is_serialised() {
        let messages = EventMessages::default();
        let lost = messages.message(&event_of_size(1, 10));
        let present = messages.message(&event_of_size(1, 11));
        assert_eq!(present.len(), lost.len() + 1);
    }

    #[test]
    fn cached_messages_are_bounded_by_bytes() {
        let messages = EventMessages::default();
        for seq in 1..=40 {
            messages.message(&event_of_size(seq, 1024 * 1024));
            let cached = messages.cached();
            assert!(cached.bytes <= CACHED_BYTES);
            assert_eq!(cached.bytes, cached.by_seq.values().map(CachedMessage::bytes).sum::<usize>());
            assert_eq!(cached.order.len(), cached.by_seq.len());
        }
    }
}
