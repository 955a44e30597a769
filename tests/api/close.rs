//! `POST /v1/threads/{thread}/close`

use crate::ASK;
use countersign_tests::api::story;
use insta::assert_snapshot;
use std::time::Duration;

/// Any call.
const CALL: &str = r#"{"id":"call_1","name":"bash","arguments":{}}"#;

/// A slip of the name must not close for ever what nobody has begun.
#[tokio::test]
async fn a_thread_that_nobody_began_cannot_be_closed() {
    story(ASK, async |town| {
        assert_snapshot!(town.person("ada").post("/v1/threads/tpyo/close", "{}").await, @r#"
        404
        {"title":"Not Found","status":404,"code":"unknown_thread","detail":"there is no thread tpyo"}
        "#);
        let begun = town.agent("builder").post("/v1/threads/tpyo/tool-calls", CALL).await;
        assert_eq!(begun.status, 201, "{begun}");
    })
    .await;
}

#[tokio::test]
async fn there_is_nothing_to_say_about_it() {
    story(ASK, async |town| {
        assert_snapshot!(town.agent("builder").post("/v1/threads/t1/close", r#"{"why":"done"}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "unknown field `why`, there are no fields at line 1 column 6",
          "line": 1,
          "column": 6
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_thread_closes_once_and_cancels_what_is_pending() {
    story(ASK, async |town| {
        let builder = town.agent("builder");
        builder.proposes("t1", "call_1").await;
        builder.proposes("t1", "call_2").await;
        builder.proposes("t2", "call_1").await;
        assert_snapshot!(builder.post("/v1/threads/t1/close", "{}").await, @r#"
        200
        {
          "threadId": "t1",
          "closedAt": "2026-01-31T12:00:00.000Z",
          "principal": "agent:builder",
          "cancelled": ["call_1","call_2"]
        }
        "#);
        town.clock.advance(Duration::from_secs(9));
        assert_snapshot!(town.agent("helper").post("/v1/threads/t1/close", "").await, @r#"
        200
        {"threadId":"t1","closedAt":"2026-01-31T12:00:00.000Z","principal":"agent:builder","cancelled":[]}
        "#);
        let call = builder.get("/v1/threads/t1/tool-calls/call_2").await;
        assert_snapshot!(call.member("result"), @r#"{"at":"2026-01-31T12:00:00.000Z","content":"Cancelled by agent:builder: the thread was closed","principal":"agent:builder","seq":10,"status":"cancelled"}"#);
        assert_eq!(builder.get("/v1/threads/t2/tool-calls/call_1").await.text("state"), "pending");
    })
    .await;
}

#[tokio::test]
async fn what_runs_in_a_closed_thread_may_still_end() {
    story(ASK, async |town| {
        let builder = town.agent("builder");
        builder.proposes("t1", "call_1").await;
        town.person("ada").decides("t1", "call_1", "allow_once").await;
        builder.claims("t1", "call_1", "worker-7").await;
        builder.post("/v1/threads/t1/close", "{}").await;
        assert_eq!(builder.finishes("t1", "call_1", "null").await.text("state"), "finished");
    })
    .await;
}
