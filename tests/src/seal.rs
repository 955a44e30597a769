//! Rows with a valid link of the hash chain that no rule has judged: tests append them to see what the database
//! itself, or a verification, says about them.

use crate::SqlConnection;
use countersign_events::{Event, EventType, Json, Principal, Sha256, ThreadId, chain};
use countersign_store::{Filter, Store};

/// SHA-256 of the canonical form of `{"command":"ls"}`, the arguments of the usual call.
pub const LS: &str = "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db";

/// Appends such a row to the log, with [`LS`] for `{HASH}` in its data. Gives its `seq`, or the database's message.
pub async fn append_sealed(
    store: &Store,
    connection: &mut SqlConnection,
    thread: &str,
    (kind, principal, data): (EventType, &str, &str),
) -> Result<i64, String> {
    let log = store.events(&Filter::default(), 0, usize::MAX).await.expect("the log reads").items;
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

fn statement(event: &Event) -> String {
    let Event { seq, thread_id, kind, timestamp, principal, data, hash } = event;
    let hash = hash.map(|hash| hash.to_string()).unwrap_or_default();
    let data = data.as_str().replace('\'', "''");
    format!(
        "INSERT INTO events (seq, thread_id, type, timestamp, principal, data, hash)
        VALUES ({seq}, '{thread_id}', '{kind}', '{timestamp}', '{principal}', '{data}', '{hash}')"
    )
}
