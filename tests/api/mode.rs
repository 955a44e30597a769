//! `GET` and `PUT /v1/threads/{thread}/mode`

use crate::ASK;
use countersign_tests::over_http;
use insta::assert_snapshot;

const MODE: &str = "/v1/threads/t/mode";

#[tokio::test]
async fn unknown_mode_or_agent_mode_is_refused() {
    over_http(ASK, async |world| {
        assert_snapshot!(world.person("ada").put(MODE, r#"{"mode":"yolo"}"#).await, @r#"
        422 invalid: unknown value "yolo"; use one of interactive, approve_all, auto_deny, stopped at line 1 column 15
        column: 15
        line: 1
        "#);
        assert_snapshot!(world.agent("builder").put(MODE, r#"{"mode":"approve_all"}"#).await, @"403 not_permitted: the role agent may not set policies, modes and tokens");
        assert_snapshot!(world.person("ada").post(MODE, r#"{"mode":"approve_all"}"#).await, @"405 wrong_method: /v1/threads/t/mode does not support POST");
        assert_snapshot!(world.person("ada").put(MODE, r#"{"mode":"approve_all","for":"1h"}"#).await, @r"
        422 invalid: unknown field `for`, expected `mode` or `newThread` at line 1 column 27
        column: 27
        line: 1
        ");
    })
    .await;
}

#[tokio::test]
async fn thread_mode_answers_its_calls() {
    over_http(ASK, async |world| {
        let ada = world.person("ada");
        assert_snapshot!(ada.get(MODE).await, @r#"
        200
        {"threadId":"t","mode":"interactive"}
        "#);
        assert_snapshot!(ada.put(MODE, r#"{"mode":"auto_deny"}"#).await, @"404 unknown_thread: there is no thread t");
        assert_eq!(ada.get("/v1/threads/t").await.status, 404, "nothing was written");
        assert_snapshot!(ada.put(MODE, r#"{"mode":"auto_deny","newThread":true}"#).await, @r#"
        200
        {"threadId":"t","mode":"auto_deny","principal":"user:ada","at":"2026-01-31T12:00:00.000Z","seq":2}
        "#);
        let proposed = world.agent("builder").proposes("a").await;
        assert_eq!(proposed.text("state"), "denied");
        let mode = ada.get(MODE).await;
        assert_eq!(mode.text("mode"), "auto_deny");
        let again = ada.get_with(MODE, "if-none-match", mode.header("etag")).await;
        assert_eq!((again.status, again.body.as_str()), (304, ""));
        ada.put(MODE, r#"{"mode":"interactive"}"#).await;
        assert_eq!(ada.get_with(MODE, "if-none-match", mode.header("etag")).await.status, 200);
        assert_eq!(world.agent("builder").proposes("b").await.text("state"), "pending");
    })
    .await;
}
