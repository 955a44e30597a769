//! `POST /v1/threads/{thread}/tool-calls/{id}/result`

use crate::ASK;
use countersign_tests::{HttpAnswer, HttpWorld, over_http};
use insta::assert_snapshot;

async fn reports(world: &HttpWorld, report: &str) -> HttpAnswer {
    world.agent("builder").post("/v1/threads/t/tool-calls/call_1/result", report).await
}

#[tokio::test]
async fn result_of_an_unclaimed_call_is_refused() {
    over_http(ASK, async |world| {
        let success = r#"{"status":"success","content":""}"#;
        assert_snapshot!(reports(world, success).await, @"404 unknown_call: thread t has no call call_1");
        world.agent("builder").proposes("call_1").await;
        assert_snapshot!(reports(world, success).await, @"409 not_claimed: the call is pending: claim it first");
        world.person("ada").allows("call_1").await;
        assert_snapshot!(reports(world, success).await, @"409 not_claimed: the call is allowed: claim it first");
    })
    .await;
}

#[tokio::test]
async fn result_with_a_service_status_is_refused() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        assert_snapshot!(reports(world, r#"{"status":"denied","content":""}"#).await, @"422 invalid: status: an executor reports success, error or cancelled");
        assert_snapshot!(reports(world, r#"{"status":"done","content":""}"#).await, @r#"
        422 invalid: unknown value "done"; use one of success, error, denied, expired, cancelled at line 1 column 16
        column: 16
        line: 1
        "#);
        assert_snapshot!(reports(world, r#"{"status":"success"}"#).await, @r"
        422 invalid: missing field `content` at line 1 column 20
        column: 20
        line: 1
        ");
    })
    .await;
}

#[tokio::test]
async fn result_from_another_than_the_executor_is_refused() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        world.person("ada").allows("call_1").await;
        world.agent("builder").claims_as("call_1", "worker-7").await;
        let other = r#"{"status":"success","content":"","executor":"worker-8"}"#;
        assert_snapshot!(reports(world, other).await, @"409 not_the_executor: the call was claimed by worker-7, which alone can renew the lease and report the result");
    })
    .await;
}

#[tokio::test]
async fn second_result_is_refused_and_a_repeat_accepted() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        world.person("ada").allows("call_1").await;
        world.agent("builder").claims_as("call_1", "worker-7").await;
        let failed = r#"{"status":"error","content":{"exit": 1},"executor":"worker-7"}"#;
        let first = reports(world, failed).await;
        assert_snapshot!(first.shown("result"), @r#"{"at":"2026-01-31T12:00:00.000Z","content":{"exit":1},"principal":"agent:builder","seq":6,"status":"error"}"#);
        assert_eq!(reports(world, failed).await.to_string(), first.to_string());
        assert_snapshot!(reports(world, r#"{"status":"success","content":{"exit": 0}}"#).await, @r#"
        409 already_finished: it ended already: error at 2026-01-31T12:00:00.000Z
        result: {"at":"2026-01-31T12:00:00.000Z","content":{"exit":1},"principal":"agent:builder","seq":6,"status":"error"}
        "#);
    })
    .await;
}

#[tokio::test]
async fn result_of_a_denied_call_is_refused() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        world.person("ada").denies("call_1").await;
        assert_snapshot!(reports(world, r#"{"status":"success","content":"ran all the same"}"#).await, @r#"
        409 already_finished: it ended already: denied at 2026-01-31T12:00:00.000Z
        result: {"at":"2026-01-31T12:00:00.000Z","content":"Denied by user:ada, without a comment (do not retry this call unchanged)","principal":"user:ada","seq":5,"status":"denied"}
        "#);
    })
    .await;
}
