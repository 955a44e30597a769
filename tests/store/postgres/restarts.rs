//! A server that is stopped, killed and restarted while several stores write: acknowledged events are kept, each batch
//! is written whole or not at all, and all stores reconnect by themselves.

use super::{assert_receives, bot, follows, holds, log, on_a_server, opens};
use countersign_events::{Event, EventType};
use countersign_store::{EventFilter, Store};
use countersign_tests::{Database, code, in_world_on, postgres::Cluster};
use futures_util::future::{join, join_all};
use std::collections::BTreeMap;
use tokio::sync::watch;

/// The codes of errors that a caller may get meanwhile. Each means: retry later.
const TRANSIENT: [&str; 3] = ["unreachable", "lost", "busy"];

#[test]
fn stopped_and_started_server_loses_nothing() {
    on_a_server(async |server| assert_stores_recover(server, Cluster::stop).await);
}

#[test]
fn killed_and_started_server_loses_nothing() {
    on_a_server(async |server| assert_stores_recover(server, Cluster::kill).await);
}

async fn assert_stores_recover(server: &mut Cluster, end: fn(&mut Cluster)) {
    let stores = [opens(&server.url()).await, opens(&server.url()).await, opens(&server.url()).await];
    let mut follower = follows(&stores[2]);
    let phase = watch::Sender::new(0);
    let clients = stores.iter().enumerate().flat_map(|(n, store)| (0..3).map(move |m| (store, 3 * n + m)));
    let asking = join_all(clients.map(async |(store, client)| asks(store, client, phase.subscribe()).await));
    let rounds = async {
        for round in 0..4 {
            // The server ends in mid-load.
            follower_is_past(&stores[0], 40 * (round + 1)).await;
            end(server);
            server.start().await;
            phase.send_modify(|phase| *phase += 1);
        }
        phase.send_modify(|phase| *phase = OVER);
    };
    let (acknowledged, ()) = join(asking, rounds).await;
    let acknowledged: Vec<_> = acknowledged.into_iter().flatten().collect();
    let last = holds(&stores[1]).await;
    assert_receives(&mut follower, 1, last).await;
    assert_complete(&log(&stores[0]).await, &acknowledged);
}

/// The phase value that ends the rounds.
const OVER: u32 = 1_000;

async fn follower_is_past(store: &Store, seq: i64) {
    let mut follower = follows(store);
    while follower.next().await.is_ok_and(|event| event.seq < seq) {}
}

/// Proposes calls until the rounds end, and repeats each call that was not acknowledged. Returns the acknowledged
/// calls' ids.
async fn asks(store: &Store, client: usize, mut phase: watch::Receiver<u32>) -> Vec<String> {
    let mut acknowledged = Vec::new();
    while *phase.borrow_and_update() < OVER {
        let id = format!("call_{client}_{}", acknowledged.len());
        loop {
            let outcome = bot(store).proposes(&id).await;
            if outcome.is_ok() {
                break;
            }
            assert!(TRANSIENT.contains(&code(&outcome)), "{outcome:?}");
            // The server may be running again before the writer reports the error.
            if *phase.borrow() < OVER {
                phase.changed().await.expect("the phase changes to another round or to the end");
            }
        }
        acknowledged.push(id);
    }
    acknowledged
}

/// Asserts that each acknowledged call is in the log, and that each call has all its events, once.
fn assert_complete(log: &[Event], acknowledged: &[String]) {
    let mut calls: BTreeMap<String, Vec<EventType>> = BTreeMap::new();
    for event in log {
        let data: serde_json::Value = event.data.read().expect("JSON");
        let id = data["toolCallId"].as_str().or(data["id"].as_str()).expect("the event names a call");
        calls.entry(id.to_owned()).or_default().push(event.kind);
    }
    for id in acknowledged {
        assert!(calls.contains_key(id), "{id} was acknowledged");
    }
    for (id, kinds) in calls {
        assert_eq!(kinds, [EventType::ToolCall, EventType::ApprovalRequest], "{id}");
    }
}

/// The last row of the log has no hash, so the store cannot recognise the log by the hash of its last row.
#[test]
fn log_ending_in_an_unsealed_row_survives_restart() {
    in_world_on(Database::Postgres, async |world| {
        let bot = world.agent("bot");
        assert_eq!(code(&bot.proposes("call_1").await), "done");
        let mut follower = world.store().follow(EventFilter::default(), 2);
        let sql = "INSERT INTO decisions VALUES ('t', 'call_1', 'allow_once', 'user:ada', NULL)";
        world.run_sql(sql).await.expect("the decision is accepted");
        assert_eq!(follower.next().await.expect("the row is visible").seq, 3);
        world.server().restart().await;
        assert_eq!(code(&bot.proposes("call_2").await), "done");
    });
}
