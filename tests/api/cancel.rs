//! `POST /v1/threads/{thread}/tool-calls/{id}/cancel`

use crate::ASK;
use countersign_tests::{Answer, HttpWorld, over_http};
use insta::assert_snapshot;

async fn cancels(world: &HttpWorld, body: &str) -> Answer {
    world.agent("builder").post("/v1/threads/t/tool-calls/call_1/cancel", body).await
}

#[tokio::test]
async fn what_is_denied_running_or_over_cannot_be_cancelled() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        assert_snapshot!(cancels(world, "{}").await, @r#"
        404
        {"title":"Not Found","status":404,"code":"unknown_call","detail":"thread t has no call call_1"}
        "#);
        builder.proposes("call_1").await;
        ada.allows("call_1").await;
        builder.claims_as("call_1", "worker-7").await;
        assert_snapshot!(cancels(world, "{}").await, @r#"
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
            "startedAt": "2026-01-31T12:00:00.000Z"
          }
        }
        "#);
        builder.finishes_with("call_1", "\"done\"").await;
        assert_snapshot!(cancels(world, "{}").await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "already_finished",
          "detail": "it ended already: success at 2026-01-31T12:00:00.000Z",
          "result": {
            "seq": 5,
            "status": "success",
            "content": "done",
            "principal": "agent:builder",
            "at": "2026-01-31T12:00:00.000Z"
          }
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn what_is_denied_is_not_cancelled() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        world.person("ada").denies("call_1").await;
        let answer = cancels(world, "{}").await;
        assert_eq!((answer.status, answer.text("code")), (409, "already_decided".to_owned()));
    })
    .await;
}

#[tokio::test]
async fn a_call_that_is_withdrawn_says_by_whom_and_why() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        let first = cancels(world, r#"{"reason":"the user went home"}"#).await;
        assert_snapshot!(first, @r#"
        200
        {
          "threadId": "t",
          "id": "call_1",
          "name": "bash",
          "state": "cancelled",
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
            "decision": "deny",
            "source": "cancellation",
            "principal": "agent:builder",
            "at": "2026-01-31T12:00:00.000Z",
            "seq": 3,
            "comment": "the user went home",
            "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
          },
          "result": {
            "seq": 4,
            "status": "cancelled",
            "content": "Cancelled by agent:builder: the user went home",
            "principal": "agent:builder",
            "at": "2026-01-31T12:00:00.000Z"
          }
        }
        "#);
        assert_eq!(cancels(world, "").await.to_string(), first.to_string());
    })
    .await;
}

#[tokio::test]
async fn what_was_allowed_can_still_be_withdrawn() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        world.person("ada").allows("call_1").await;
        let answer = cancels(world, "{}").await;
        assert_eq!(answer.text("state"), "cancelled");
        assert_snapshot!(answer.member("result"), @r#"{"at":"2026-01-31T12:00:00.000Z","content":"Cancelled by agent:builder","principal":"agent:builder","seq":4,"status":"cancelled"}"#);
    })
    .await;
}
