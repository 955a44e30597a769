//! Rows with a valid link of the hash chain that no rule has judged: tests append them to check the database
//! itself, and the verification.

use crate::SqlConnection;
use countersign_events::{Event, EventType, Json, Principal, Sha256, ThreadId, chain};
use countersign_store::{EventFilter, Store};

/// SHA-256 of the canonical form of `{"command":"ls"}`, the arguments of the usual call.
pub const LS: &str = "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db";

/// Appends such a row to the log, with [`LS`] for `{HASH}` in its data. Returns its `seq`, or the database's message.
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
        thread_id: ThreadId::new(thread).expect("valid"),
        kind,
        timestamp: store.clock().now(),
        principal: principal.parse::<Principal>().expect("valid"),
        data: Json::parse(&data.replace("{HASH}", LS)).expect("valid"),
        hash: None,
    };
    event.hash = Some(chain::link(link, &event));
    connection.run(&statement(&event)).await.map(|()| event.seq)
}

/// The statement that inserts the event as it is.
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

/// Statements that insert `number` messages with valid hashes after the event at `tip`, whose link is `link`. The link
/// of the last message takes its place.
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
