//! `GET /v1/threads/{thread}/tool-calls/{id}`

use crate::ASK;
use countersign_tests::{Answer, HttpWorld, over_http};
use insta::assert_snapshot;
use reqwest::Method;
use std::time::Duration;

const CALL: &str = "/v1/threads/t/tool-calls/call_1";

async fn waits(world: &HttpWorld, preference: &str) -> Answer {
    Answer::to(world.agent("builder").request(Method::GET, CALL).header("prefer", preference)).await
}

#[tokio::test]
async fn a_call_that_nobody_proposed_is_not_found() {
    over_http(ASK, async |world| {
        world.agent("builder").in_thread("t2").proposes("call_1").await;
        assert_snapshot!(world.agent("builder").get(CALL).await, @r#"
        404
        {"title":"Not Found","status":404,"code":"unknown_call","detail":"thread t has no call call_1"}
        "#);
        assert_snapshot!(waits(world, "wait=30").await, @r#"
        404
        {"title":"Not Found","status":404,"code":"unknown_call","detail":"thread t has no call call_1"}
        "#);
    })
    .await;
}

/// The cycle as the documentation tells it.
#[tokio::test]
async fn a_call_that_ran_shows_all_that_became_of_it() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("call_1").await;
        world.clock().advance(Duration::from_secs(1));
        let fine = r#"{"decision":"allow_once","comment":"fine"}"#;
        ada.post("/v1/threads/t/approvals/call_1", fine).await;
        world.clock().advance(Duration::from_secs(1));
        builder.claims_as("call_1", "worker-7").await;
        world.clock().advance(Duration::from_secs(1));
        let finished = builder.finishes_with("call_1", r#"{"files": ["a", "b"], "size": 1.50}"#).await;
        let shown = builder.get(CALL).await;
        assert_eq!(shown.body, finished.body);
        assert_snapshot!(shown, @r#"
        200
        {
          "threadId": "t",
          "id": "call_1",
          "name": "bash",
          "state": "finished",
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
            "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
          },
          "response": {
            "decision": "allow_once",
            "source": "approver",
            "principal": "user:ada",
            "at": "2026-01-31T12:00:01.000Z",
            "seq": 3,
            "comment": "fine",
            "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
          },
          "execution": {
            "seq": 4,
            "executor": "worker-7",
            "principal": "agent:builder",
            "startedAt": "2026-01-31T12:00:02.000Z"
          },
          "result": {
            "seq": 5,
            "status": "success",
            "content": {"files": ["a", "b"], "size": 1.50},
            "principal": "agent:builder",
            "at": "2026-01-31T12:00:03.000Z"
          }
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn whoever_waits_is_answered_when_somebody_decides() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        let ada = world.person("ada");
        let (answer, _) = tokio::join!(waits(world, "wait=30"), ada.denies("call_1"));
        assert_eq!(answer.text("state"), "denied");
        assert_eq!(answer.header("preference-applied"), "wait=30");
    })
    .await;
}

#[tokio::test]
async fn whoever_waits_is_answered_when_the_span_ends() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        let turn_the_clock = async {
            loop {
                world.clock().advance(Duration::from_secs(1));
                tokio::task::yield_now().await;
            }
        };
        let answer = tokio::select! {
            answer = waits(world, "wait=30") => answer,
            () = turn_the_clock => unreachable!("it goes on for ever"),
        };
        assert_eq!((answer.status, answer.text("state")), (200, "pending".to_owned()));
        assert_eq!(waits(world, "wait=0").await.text("state"), "pending");
    })
    .await;
}

#[tokio::test]
async fn whoever_waits_is_answered_when_the_request_expires() {
    over_http("default = \"ask\"\nexpires = \"15m\"", async |world| {
        world.agent("builder").proposes("call_1").await;
        world.clock().advance(Duration::from_mins(15));
        assert_snapshot!(waits(world, "wait=30").await, @r#"
        200
        {
          "threadId": "t",
          "id": "call_1",
          "name": "bash",
          "state": "denied",
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
            "expiresAt": "2026-01-31T12:15:00.000Z",
            "onExpiry": "deny",
            "policy": "a83ae1e83a3a3a8e7e95f20ef5e97aee0a93d0e734d7cfdc77928123eafab0d0"
          },
          "response": {
            "decision": "deny",
            "source": "expiry",
            "principal": "system:expiry",
            "at": "2026-01-31T12:15:00.000Z",
            "seq": 3,
            "policy": "a83ae1e83a3a3a8e7e95f20ef5e97aee0a93d0e734d7cfdc77928123eafab0d0"
          },
          "result": {
            "seq": 4,
            "status": "expired",
            "content": "Nobody decided before 2026-01-31T12:15:00.000Z, so this call was not run.",
            "principal": "system:expiry",
            "at": "2026-01-31T12:15:00.000Z"
          }
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn nobody_is_held_for_more_than_five_minutes_or_without_need() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        world.person("ada").allows("call_1").await;
        assert_eq!(waits(world, "wait=100000").await.header("preference-applied"), "wait=300");
        for passed_over in ["wait=soon", "wait", "return=minimal", "wait=-1"] {
            assert_eq!(waits(world, passed_over).await.header("preference-applied"), "", "{passed_over}");
        }
    })
    .await;
}

#[tokio::test]
async fn whoever_waits_is_answered_when_the_server_stops() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        // By the time a second connection has its answer, the first one is held.
        let stop = async {
            world.agent("builder").in_thread("t2").proposes("call_1").await;
            world.service.stop.cancel();
        };
        let (answer, ()) = tokio::join!(waits(world, "wait=30"), stop);
        assert_eq!((answer.status, answer.text("state")), (200, "pending".to_owned()));
    })
    .await;
}

#[tokio::test]
async fn a_call_whose_lease_lapsed_is_unknown() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        builder.proposes("call_1").await;
        world.person("ada").allows("call_1").await;
        let hash = builder.get(CALL).await.member("argumentsHash");
        let claim = format!(r#"{{"executor":"worker-7","argumentsHash":{hash},"leaseSeconds":60}}"#);
        builder.post(&format!("{CALL}/claim"), &claim).await;
        world.clock().advance(Duration::from_mins(1));
        assert_eq!(builder.get(CALL).await.text("state"), "unknown");
        assert_eq!(builder.finishes_with("call_1", "\"late\"").await.text("state"), "finished");
    })
    .await;
}
