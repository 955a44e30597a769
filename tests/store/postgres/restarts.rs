//! A server that is stopped, killed and started again while several stores write: what was acknowledged is
//! there, nothing is half there, and all of them come back by themselves.

use super::{bot, follows, hears, holds, log, on_a_server, opens};
use countersign_approvals::{Event, EventType};
use countersign_store::{Filter, Store};
use countersign_tests::{Database, code, in_town_on, postgres::Cluster};
use futures_util::future::{join, join_all};
use std::collections::BTreeMap;
use tokio::sync::watch;

/// What a caller may be told meanwhile: each says that saying the same again later is the thing to do.
const TRANSIENT: [&str; 3] = ["database_unreachable", "outcome_unknown", "database_busy"];

#[test]
fn a_server_that_is_stopped_and_started_loses_nothing() {
    on_a_server(async |server| goes_on(server, Cluster::stop).await);
}

#[test]
fn a_server_that_is_killed_and_started_loses_nothing() {
    on_a_server(async |server| goes_on(server, Cluster::kill).await);
}

async fn goes_on(server: &mut Cluster, end: fn(&mut Cluster)) {
    let stores = [opens(&server.url()).await, opens(&server.url()).await, opens(&server.url()).await];
    let mut follower = follows(&stores[2]);
    let phase = watch::Sender::new(0);
    let clients = stores.iter().enumerate().flat_map(|(n, store)| (0..3).map(move |m| (store, 3 * n + m)));
    let asking = join_all(clients.map(async |(store, client)| asks(store, client, phase.subscribe()).await));
    let rounds = async {
        for round in 0..4 {
            // Each time in the middle of the load.
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
    hears(&mut follower, 1, last).await;
    is_all_there(&log(&stores[0]).await, &acknowledged);
}

/// What is sent instead of a round when there are no more.
const OVER: u32 = 1_000;

async fn follower_is_past(store: &Store, seq: i64) {
    let mut follower = follows(store);
    while follower.next().await.is_ok_and(|event| event.seq < seq) {}
}

/// Proposes call after call until it is over. One that was not acknowledged is proposed again once the
/// server is back. The ids of all that were acknowledged.
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
            // It may have come back before this was told.
            if *phase.borrow() < OVER {
                phase.changed().await.expect("there is another round, or an end");
            }
        }
        acknowledged.push(id);
    }
    acknowledged
}

/// Each call that was acknowledged is there with its request, once; and of one that was not, all or nothing.
fn is_all_there(log: &[Event], acknowledged: &[String]) {
    let mut calls: BTreeMap<String, Vec<EventType>> = BTreeMap::new();
    for event in log {
        let data: serde_json::Value = event.data.read().expect("JSON");
        let id = data["toolCallId"].as_str().or(data["id"].as_str()).expect("it is about a call");
        calls.entry(id.to_owned()).or_default().push(event.kind);
    }
    for id in acknowledged {
        assert!(calls.contains_key(id), "{id} was acknowledged");
    }
    for (id, kinds) in calls {
        assert_eq!(kinds, [EventType::ToolCall, EventType::ApprovalRequest], "{id}");
    }
}

/// A row by hand has no hash to know the log by again.
#[test]
fn a_log_that_ends_in_a_row_by_hand_is_known_again_after_a_restart() {
    in_town_on(Database::Postgres, async |town| {
        let bot = town.agent("bot");
        assert_eq!(code(&bot.proposes("call_1").await), "done");
        let mut follower = town.store().follow(Filter::default(), 2);
        let sql = "INSERT INTO decisions VALUES ('t', 'call_1', 'allow_once', 'user:ada', NULL)";
        town.by_hand(sql).await.expect("a person may decide");
        assert_eq!(follower.next().await.expect("it is seen").seq, 3);
        town.server().restart().await;
        assert_eq!(code(&bot.proposes("call_2").await), "done");
    });
}
