//! `GET` and `PUT /v1/threads/{thread}/mode`

use crate::ASK;
use countersign_tests::api::story;
use insta::assert_snapshot;

const MODE: &str = "/v1/threads/t1/mode";

#[tokio::test]
async fn a_mode_that_is_none_and_one_that_an_agent_sets_are_refused() {
    story(ASK, async |town| {
        assert_snapshot!(town.person("ada").put(MODE, r#"{"mode":"yolo"}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "there is no \"yolo\" here; there is interactive, approve_all, auto_deny at line 1 column 15",
          "line": 1,
          "column": 15
        }
        "#);
        assert_snapshot!(town.agent("builder").put(MODE, r#"{"mode":"approve_all"}"#).await, @r#"
        403
        {
          "title": "Forbidden",
          "status": 403,
          "code": "not_an_approver",
          "detail": "agent:builder is no person, and only people decide"
        }
        "#);
        assert_snapshot!(town.person("ada").post(MODE, r#"{"mode":"approve_all"}"#).await, @r#"
        405
        {
          "title": "Method Not Allowed",
          "status": 405,
          "code": "wrong_method",
          "detail": "/v1/threads/t1/mode does not support POST"
        }
        "#);
        assert_snapshot!(town.person("ada").put(MODE, r#"{"mode":"approve_all","for":"1h"}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "unknown field `for`, expected `mode` at line 1 column 27",
          "line": 1,
          "column": 27
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_thread_answers_what_is_asked_as_a_person_set_it() {
    story(ASK, async |town| {
        let ada = town.person("ada");
        assert_snapshot!(ada.get(MODE).await, @r#"
        200
        {"threadId":"t1","mode":"interactive"}
        "#);
        assert_snapshot!(ada.put(MODE, r#"{"mode":"auto_deny"}"#).await, @r#"
        200
        {"threadId":"t1","mode":"auto_deny","principal":"user:ada","at":"2026-01-31T12:00:00.000Z","seq":1}
        "#);
        let proposed = town.agent("builder").proposes("t1", "a").await;
        assert_eq!(proposed.text("state"), "denied");
        let mode = ada.get(MODE).await;
        assert_eq!(mode.text("mode"), "auto_deny");
        let again = ada.get_with(MODE, "if-none-match", mode.header("etag")).await;
        assert_eq!((again.status, again.body.as_str()), (304, ""));
        ada.put(MODE, r#"{"mode":"interactive"}"#).await;
        assert_eq!(ada.get_with(MODE, "if-none-match", mode.header("etag")).await.status, 200);
        assert_eq!(town.agent("builder").proposes("t1", "b").await.text("state"), "pending");
    })
    .await;
}
