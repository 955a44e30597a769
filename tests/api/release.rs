//! `POST /v1/threads/{thread}/tool-calls/{id}/release`, and the claim of another executor after it.

use countersign_tests::{HttpWorld, over_http};
use insta::assert_snapshot;
use std::time::Duration;

const POLICY: &str = "[tools.lookup]\nidempotent = true";
const CALL: &str = "/v1/threads/t/tool-calls/call_1";
const RELEASE: &str = "/v1/threads/t/tool-calls/call_1/release";
const HASH: &str = "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db";

fn claim(executor: &str) -> String {
    format!(r#"{{"executor":"{executor}","argumentsHash":"{HASH}","leaseSeconds":60}}"#)
}

/// Proposes, allows and claims a call, and advances the clock until its lease has expired.
async fn create_unknown_call(world: &HttpWorld) {
    world.agent("builder").proposes("call_1").await;
    world.person("ada").allows("call_1").await;
    assert_eq!(world.agent("builder").post(&format!("{CALL}/claim"), &claim("first")).await.status, 200);
    world.clock().advance(Duration::from_mins(1));
    assert_eq!(world.agent("builder").get(CALL).await.text("state"), "unknown");
}

#[tokio::test]
async fn release_of_a_call_not_unknown_is_refused() {
    over_http(POLICY, async |world| {
        let ada = world.person("ada");
        assert_snapshot!(ada.post(RELEASE, "").await, @"404 unknown_call: thread t has no call call_1");
        world.agent("builder").proposes("call_1").await;
        assert_snapshot!(ada.post(RELEASE, "{}").await, @"409 not_unknown: the call is pending, and only a call whose outcome is unknown can be released");
        ada.allows("call_1").await;
        world.agent("builder").claims_as("call_1", "first").await;
        assert_eq!(
            ada.post(RELEASE, "{}").await.text("code"),
            "not_unknown",
            "the executor may still run the call"
        );
    })
    .await;
}

#[tokio::test]
async fn release_by_an_agent_is_refused() {
    over_http(POLICY, async |world| {
        create_unknown_call(world).await;
        assert_snapshot!(world.agent("builder").post(RELEASE, "{}").await, @"403 not_permitted: the role agent may not decide");
        assert_snapshot!(world.agent("builder").post(&format!("{CALL}/claim"), &claim("second")).await, @r#"
        409 already_claimed: claimed already by first at 2026-01-31T12:00:00.000Z
        execution: {"executor":"first","leaseExpiresAt":"2026-01-31T12:01:00.000Z","principal":"agent:builder","seq":5,"startedAt":"2026-01-31T12:00:00.000Z"}
        "#);
    })
    .await;
}

#[tokio::test]
async fn released_call_is_taken_over_once() {
    over_http(POLICY, async |world| {
        create_unknown_call(world).await;
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        let released = ada.post(RELEASE, r#"{"comment":"it never reached the server"}"#).await;
        assert_snapshot!(released.fields(["state", "execution", "released"]), @r#"
        200
        state: "unknown"
        execution: {"executor":"first","leaseExpiresAt":"2026-01-31T12:01:00.000Z","principal":"agent:builder","seq":5,"startedAt":"2026-01-31T12:00:00.000Z"}
        released: {"at":"2026-01-31T12:01:00.000Z","claim":5,"comment":"it never reached the server","principal":"user:ada","seq":6}
        "#);
        assert_eq!(ada.post(RELEASE, "{}").await.body, released.body, "a repeated release succeeds");
        let taken_over = builder.post(&format!("{CALL}/claim"), &claim("second")).await;
        assert_eq!(taken_over.text("state"), "running");
        assert_snapshot!(taken_over.shown("execution"), @r#"{"executor":"second","leaseExpiresAt":"2026-01-31T12:02:00.000Z","principal":"agent:builder","seq":7,"startedAt":"2026-01-31T12:01:00.000Z"}"#);
        assert_snapshot!(taken_over.shown("lost"), @r#"[{"executor":"first","leaseExpiresAt":"2026-01-31T12:01:00.000Z","principal":"agent:builder","seq":5,"startedAt":"2026-01-31T12:00:00.000Z"}]"#);
        let events =
            ada.get("/v1/threads/t/events?type=TOOL_EXECUTION_RELEASED,TOOL_EXECUTION_TAKEN_OVER").await;
        let events: Vec<serde_json::Value> = serde_json::from_str(&events.member("events")).expect("events");
        let lines: Vec<_> = events
            .iter()
            .map(|event| format!("{} by {}: {}", event["type"], event["principal"], event["data"]))
            .collect();
        assert_snapshot!(lines.join("\n"), @r#"
        "TOOL_EXECUTION_RELEASED" by "user:ada": {"claim":5,"comment":"it never reached the server","toolCallId":"call_1"}
        "TOOL_EXECUTION_TAKEN_OVER" by "agent:builder": {"argumentsHash":"4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db","claim":5,"executor":"second","leaseExpiresAt":"2026-01-31T12:02:00.000Z","toolCallId":"call_1"}
        "#);
    })
    .await;
}

#[tokio::test]
async fn first_executor_is_refused_after_a_takeover() {
    over_http(POLICY, async |world| {
        create_unknown_call(world).await;
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        assert_eq!(ada.post(RELEASE, "{}").await.status, 200);
        assert_eq!(builder.post(&format!("{CALL}/claim"), &claim("second")).await.status, 200);
        assert_snapshot!(builder.post(&format!("{CALL}/claim"), &claim("third")).await, @r#"
        409 already_claimed: claimed already by second at 2026-01-31T12:01:00.000Z
        execution: {"executor":"second","leaseExpiresAt":"2026-01-31T12:02:00.000Z","principal":"agent:builder","seq":7,"startedAt":"2026-01-31T12:01:00.000Z"}
        "#);
        let late = r#"{"status":"success","content":"late","executor":"first"}"#;
        assert_snapshot!(builder.post(&format!("{CALL}/result"), late).await, @"409 not_the_executor: the call was claimed by second, which alone can renew the lease and report the result");
    })
    .await;
}

#[tokio::test]
async fn idempotent_call_is_taken_over_without_a_release() {
    over_http(POLICY, async |world| {
        let builder = world.agent("builder");
        builder
            .post(
                "/v1/threads/t/tool-calls",
                r#"{"id":"call_1","name":"lookup","arguments":{"command":"ls"}}"#,
            )
            .await;
        world.person("ada").allows("call_1").await;
        builder.post(&format!("{CALL}/claim"), &claim("first")).await;
        assert_eq!(
            builder.post(&format!("{CALL}/claim"), &claim("second")).await.text("code"),
            "already_claimed"
        );
        world.clock().advance(Duration::from_mins(1));
        assert_eq!(builder.post(&format!("{CALL}/claim"), &claim("second")).await.text("state"), "running");
    })
    .await;
}
