//! `POST /v1/threads/{thread}/tool-calls/{id}/release`, and the claim that takes over

use countersign_tests::api::{Town, story};
use insta::assert_snapshot;
use std::time::Duration;

const POLICY: &str = "[tools.lookup]\nidempotent = true";
const CALL: &str = "/v1/threads/t1/tool-calls/call_1";
const RELEASE: &str = "/v1/threads/t1/tool-calls/call_1/release";
const HASH: &str = "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db";

fn claim(executor: &str) -> String {
    format!(r#"{{"executor":"{executor}","argumentsHash":"{HASH}","leaseSeconds":60}}"#)
}

/// A call that somebody claimed a minute ago, and nobody has heard of since.
async fn lost(town: &Town) {
    town.agent("builder").proposes("t1", "call_1").await;
    town.person("ada").decides("t1", "call_1", "allow_once").await;
    assert_eq!(town.agent("builder").post(&format!("{CALL}/claim"), &claim("first")).await.status, 200);
    town.clock.advance(Duration::from_mins(1));
    assert_eq!(town.agent("builder").get(CALL).await.text("state"), "unknown");
}

#[tokio::test]
async fn only_what_is_unknown_is_released() {
    story(POLICY, async |town| {
        let ada = town.person("ada");
        assert_snapshot!(ada.post(RELEASE, "").await, @r#"
        404
        {"title":"Not Found","status":404,"code":"unknown_call","detail":"thread t1 has no call call_1"}
        "#);
        town.agent("builder").proposes("t1", "call_1").await;
        assert_snapshot!(ada.post(RELEASE, "{}").await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "not_unknown",
          "detail": "the call is pending, and only a call whose outcome is unknown can be released"
        }
        "#);
        ada.decides("t1", "call_1", "allow_once").await;
        town.agent("builder").claims("t1", "call_1", "first").await;
        assert_eq!(
            ada.post(RELEASE, "{}").await.text("code"),
            "not_unknown",
            "its executor may still be at it"
        );
    })
    .await;
}

#[tokio::test]
async fn only_people_release_and_not_what_they_proposed() {
    story(POLICY, async |town| {
        lost(town).await;
        assert_snapshot!(town.agent("builder").post(RELEASE, "{}").await, @r#"
        403
        {
          "title": "Forbidden",
          "status": 403,
          "code": "not_an_approver",
          "detail": "agent:builder is no person, and only people decide"
        }
        "#);
        assert_snapshot!(town.agent("builder").post(&format!("{CALL}/claim"), &claim("second")).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "already_claimed",
          "detail": "claimed already by first at 2026-01-31T12:00:00.000Z",
          "execution": {
            "seq": 4,
            "executor": "first",
            "principal": "agent:builder",
            "startedAt": "2026-01-31T12:00:00.000Z",
            "leaseExpiresAt": "2026-01-31T12:01:00.000Z"
          }
        }
        "#);
        town.person("bob").proposes("t2", "call_1").await;
        town.person("ada").decides("t2", "call_1", "allow_once").await;
        town.person("bob").post("/v1/threads/t2/tool-calls/call_1/claim", &claim("first")).await;
        town.clock.advance(Duration::from_mins(1));
        let own = town.person("bob").post("/v1/threads/t2/tool-calls/call_1/release", "{}").await;
        assert_eq!(own.text("code"), "self_approval");
    })
    .await;
}

#[tokio::test]
async fn what_a_person_released_is_taken_over_once() {
    story(POLICY, async |town| {
        lost(town).await;
        let (builder, ada) = (town.agent("builder"), town.person("ada"));
        let released = ada.post(RELEASE, r#"{"comment":"it never reached the server"}"#).await;
        assert_snapshot!(released, @r#"
        200
        {
          "threadId": "t1",
          "id": "call_1",
          "name": "bash",
          "state": "unknown",
          "arguments": {"command":"ls"},
          "argumentsHash": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
          "proposal": {"seq":1,"principal":"agent:builder","at":"2026-01-31T12:00:00.000Z"},
          "request": {
            "seq": 2,
            "requestedAt": "2026-01-31T12:00:00.000Z",
            "options": ["allow_once","allow_session","deny"],
            "reason": "no rule matches this call",
            "basis": "default",
            "quorum": 1,
            "denials": 1,
            "policy": "d6fcec6744d37e503453f56c7cc01770226d3991c4e5bc76145f7a0c7538f3b2"
          },
          "response": {
            "decision": "allow_once",
            "source": "approver",
            "principal": "user:ada",
            "at": "2026-01-31T12:00:00.000Z",
            "seq": 3,
            "policy": "d6fcec6744d37e503453f56c7cc01770226d3991c4e5bc76145f7a0c7538f3b2"
          },
          "execution": {
            "seq": 4,
            "executor": "first",
            "principal": "agent:builder",
            "startedAt": "2026-01-31T12:00:00.000Z",
            "leaseExpiresAt": "2026-01-31T12:01:00.000Z"
          },
          "released": {
            "seq": 5,
            "principal": "user:ada",
            "at": "2026-01-31T12:01:00.000Z",
            "claim": 4,
            "comment": "it never reached the server"
          }
        }
        "#);
        assert_eq!(ada.post(RELEASE, "{}").await.body, released.body, "once more is no harm");
        let taken = builder.post(&format!("{CALL}/claim"), &claim("second")).await;
        assert_eq!(taken.text("state"), "running");
        assert_snapshot!(taken.member("execution"), @r#"{"executor":"second","leaseExpiresAt":"2026-01-31T12:02:00.000Z","principal":"agent:builder","seq":6,"startedAt":"2026-01-31T12:01:00.000Z"}"#);
        assert_snapshot!(taken.member("lost"), @r#"[{"executor":"first","leaseExpiresAt":"2026-01-31T12:01:00.000Z","principal":"agent:builder","seq":4,"startedAt":"2026-01-31T12:00:00.000Z"}]"#);
        let events =
            ada.get("/v1/threads/t1/events?type=TOOL_EXECUTION_RELEASED,TOOL_EXECUTION_TAKEN_OVER").await;
        let events: Vec<serde_json::Value> = serde_json::from_str(&events.member("events")).expect("events");
        let told: Vec<_> = events
            .iter()
            .map(|event| format!("{} by {}: {}", event["type"], event["principal"], event["data"]))
            .collect();
        assert_snapshot!(told.join("\n"), @r#"
        "TOOL_EXECUTION_RELEASED" by "user:ada": {"claim":4,"comment":"it never reached the server","toolCallId":"call_1"}
        "TOOL_EXECUTION_TAKEN_OVER" by "agent:builder": {"argumentsHash":"4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db","claim":4,"executor":"second","leaseExpiresAt":"2026-01-31T12:02:00.000Z","toolCallId":"call_1"}
        "#);
    })
    .await;
}

#[tokio::test]
async fn after_a_takeover_the_first_executor_has_no_say() {
    story(POLICY, async |town| {
        lost(town).await;
        let (builder, ada) = (town.agent("builder"), town.person("ada"));
        assert_eq!(ada.post(RELEASE, "{}").await.status, 200);
        assert_eq!(builder.post(&format!("{CALL}/claim"), &claim("second")).await.status, 200);
        assert_snapshot!(builder.post(&format!("{CALL}/claim"), &claim("third")).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "already_claimed",
          "detail": "claimed already by second at 2026-01-31T12:01:00.000Z",
          "execution": {
            "seq": 6,
            "executor": "second",
            "principal": "agent:builder",
            "startedAt": "2026-01-31T12:01:00.000Z",
            "leaseExpiresAt": "2026-01-31T12:02:00.000Z"
          }
        }
        "#);
        let late = r#"{"status":"success","content":"late","executor":"first"}"#;
        assert_snapshot!(builder.post(&format!("{CALL}/result"), late).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "not_the_executor",
          "detail": "the call was claimed by second, which alone can report its result"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn what_does_no_harm_twice_needs_nobody() {
    story(POLICY, async |town| {
        let builder = town.agent("builder");
        builder
            .post(
                "/v1/threads/t1/tool-calls",
                r#"{"id":"call_1","name":"lookup","arguments":{"command":"ls"}}"#,
            )
            .await;
        town.person("ada").decides("t1", "call_1", "allow_once").await;
        builder.post(&format!("{CALL}/claim"), &claim("first")).await;
        assert_eq!(
            builder.post(&format!("{CALL}/claim"), &claim("second")).await.text("code"),
            "already_claimed"
        );
        town.clock.advance(Duration::from_mins(1));
        assert_eq!(builder.post(&format!("{CALL}/claim"), &claim("second")).await.text("state"), "running");
    })
    .await;
}
