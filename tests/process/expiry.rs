//! Undecided calls expire once, by one of the processes.

use crate::new_world;
use countersign_events::{Event, EventType};
use countersign_tests::{Database, HttpAnswer, ProcessWorld, in_time};
use serde_json::{Value, json};
use std::{collections::HashSet, sync::Arc};

on_each_database!(expired_calls_of_a_killed_proposer_end_once);

const CALLS: usize = 50;

async fn expired_calls_of_a_killed_proposer_end_once(world: ProcessWorld) {
    let servers = [world.serves().await, world.serves().await, world.serves().await];
    let calls = json!({"thread": "late", "count": CALLS, "expiresInSeconds": 1});
    let mut proposer = world.starts_player(&json!({"proposer": calls})).await;
    proposer.go().await;
    let mut acknowledged = 0;
    while acknowledged < 2 * CALLS {
        let report = proposer.reports().await.expect("the proposer finishes");
        acknowledged += usize::from(report.get("event").is_some());
    }
    proposer.kill().await;
    for number in 0..CALLS {
        let server = &servers[number % servers.len()];
        let request =
            server.request(reqwest::Method::GET, &format!("/v1/threads/late/tool-calls/call_{number}"));
        let (_, call) = HttpAnswer::to(request.header("prefer", "wait=100")).await.into_parts();
        assert!(call.contains(r#""state":"denied""#) && call.contains(r#""source":"expiry""#), "{call}");
    }
    let events = world.verified_log().await;
    assert_eq!(events.len(), 4 * CALLS);
    assert_eq!(ended(&events, EventType::ApprovalResponse, "source", "expiry"), CALLS);
    assert_eq!(ended(&events, EventType::ToolResult, "status", "expired"), CALLS);
}

/// Returns the number of calls with an event of this type whose `key` has this value.
fn ended(events: &[Arc<Event>], kind: EventType, key: &str, value: &str) -> usize {
    let data = events.iter().filter(|event| event.kind == kind).map(|event| {
        assert_eq!(event.principal.as_str(), "system:expiry");
        event.data.read::<Value>().expect("an object")
    });
    data.filter(|data| data[key] == value)
        .map(|data| data["toolCallId"].to_string())
        .collect::<HashSet<_>>()
        .len()
}

#[tokio::test]
async fn expired_run_exits_78_despite_a_kill() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let _server = world.serves().await;
        let words = ["--id", "deploy", "--expires", "2s", "--", "bash", "-c", "echo deployed >> ran"];
        let mut first = world.starts_run(&words).await;
        let second = world.starts_run(&words).await;
        first.kill().await;
        let ended = second.ended().await;
        assert_eq!((ended.code, world.line_count("ran")), (78, 0), "{}", ended.stderr);
        assert!(ended.stderr.contains("Nobody decided before"), "{}", ended.stderr);
        assert_eq!(world.verified_log().await.len(), 4, "the call expired once");
        assert_eq!(
            world.person("ada").in_thread("terminal").allows("deploy").await.code,
            3,
            "an expired call cannot be allowed"
        );
    })
    .await;
}
