//! Reads rows of the table as events.

use crate::database::SqlRow;
use countersign_events::{DamagedEvent, Event, EventType, Json, Sha256, ThreadId};
use std::borrow::Cow;

/// Reads an event from the columns `seq, thread_id, type, timestamp, principal, data, hash`, which start at index
/// `from`.
pub(crate) fn read_event(row: &SqlRow, from: usize) -> Result<Event, DamagedEvent> {
    let seq = row.number(from).unwrap_or(0);
    let damaged = |what: String| DamagedEvent { seq, what };
    // SQLite stores any bytes as text, so a row from a shell with another encoding may not be UTF-8. Invalid bytes
    // become U+FFFD, as in the hash chain.
    let text = |index: usize| {
        row.bytes(from + index)
            .map(|bytes| utf8_lossy(bytes.unwrap_or_default()))
            .map_err(|e| damaged(format!("it cannot be read: {e}")))
    };
    let hash = match text(6)?.as_ref() {
        "" => None,
        hex => {
            Some(Sha256::from_hex(hex).ok_or_else(|| damaged(format!("its hash {hex:?} is not a SHA-256")))?)
        }
    };
    Ok(Event {
        seq,
        thread_id: ThreadId::of_event(&text(1)?)
            .map_err(|why| damaged(format!("its thread has no usable name: {why}")))?,
        kind: EventType::of_event(&text(2)?).map_err(|why| damaged(format!("{why}")))?,
        timestamp: text(3)?.parse().map_err(|why| damaged(format!("{why}")))?,
        principal: text(4)?.parse().map_err(|why| damaged(format!("{why}")))?,
        data: Json::stored(text(5)?.into_owned())
            .map_err(|why| damaged(format!("its data is not JSON: {why}")))?,
        hash,
    })
}

fn utf8_lossy(bytes: &[u8]) -> Cow<'_, str> {
    // Almost all rows are UTF-8, and this check is faster than the lossy conversion.
    str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}
