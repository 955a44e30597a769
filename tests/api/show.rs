//! `GET /v1/threads/{thread}/tool-calls/{id}`

use crate::ASK;
use countersign_tests::{HttpAnswer, HttpWorld, over_http};
use insta::assert_snapshot;
use reqwest::Method;
use std::time::Duration;

const CALL: &str = "/v1/threads/t/tool-calls/call_1";

async fn waits(world: &HttpWorld, preference: &str) -> HttpAnswer {
    HttpAnswer::to(world.agent("builder").request(Method::GET, CALL).header("prefer", preference)).await
}

#[tokio::test]
async fn unknown_call_is_not_found() {
    over_http(ASK, async |world| {
        world.agent("builder").in_thread("t2").proposes("call_1").await;
        assert_snapshot!(world.agent("builder").get(CALL).await, @"404 unknown_call: thread t has no call call_1");
        assert_snapshot!(waits(world, "wait=30").await, @"404 unknown_call: thread t has no call call_1");
    })
    .await;
}

/// The documentation's example, which shows all fields of a call.
#[tokio::test]
async fn finished_call_shows_its_whole_history() {
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
          "argumentsHash": "[hash:ls]",
          "proposal": {"seq":2,"principal":"agent:builder","at":"2026-01-31T12:00:00.000Z"},
          "request": {
            "seq": 3,
            "requestedAt": "2026-01-31T12:00:00.000Z",
            "options": ["allow_once","allow_session","deny"],
            "reason": "no rule matches this call",
            "basis": "default",
            "quorum": 1,
            "denials": 1,
            "policy": "[hash:policy]"
          },
          "response": {
            "decision": "allow_once",
            "source": "approver",
            "principal": "user:ada",
            "at": "2026-01-31T12:00:01.000Z",
            "seq": 4,
            "comment": "fine",
            "policy": "[hash:policy]"
          },
          "execution": {
            "seq": 5,
            "executor": "worker-7",
            "principal": "agent:builder",
            "startedAt": "2026-01-31T12:00:02.000Z",
            "leaseExpiresAt": "2026-01-31T12:15:02.000Z"
          },
          "result": {
            "seq": 6,
            "status": "success",
            "content": {"files": ["a", "b"], "size": 1.50},
            "principal": "agent:builder",
            "at": "2026-01-31T12:00:03.000Z"
          },
          "outcome": "The tool succeeded."
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn waiting_caller_is_answered_by_the_decision() {
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
async fn waiting_caller_is_answered_after_the_requested_time() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        let advance_clock = async {
            loop {
                world.clock().advance(Duration::from_secs(1));
                tokio::task::yield_now().await;
            }
        };
        let answer = tokio::select! {
            answer = waits(world, "wait=30") => answer,
            () = advance_clock => unreachable!("the loop has no end"),
        };
        assert_eq!((answer.status, answer.text("state")), (200, "pending".to_owned()));
        assert_eq!(waits(world, "wait=0").await.text("state"), "pending");
    })
    .await;
}

#[tokio::test]
async fn waiting_caller_is_answered_by_the_expiry() {
    over_http("default = \"ask\"\nexpires = \"15m\"", async |world| {
        world.agent("builder").proposes("call_1").await;
        world.clock().advance(Duration::from_mins(15));
        assert_snapshot!(waits(world, "wait=30").await.fields(["state", "request.expiresAt", "request.onExpiry", "response", "result"]), @r#"
        200
        state: "denied"
        request.expiresAt: "2026-01-31T12:15:00.000Z"
        request.onExpiry: "deny"
        response: {"at":"2026-01-31T12:15:00.000Z","decision":"deny","policy":"[hash:policy]","principal":"system:expiry","seq":4,"source":"expiry"}
        result: {"at":"2026-01-31T12:15:00.000Z","content":"Nobody decided before 2026-01-31T12:15:00.000Z, so this call was not run.","principal":"system:expiry","seq":5,"status":"expired"}
        "#);
    })
    .await;
}

#[tokio::test]
async fn wait_is_capped_and_invalid_preferences_ignored() {
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
async fn waiting_caller_is_answered_when_the_server_stops() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        // The answer on a second connection shows that the server has received the request on the first.
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
async fn call_with_an_expired_lease_is_unknown() {
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
