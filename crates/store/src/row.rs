//! Rows of the table, read as events.

use countersign_approvals::{Damaged, Event, Json, Sha256, ThreadId};
use sqlx::{Row, sqlite::SqliteRow};

/// Reads `seq, thread_id, type, timestamp, principal, data, hash`, wherever in the row they begin.
pub(crate) fn event(row: &SqliteRow, from: usize) -> Result<Event, Damaged> {
    let seq: i64 = row.get(from);
    let damaged = |what: String| Damaged { seq, what };
    let text = |index: usize| row.get::<&str, _>(from + index);
    let hash = row
        .get::<Option<&str>, _>(from + 6)
        .map(|hex| Sha256::from_hex(hex).ok_or_else(|| damaged(format!("its hash {hex:?} is no SHA-256"))));
    Ok(Event {
        seq,
        thread_id: ThreadId::new(text(1))
            .map_err(|why| damaged(format!("its thread has no usable name: {why}")))?,
        kind: text(2).parse().map_err(|why| damaged(format!("{why}")))?,
        timestamp: text(3).parse().map_err(|why| damaged(format!("{why}")))?,
        principal: text(4).parse().map_err(|why| damaged(format!("{why}")))?,
        data: Json::stored(text(5).to_owned())
            .map_err(|why| damaged(format!("its data is no JSON: {why}")))?,
        hash: hash.transpose()?,
    })
}
