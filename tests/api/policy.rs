//! `GET` and `PUT /v1/threads/{thread}/policy`

use crate::ASK;
use countersign_tests::api::story;
use insta::assert_snapshot;

const POLICY: &str = "/v1/threads/t1/policy";

#[tokio::test]
async fn a_policy_that_is_none_and_one_that_an_agent_sets_are_refused() {
    story(ASK, async |town| {
        let ada = town.person("ada");
        assert_snapshot!(ada.put(POLICY, r#"{"tools":{"bash":"block"}}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "there is no \"block\" here; there is allow, require-approval, deny, default at line 1 column 25",
          "line": 1,
          "column": 25
        }
        "#);
        assert_snapshot!(ada.put(POLICY, r#"{"tools":{"bash":"allow","bash":"deny"}}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "the tool bash stands twice at line 1 column 39",
          "line": 1,
          "column": 39
        }
        "#);
        assert_snapshot!(ada.put(POLICY, r#"{"tools":{"":"allow"}}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "the tool's name cannot be used: it is empty at line 1 column 12",
          "line": 1,
          "column": 12
        }
        "#);
        assert_snapshot!(town.agent("builder").put(POLICY, r#"{"tools":{"bash":"allow"}}"#).await, @r#"
        403
        {
          "title": "Forbidden",
          "status": 403,
          "code": "not_an_approver",
          "detail": "agent:builder is not a person, and only people decide"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_thread_has_policies_of_its_own_for_tools() {
    story(ASK, async |town| {
        let (ada, builder) = (town.person("ada"), town.agent("builder"));
        assert_snapshot!(ada.get(POLICY).await, @r#"
        200
        {"threadId":"t1","tools":[]}
        "#);
        assert_snapshot!(ada.put(POLICY, r#"{"tools":{"deploy":"deny","bash":"allow"}}"#).await, @r#"
        200
        {
          "threadId": "t1",
          "tools": [
            {"tool":"bash","policy":"allow","principal":"user:ada","at":"2026-01-31T12:00:00.000Z","seq":1},
            {"tool":"deploy","policy":"deny","principal":"user:ada","at":"2026-01-31T12:00:00.000Z","seq":2}
          ]
        }
        "#);
        assert_eq!(builder.proposes("t1", "a").await.text("state"), "allowed");
        assert_eq!(builder.proposes("t2", "a").await.text("state"), "pending", "another thread");
        ada.put(POLICY, r#"{"tools":{"bash":"default"}}"#).await;
        assert_eq!(builder.proposes("t1", "b").await.text("state"), "pending");
        let policy = ada.get(POLICY).await;
        assert!(policy.body.contains("deploy") && !policy.body.contains("bash"), "{policy}");
        assert_eq!(ada.get_with(POLICY, "if-none-match", policy.header("etag")).await.status, 304);
    })
    .await;
}
