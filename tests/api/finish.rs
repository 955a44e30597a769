//! `POST /v1/threads/{thread}/tool-calls/{id}/result`

use crate::ASK;
use countersign_tests::api::{Answer, Town, story};
use insta::assert_snapshot;

async fn reports(town: &Town, report: &str) -> Answer {
    town.agent("builder").post("/v1/threads/t1/tool-calls/call_1/result", report).await
}

#[tokio::test]
async fn what_nobody_claimed_has_no_result() {
    story(ASK, async |town| {
        let success = r#"{"status":"success","content":""}"#;
        assert_snapshot!(reports(town, success).await, @r#"
        404
        {"title":"Not Found","status":404,"code":"unknown_call","detail":"thread t1 has no call call_1"}
        "#);
        town.agent("builder").proposes("t1", "call_1").await;
        assert_snapshot!(reports(town, success).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "not_claimed",
          "detail": "the call is pending: claim it before you report what came of it"
        }
        "#);
        town.person("ada").decides("t1", "call_1", "allow_once").await;
        assert_snapshot!(reports(town, success).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "not_claimed",
          "detail": "the call is allowed: claim it before you report what came of it"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn an_executor_reports_only_what_an_executor_can_know() {
    story(ASK, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        assert_snapshot!(reports(town, r#"{"status":"denied","content":""}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "status: an executor reports success, error or cancelled"
        }
        "#);
        assert_snapshot!(reports(town, r#"{"status":"done","content":""}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "there is no \"done\" here; there is success, error, denied, expired, cancelled at line 1 column 16",
          "line": 1,
          "column": 16
        }
        "#);
        assert_snapshot!(reports(town, r#"{"status":"success"}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "missing field `content` at line 1 column 20",
          "line": 1,
          "column": 20
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn only_the_executor_reports() {
    story(ASK, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        town.person("ada").decides("t1", "call_1", "allow_once").await;
        town.agent("builder").claims("t1", "call_1", "worker-7").await;
        let other = r#"{"status":"success","content":"","executor":"worker-8"}"#;
        assert_snapshot!(reports(town, other).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "not_the_executor",
          "detail": "the call was claimed by worker-7, which alone can report its result"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_call_ends_once_and_the_same_result_again_is_a_success() {
    story(ASK, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        town.person("ada").decides("t1", "call_1", "allow_once").await;
        town.agent("builder").claims("t1", "call_1", "worker-7").await;
        let failed = r#"{"status":"error","content":{"exit": 1},"executor":"worker-7"}"#;
        let first = reports(town, failed).await;
        assert_snapshot!(first.member("result"), @r#"{"at":"2026-01-31T12:00:00.000Z","content":{"exit":1},"principal":"agent:builder","seq":5,"status":"error"}"#);
        assert_eq!(reports(town, failed).await.to_string(), first.to_string());
        assert_snapshot!(reports(town, r#"{"status":"success","content":{"exit": 0}}"#).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "already_finished",
          "detail": "it ended already: error at 2026-01-31T12:00:00.000Z",
          "result": {
            "seq": 5,
            "status": "error",
            "content": {"exit": 1},
            "principal": "agent:builder",
            "at": "2026-01-31T12:00:00.000Z"
          }
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn what_was_denied_has_its_result_already() {
    story(ASK, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        town.person("ada").decides("t1", "call_1", "deny").await;
        assert_snapshot!(reports(town, r#"{"status":"success","content":"ran all the same"}"#).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "already_finished",
          "detail": "it ended already: denied at 2026-01-31T12:00:00.000Z",
          "result": {
            "seq": 4,
            "status": "denied",
            "content": "Denied by user:ada, without a comment (do not retry this call unchanged)",
            "principal": "user:ada",
            "at": "2026-01-31T12:00:00.000Z"
          }
        }
        "#);
    })
    .await;
}
