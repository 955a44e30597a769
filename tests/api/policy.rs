//! `GET` and `PUT /v1/threads/{thread}/policy`

use crate::ASK;
use countersign_tests::over_http;
use insta::assert_snapshot;

const POLICY: &str = "/v1/threads/t/policy";

#[tokio::test]
async fn invalid_or_agent_thread_policy_is_refused() {
    over_http(ASK, async |world| {
        let ada = world.person("ada");
        assert_snapshot!(ada.put(POLICY, r#"{"tools":{"bash":"never"}}"#).await, @r#"
        422 invalid: unknown value "never"; use one of allow, require-approval, deny, default at line 1 column 25
        column: 25
        line: 1
        "#);
        assert_snapshot!(ada.put(POLICY, r#"{"tools":{"bash":"allow","bash":"deny"}}"#).await, @r"
        422 invalid: the tool bash is given twice at line 1 column 39
        column: 39
        line: 1
        ");
        assert_snapshot!(ada.put(POLICY, r#"{"tools":{"":"allow"}}"#).await, @r"
        422 invalid: the tool name cannot be used: it is empty at line 1 column 12
        column: 12
        line: 1
        ");
        assert_snapshot!(world.agent("builder").put(POLICY, r#"{"tools":{"bash":"allow"}}"#).await, @"403 not_permitted: the role agent may not set policies, modes and tokens");
    })
    .await;
}

#[tokio::test]
async fn thread_policy_overrides_tool_rules() {
    over_http(ASK, async |world| {
        let (ada, builder) = (world.person("ada"), world.agent("builder"));
        assert_snapshot!(ada.get(POLICY).await, @r#"
        200
        {"threadId":"t","tools":[]}
        "#);
        assert_snapshot!(ada.put(POLICY, r#"{"tools":{"bash":"allow"}}"#).await, @"404 unknown_thread: there is no thread t");
        assert_snapshot!(ada.put(POLICY, r#"{"tools":{"deploy":"block","bash":"allow"},"newThread":true}"#).await, @r#"
        200
        {
          "threadId": "t",
          "tools": [
            {"tool":"bash","policy":"allow","principal":"user:ada","at":"2026-01-31T12:00:00.000Z","seq":2},
            {"tool":"deploy","policy":"deny","principal":"user:ada","at":"2026-01-31T12:00:00.000Z","seq":3}
          ]
        }
        "#);
        assert_eq!(builder.proposes("a").await.text("state"), "allowed");
        assert_eq!(builder.in_thread("t2").proposes("a").await.text("state"), "pending", "another thread");
        ada.put(POLICY, r#"{"tools":{"bash":"default"}}"#).await;
        assert_eq!(builder.proposes("b").await.text("state"), "pending");
        let policy = ada.get(POLICY).await;
        assert!(policy.body.contains("deploy") && !policy.body.contains("bash"), "{policy}");
        assert_eq!(ada.get_with(POLICY, "if-none-match", policy.header("etag")).await.status, 304);
    })
    .await;
}
