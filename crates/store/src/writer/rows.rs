//! The JSON form of a batch's rows: one parameter of the insert statement, and one value of the load statement.

use countersign_approvals::PendingCounts;
use countersign_events::{
    DamagedEvent, Event, EventType, Json, PolicyChange, Principal, Sha256, ThreadId, Timestamp,
};
use serde::Serialize;

/// A loaded row: 0 if it belongs to a call or a thread, 1 if it is the log's end, and 2 if it is the active policy,
/// whose data is only its hash; then the columns of `events`. In group 3, `seq` is the thread's number of open
/// requests, and in group 4 the principal's.
type LoadedRow = (u8, i64, String, EventType, Timestamp, Principal, String, Option<Sha256>);

/// The rows that a batch needs, each group in `seq` order.
#[derive(Default)]
pub(super) struct LoadedRows {
    pub(super) events: Vec<Event>,
    /// The events at the log's end, if they were read.
    pub(super) end: Vec<Event>,
    /// The hash of the active policy and the event that set it, if it was read and the log has one.
    pub(super) policy: Option<(Sha256, PolicyChange)>,
    pub(super) pending: PendingCounts,
}

/// Reads the load statement's answer. Fails if a row is damaged.
pub(super) fn parse_rows(found: &str) -> Result<LoadedRows, DamagedEvent> {
    #[derive(serde::Deserialize)]
    struct PolicyHash {
        hash: Sha256,
    }
    let rows: Vec<LoadedRow> =
        serde_json::from_str(found).map_err(|e| DamagedEvent { seq: 0, what: e.to_string() })?;
    let mut loaded = LoadedRows::default();
    for (group, seq, thread_id, kind, timestamp, principal, data, hash) in rows {
        let damaged = |what: String| DamagedEvent { seq, what };
        let data = Json::stored(data).map_err(|e| damaged(e.to_string()))?;
        if group == 2 {
            let policy: PolicyHash = data.read().map_err(|e| damaged(e.to_string()))?;
            loaded.policy = Some((policy.hash, PolicyChange { seq, principal }));
            continue;
        }
        let count = || u32::try_from(seq).unwrap_or(u32::MAX);
        if group == 4 {
            loaded.pending.proposers.insert(principal, count());
            continue;
        }
        let thread_id = ThreadId::of_event(&thread_id).map_err(|e| damaged(e.to_string()))?;
        if group == 3 {
            loaded.pending.threads.insert(thread_id, count());
            continue;
        }
        let part = if group == 1 { &mut loaded.end } else { &mut loaded.events };
        part.push(Event { seq, thread_id, kind, timestamp, principal, data, hash });
    }
    loaded.end.sort_by_key(|event| event.seq);
    loaded.events.sort_by_key(|event| event.seq);
    Ok(loaded)
}

/// The rows of these events as JSON, one parameter of an insert statement.
pub(crate) fn rows_json<'a>(events: impl Iterator<Item = &'a Event>) -> String {
    let row = |event: &'a Event| {
        let Event { seq, thread_id, kind, timestamp, principal, data, hash } = event;
        (*seq, thread_id, *kind, *timestamp, principal, data.as_str(), *hash)
    };
    json(&events.map(row).collect::<Vec<_>>())
}

/// Serialisation cannot fail, because ids and events contain only values that JSON can express.
pub(crate) fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
