//! `POST /v1/threads/{thread}/close`

use crate::ASK;
use countersign_tests::over_http;
use insta::assert_snapshot;
use std::time::Duration;

/// A proposal.
const CALL: &str = r#"{"id":"call_1","name":"bash","arguments":{}}"#;

/// A typing error in a thread's name must not close a thread that does not exist yet.
#[tokio::test]
async fn closing_an_unknown_thread_is_refused() {
    over_http(ASK, async |world| {
        assert_snapshot!(world.person("ada").post("/v1/threads/tpyo/close", "{}").await, @"404 unknown_thread: there is no thread tpyo");
        let proposed = world.agent("builder").post("/v1/threads/tpyo/tool-calls", CALL).await;
        assert_eq!(proposed.status, 201, "{proposed}");
    })
    .await;
}

#[tokio::test]
async fn close_with_unknown_fields_is_refused() {
    over_http(ASK, async |world| {
        assert_snapshot!(world.agent("builder").post("/v1/threads/t/close", r#"{"why":"done"}"#).await, @r"
        422 invalid: unknown field `why`, there are no fields at line 1 column 6
        column: 6
        line: 1
        ");
    })
    .await;
}

#[tokio::test]
async fn closing_a_thread_cancels_its_pending_calls_once() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        builder.proposes("call_1").await;
        builder.proposes("call_2").await;
        builder.in_thread("t2").proposes("call_1").await;
        assert_snapshot!(builder.post("/v1/threads/t/close", "{}").await, @r#"
        200
        {
          "threadId": "t",
          "closedAt": "2026-01-31T12:00:00.000Z",
          "principal": "agent:builder",
          "cancelled": ["call_1","call_2"]
        }
        "#);
        world.clock().advance(Duration::from_secs(9));
        assert_snapshot!(world.agent("helper").post("/v1/threads/t/close", "").await, @r#"
        200
        {"threadId":"t","closedAt":"2026-01-31T12:00:00.000Z","principal":"agent:builder","cancelled":[]}
        "#);
        let call = builder.get("/v1/threads/t/tool-calls/call_2").await;
        assert_snapshot!(call.shown("result"), @r#"{"at":"2026-01-31T12:00:00.000Z","content":"Cancelled by agent:builder: the thread was closed","principal":"agent:builder","seq":11,"status":"cancelled"}"#);
        assert_eq!(builder.get("/v1/threads/t2/tool-calls/call_1").await.text("state"), "pending");
    })
    .await;
}

#[tokio::test]
async fn running_call_in_a_closed_thread_may_finish() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        builder.proposes("call_1").await;
        world.person("ada").allows("call_1").await;
        builder.claims_as("call_1", "worker-7").await;
        builder.post("/v1/threads/t/close", "{}").await;
        assert_eq!(builder.finishes_with("call_1", "null").await.text("state"), "finished");
    })
    .await;
}
