//! Rows of the table, read as events.

use crate::database::SqlRow;
use countersign_events::{DamagedEvent, Event, Json, Sha256, ThreadId};
use std::borrow::Cow;

/// Reads `seq, thread_id, type, timestamp, principal, data, hash`, wherever in the row they begin.
pub(crate) fn read_event(row: &SqlRow, from: usize) -> Result<Event, DamagedEvent> {
    let seq = row.number(from).unwrap_or(0);
    let damaged = |what: String| DamagedEvent { seq, what };
    // SQLite keeps any bytes as text, so what a shell with another encoding inserted need not be UTF-8:
    // such bytes read as U+FFFD, here as in the chain.
    let text = |index: usize| {
        row.bytes(from + index)
            .map(|bytes| utf8_lossy(bytes.unwrap_or_default()))
            .map_err(|e| damaged(format!("it cannot be read: {e}")))
    };
    let hash = match text(6)?.as_ref() {
        "" => None,
        hex => Some(Sha256::from_hex(hex).ok_or_else(|| damaged(format!("its hash {hex:?} is no SHA-256")))?),
    };
    Ok(Event {
        seq,
        thread_id: ThreadId::new(&text(1)?)
            .map_err(|why| damaged(format!("its thread has no usable name: {why}")))?,
        kind: text(2)?.parse().map_err(|why| damaged(format!("{why}")))?,
        timestamp: text(3)?.parse().map_err(|why| damaged(format!("{why}")))?,
        principal: text(4)?.parse().map_err(|why| damaged(format!("{why}")))?,
        data: Json::stored(text(5)?.into_owned())
            .map_err(|why| damaged(format!("its data is no JSON: {why}")))?,
        hash,
    })
}

fn utf8_lossy(bytes: &[u8]) -> Cow<'_, str> {
    // What is UTF-8, which is all but everything, is found out faster so.
    str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}
