//! `POST /v1/threads/{thread}/tool-calls/{id}/claim`

use crate::ASK;
use countersign_api::ApprovalGate;
use countersign_gate::{Options, Policy};
use countersign_tests::api::{Answer, Town, story};
use insta::assert_snapshot;

/// The hash of the arguments of every call here, `{"command":"ls"}`.
const HASH: &str = "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db";

async fn claims(town: &Town, hash: &str) -> Answer {
    let claim = format!(r#"{{"executor":"worker-7","argumentsHash":"{hash}","leaseSeconds":60}}"#);
    town.agent("builder").post("/v1/threads/t1/tool-calls/call_1/claim", &claim).await
}

#[tokio::test]
async fn a_call_that_is_not_allowed_cannot_be_claimed() {
    story(ASK, async |town| {
        assert_snapshot!(claims(town, HASH).await, @r#"
        404
        {"title":"Not Found","status":404,"code":"unknown_call","detail":"thread t1 has no call call_1"}
        "#);
        town.agent("builder").proposes("t1", "call_1").await;
        assert_snapshot!(claims(town, HASH).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "not_allowed",
          "detail": "the call is pending, and only an allowed call can be claimed"
        }
        "#);
        town.person("ada").decides("t1", "call_1", "deny").await;
        assert_snapshot!(claims(town, HASH).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "not_allowed",
          "detail": "the call is denied, and only an allowed call can be claimed"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_call_is_claimed_once_and_the_second_is_told_by_whom() {
    story(ASK, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        town.person("ada").decides("t1", "call_1", "allow_once").await;
        assert_snapshot!(claims(town, HASH).await, @r#"
        200
        {
          "threadId": "t1",
          "id": "call_1",
          "name": "bash",
          "state": "running",
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
            "at": "2026-01-31T12:00:00.000Z",
            "seq": 3,
            "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
          },
          "execution": {
            "seq": 4,
            "executor": "worker-7",
            "principal": "agent:builder",
            "startedAt": "2026-01-31T12:00:00.000Z",
            "leaseExpiresAt": "2026-01-31T12:01:00.000Z"
          }
        }
        "#);
        assert_snapshot!(claims(town, HASH).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "already_claimed",
          "detail": "claimed already by worker-7 at 2026-01-31T12:00:00.000Z",
          "execution": {
            "seq": 4,
            "executor": "worker-7",
            "principal": "agent:builder",
            "startedAt": "2026-01-31T12:00:00.000Z",
            "leaseExpiresAt": "2026-01-31T12:01:00.000Z"
          }
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn what_was_not_approved_cannot_be_claimed() {
    story(ASK, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        town.person("ada").decides("t1", "call_1", "allow_once").await;
        assert_snapshot!(claims(town, &"0".repeat(64)).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "arguments_changed",
          "detail": "the arguments hash to 0000000000000000000000000000000000000000000000000000000000000000, and 4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db was approved; run what was approved, or propose a new call"
        }
        "#);
        assert_snapshot!(claims(town, "abc").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "a SHA-256 is 64 hexadecimal digits at line 1 column 44",
          "line": 1,
          "column": 44
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn an_executor_must_have_a_name() {
    story(ASK, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        let claim = format!(r#"{{"executor":"","argumentsHash":"{HASH}"}}"#);
        let answer = town.agent("builder").post("/v1/threads/t1/tool-calls/call_1/claim", &claim).await;
        assert_snapshot!(answer, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "executor: it is empty; name the process that runs the call"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn nothing_starts_in_a_closed_thread() {
    story(ASK, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        town.person("ada").decides("t1", "call_1", "allow_once").await;
        town.agent("builder").post("/v1/threads/t1/close", "{}").await;
        assert_snapshot!(claims(town, HASH).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "thread_closed",
          "detail": "the thread was closed at 2026-01-31T12:00:00.000Z"
        }
        "#);
    })
    .await;
}

/// The server's policy has become stricter since another process allowed the call.
#[tokio::test]
async fn a_call_that_is_blocked_by_now_cannot_be_claimed() {
    let rules =
        "[[rule]]\nname = \"no shells\"\ntool = \"bash\"\nverdict = \"block\"\nreason = \"they bite\"";
    story(rules, async |town| {
        let earlier = Policy::read("default = \"allow\"").expect("valid");
        let path = town.database();
        let gate = countersign_gate::EmbeddedGate::open_with(path, Options::default(), earlier)
            .await
            .expect("opens");
        let call =
            countersign_api::ProposeRequest::new("call_1", "bash", r#"{"command":"ls"}"#).expect("valid");
        gate.propose(&countersign_api::parse_thread_id("t1").expect("valid"), &call).await.expect("allowed");
        assert_snapshot!(claims(town, HASH).await, @r#"
        409
        {"title":"Conflict","status":409,"code":"blocked","detail":"blocked by policy:no shells: they bite"}
        "#);
        gate.shut_down().await;
    })
    .await;
}
