//! Rows with a valid hash that bypass the rules. Tests append them to check the database constraints, and
//! `verify`.

use crate::SqlConnection;
use countersign_events::{Event, EventType, Json, Principal, Sha256, ThreadId, chain};
use countersign_store::{EventFilter, Store};

/// SHA-256 of the canonical form of `{"command":"ls"}`, the default arguments of a call.
pub const LS: &str = "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db";

/// Appends a row with a valid hash to a thread, or to the whole log if `thread` is empty. `{HASH}` in its data is replaced by [`LS`]. Returns its `seq`, or the
/// error message of the database.
pub async fn append_sealed(
    store: &Store,
    connection: &mut SqlConnection,
    thread: &str,
    (kind, principal, data): (EventType, &str, &str),
) -> Result<i64, String> {
    let log = store.events(&EventFilter::default(), 0, usize::MAX).await.expect("the log reads").items;
    let link =
        log.iter().fold(Sha256::ZERO, |link, event| event.hash.unwrap_or_else(|| chain::link(link, event)));
    let mut event = Event {
        seq: log.last().map_or(1, |event| event.seq + 1),
        thread_id: ThreadId::of_event(thread).expect("valid"),
        kind,
        timestamp: store.clock().now(),
        principal: principal.parse::<Principal>().expect("valid"),
        data: Json::parse(&data.replace("{HASH}", LS)).expect("valid"),
        hash: None,
    };
    event.hash = Some(chain::link(link, &event));
    connection.run(&statement(&event)).await.map(|()| event.seq)
}

/// Returns the statement that inserts the event unchanged.
#[must_use]
pub fn statement(event: &Event) -> String {
    let Event { seq, thread_id, kind, timestamp, principal, data, hash } = event;
    let hash = hash.map(|hash| hash.to_string()).unwrap_or_default();
    let data = data.as_str().replace('\'', "''");
    format!(
        "INSERT INTO events (seq, thread_id, type, timestamp, principal, data, hash)
        VALUES ({seq}, '{thread_id}', '{kind}', '{timestamp}', '{principal}', '{data}', '{hash}')"
    )
}

/// Returns a script that inserts `number` messages with valid hashes after the event with `seq` = `tip`. `link` is
/// that event's hash, and is set to the last message's hash.
#[must_use]
pub fn messages(tip: i64, link: &mut Sha256, number: i64) -> String {
    let message = |seq: i64| {
        let mut event = Event {
            seq,
            thread_id: ThreadId::new("t").expect("valid"),
            kind: EventType::UserMessage,
            timestamp: "2026-01-31T09:00:00.000Z".parse().expect("valid"),
            principal: Principal::user("ada"),
            data: Json::parse(&format!(r#"{{"text":{seq}}}"#)).expect("valid"),
            hash: None,
        };
        *link = chain::link(*link, &event);
        event.hash = Some(*link);
        statement(&event)
    };
    let statements: Vec<_> = (tip + 1..=tip + number).map(message).collect();
    format!("BEGIN;\n{};\nCOMMIT;", statements.join(";\n"))
}
