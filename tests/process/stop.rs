//! `stop` under load: it denies all pending calls at once, or none.

use countersign_events::{Event, EventType};
use countersign_tests::{ProcessWorld, Random, Server};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

on_each_database!(stop_denies_all_pending_calls_during_new_proposals, killed_stop_denies_all_or_none);

const CALLS: usize = 300;
const THREADS: usize = 30;
/// The number of interrupted stops.
const ROUNDS: usize = 8;

async fn stop_denies_all_pending_calls_during_new_proposals(world: ProcessWorld) {
    let servers = [world.serves().await, world.serves().await];
    propose(&servers, "first", CALLS).await;
    let stopped = AtomicBool::new(false);
    let keep_proposing = async {
        let mut number = 0;
        while !stopped.load(Ordering::Relaxed) {
            servers[number % 2]
                .agent("bot")
                .in_thread(&format!("thread-{}", number % THREADS))
                .proposes_unlike_others(&format!("more_{number}"))
                .await;
            number += 1;
        }
    };
    let stop = async {
        let (status, body) =
            servers[1].post("/v1/approvals/stop", r#"{"comment": "enough"}"#).await.into_parts();
        assert_eq!(status, 200, "{body}");
        stopped.store(true, Ordering::Relaxed);
        serde_json::from_str::<Value>(&body).expect("JSON")
    };
    let (answer, ()) = tokio::join!(stop, keep_proposing);
    let listed: HashSet<_> =
        answer["denied"].as_array().expect("a list").iter().map(Value::to_string).collect();
    let denied = denied_at_once(&world.verified_log().await);
    assert_eq!(denied.len(), listed.len(), "the answers list exactly the denied calls");
    for number in 0..CALLS {
        assert!(denied.contains(&format!("first_{number}")), "first_{number} is not denied");
    }
}

async fn propose(servers: &[Server], name: &str, calls: usize) {
    let propose_one = |number: usize| async move {
        let thread = format!("thread-{}", number % THREADS);
        servers[number % servers.len()]
            .agent("bot")
            .in_thread(&thread)
            .proposes_unlike_others(&format!("{name}_{number}"))
            .await;
    };
    stream::iter(0..calls).map(propose_one).buffer_unordered(16).collect::<()>().await;
}

/// Returns the calls that people denied. The denials and their results must be successive events.
fn denied_at_once(events: &[Arc<Event>]) -> HashSet<String> {
    let events_of = |kind: EventType| events.iter().filter(move |event| event.kind == kind);
    let seqs: Vec<_> = events_of(EventType::ApprovalResponse)
        .chain(events_of(EventType::ToolResult))
        .map(|event| event.seq)
        .collect();
    let (first, last) = (seqs.iter().min().expect("some"), seqs.iter().max().expect("some"));
    assert_eq!(
        last - first + 1,
        i64::try_from(seqs.len()).expect("few"),
        "another event is between the denials"
    );
    let id = |event: &Arc<Event>| {
        let data: Value = event.data.read().expect("an object");
        assert_eq!((&data["decision"], &data["comment"]), (&json!("deny"), &json!("enough")));
        data["toolCallId"].as_str().expect("an id").to_owned()
    };
    events_of(EventType::ApprovalResponse).map(id).collect()
}

async fn killed_stop_denies_all_or_none(world: ProcessWorld) {
    let mut random = Random::seeded_from_environment(300);
    let witness = world.serves().await;
    for round in 0..ROUNDS {
        let mut server = world.serves().await;
        propose(std::slice::from_ref(&witness), &format!("round_{round}"), 2 * THREADS).await;
        let waiting = waiting(&witness).await;
        let stop = server.request(reqwest::Method::POST, "/v1/approvals/stop");
        let stop = tokio::spawn(stop.header("content-type", "application/json").body("{}").send());
        for _ in 0..random.below(4_000) {
            tokio::task::yield_now().await;
        }
        server.kill().await;
        let answered = stop.await.expect("the request task ends").is_ok_and(|answer| answer.status() == 200);
        // The killed server's transaction has ended when another process has written.
        witness.agent("bot").in_thread("after").proposes_unlike_others(&format!("after_{round}")).await;
        let left = self::waiting(&witness).await;
        assert!(left == 1 || (left == waiting + 1 && !answered), "{left} of {waiting} calls are pending");
        let (status, body) = witness.post("/v1/approvals/stop", "{}").await.into_parts();
        assert_eq!(status, 200, "{body}");
        assert_eq!(self::waiting(&witness).await, 0);
    }
    world.verified_log().await;
}

async fn waiting(server: &Server) -> usize {
    let (_, pending) = server.get("/v1/approvals/pending?limit=1000").await.into_parts();
    let pending: Value = serde_json::from_str(&pending).expect("JSON");
    pending["pending"].as_array().expect("a list").len()
}
