//! Presence of the agent that proposed a call: open waits, heartbeats and repeated proposals.

use crate::ASK;
use countersign_api::{self as api, ApprovalGate, CallGate};
use countersign_gate::EmbeddedGate;
use countersign_policy::Policy;
use countersign_store::{Clock, StoreOptions};
use countersign_tests::{HttpWorld, over_http};
use insta::assert_snapshot;
use std::time::Duration;
use tokio::task::{JoinHandle, yield_now};

const CALL: &str = "/v1/threads/t/tool-calls/call_1";

/// Opens a wait for the call, and returns when the server counts it.
async fn waits(world: &HttpWorld) -> JoinHandle<()> {
    let url = format!("{}{CALL}", world.server_url());
    let request = countersign_tests::new_client().get(url).header("prefer", "wait=300");
    let request = request.header("countersign-principal", "agent:builder");
    let wait = tokio::spawn(async move {
        let _ = request.send().await;
    });
    while world.person("ada").get(CALL).await.shown("proposerLastSeenAt") == "null" {
        yield_now().await;
    }
    wait
}

/// Ends a wait, and returns when the server has noticed.
async fn leaves(world: &HttpWorld, wait: JoinHandle<()>) {
    wait.abort();
    let _ = wait.await;
    // As long as the wait is open, the agent was last seen now.
    while world.person("ada").get(CALL).await.text("proposerLastSeenAt") == world.now().to_string() {
        world.clock().advance(Duration::from_secs(1));
        yield_now().await;
    }
}

#[tokio::test]
async fn call_without_a_wait_claims_no_presence() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        world.clock().advance(Duration::from_mins(10));
        let call = world.person("ada").get(CALL).await;
        assert_snapshot!(call.fields(["state", "proposerLastSeenAt", "proposerGone"]), @r#"
        200
        state: "pending"
        proposerLastSeenAt: null
        proposerGone: null
        "#);
    })
    .await;
}

#[tokio::test]
async fn decision_after_the_agent_left_says_so() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        let wait = waits(world).await;
        world.clock().advance(Duration::from_mins(4));
        let present = world.person("ada").get(CALL).await;
        assert_eq!(present.text("proposerLastSeenAt"), world.now().to_string(), "an open wait counts as now");
        leaves(world, wait).await;
        world.clock().advance(Duration::from_mins(12));
        let gone = world.person("ada").get(CALL).await;
        assert_eq!(gone.shown("proposerGone"), "true");
        assert_ne!(gone.header("etag"), present.header("etag"), "a cached answer would hide the loss");
        let pending = world.person("ada").get("/v1/approvals/pending").await;
        assert_eq!(pending.shown("pending.0.proposerGone"), "true");
        let decided = world.person("ada").allows("call_1").await;
        assert_eq!(
            (decided.text("state"), decided.shown("proposerGone")),
            ("allowed".to_owned(), "true".to_owned())
        );
        assert_eq!(world.person("ada").get(CALL).await.shown("proposerGone"), "null", "it is decided");
    })
    .await;
}

#[tokio::test]
async fn heartbeat_and_repeated_proposal_show_the_agent() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        assert_snapshot!(builder.post(&format!("{CALL}/heartbeat"), "{}").await, @"404 unknown_call: thread t has no call call_1");
        builder.proposes("call_1").await;
        world.clock().advance(Duration::from_secs(5));
        let seen = builder.post(&format!("{CALL}/heartbeat"), "{}").await;
        assert_snapshot!(seen.text("proposerLastSeenAt"), @"2026-01-31T12:00:05.000Z");
        world.clock().advance(Duration::from_mins(1));
        assert_eq!(world.person("ada").get(CALL).await.shown("proposerGone"), "true");
        world.agent("another").proposes("call_1").await;
        assert_eq!(world.person("ada").get(CALL).await.shown("proposerGone"), "true", "another agent");
        builder.proposes("call_1").await;
        let back = world.person("ada").get(CALL).await;
        assert_snapshot!(back.text("proposerLastSeenAt"), @"2026-01-31T12:01:05.000Z");
        assert_eq!(back.shown("proposerGone"), "null");
        let events = builder.get("/v1/threads/t/events").await;
        assert_eq!(events.member("events").matches("\"seq\"").count(), 2, "presence is not an event");
    })
    .await;
}

#[tokio::test]
async fn other_process_sees_the_waiting_agent() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        let options = StoreOptions::default();
        let other =
            EmbeddedGate::open_with(world.path(), options, Policy::ask_always()).await.expect("opens");
        let (thread, id) =
            (api::parse_thread_id("t").expect("valid"), api::parse_call_id("call_1").expect("valid"));
        let wait = waits(world).await;
        let seen = loop {
            world.clock().advance(Duration::from_secs(1));
            let call = other.call(&thread, &id).await.expect("the call");
            if let Some(seen) = call.proposer_last_seen_at {
                break seen;
            }
        };
        assert!(seen <= world.now());
        other.shut_down().await;
        wait.abort();
    })
    .await;
}

async fn asks_until_gone(world: &HttpWorld, body: &str) {
    let proposed = world.agent("builder").post("/v1/threads/t/tool-calls", body).await;
    assert_eq!(proposed.text("state"), "pending", "{proposed}");
}

/// Lets the time pass in steps, so that each look of the server happens.
async fn passes(world: &HttpWorld, minutes: u64) {
    for _ in 0..4 * minutes {
        world.clock().advance(Duration::from_secs(15));
        for _ in 0..20 {
            yield_now().await;
        }
        Clock::System.sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn call_of_gone_agent_is_withdrawn() {
    over_http(ASK, async |world| {
        let call = r#"{"id":"call_1","name":"bash","arguments":{},"withdrawWhenGone":true}"#;
        asks_until_gone(world, call).await;
        let wait = waits(world).await;
        leaves(world, wait).await;
        passes(world, 8).await;
        assert_eq!(world.person("ada").get(CALL).await.text("state"), "pending");
        passes(world, 4).await;
        let ended = world.person("ada").get(CALL).await;
        assert_eq!(ended.text("state"), "cancelled", "{ended}");
        assert_eq!(ended.text("response.principal"), "system:presence");
        assert!(ended.text("result.content").contains("Propose it again"), "{ended}");
    })
    .await;
}

#[tokio::test]
async fn call_of_durable_agent_waits_on() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        let wait = waits(world).await;
        leaves(world, wait).await;
        asks_until_gone(world, r#"{"id":"call_2","name":"bash","arguments":{},"withdrawWhenGone":true}"#)
            .await;
        passes(world, 15).await;
        let pending = world.person("ada").get("/v1/approvals/pending").await;
        assert_eq!(pending.text("pending.0.id"), "call_1", "its agent did not ask for it");
        assert_eq!(pending.text("pending.1.id"), "call_2", "nobody has waited for it");
    })
    .await;
}
