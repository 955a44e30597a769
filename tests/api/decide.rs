//! `POST /v1/threads/{thread}/approvals/{id}`

use crate::ASK;
use countersign_tests::over_http;
use insta::assert_snapshot;
use std::time::Duration;

const DECIDE: &str = "/v1/threads/t/approvals/call_1";

#[tokio::test]
async fn decision_on_an_unknown_call_is_refused() {
    over_http(ASK, async |world| {
        assert_snapshot!(world.person("ada").post(DECIDE, r#"{"decision":"allow_once"}"#).await, @"404 unknown_call: thread t has no call call_1");
    })
    .await;
}

#[tokio::test]
async fn unknown_decision_is_refused() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        let ada = world.person("ada");
        assert_snapshot!(ada.post(DECIDE, r#"{"decision":"perhaps"}"#).await, @r#"
        422 invalid: unknown value "perhaps"; use one of allow_once, allow_session, deny at line 1 column 22
        column: 22
        line: 1
        "#);
        assert_snapshot!(ada.post(DECIDE, r#"{"decision":"other"}"#).await, @r#"
        422 invalid: unknown value "other"; use one of allow_once, allow_session, deny at line 1 column 20
        column: 20
        line: 1
        "#);
        assert_snapshot!(ada.post(DECIDE, "{}").await, @r"
        422 invalid: missing field `decision` at line 1 column 2
        column: 2
        line: 1
        ");
        assert_snapshot!(ada.post(DECIDE, r#"{"decision":"deny","because":"no"}"#).await, @"
        422 invalid: unknown field `because`, expected one of `decision`, `comment`, `arguments`, `answers`, `argumentsHash`, `scope`, `agents`, `expiresInSeconds`, `uses`, `level`, `andWaiting`, `proof`, `channel`, `onBehalfOf` at line 1 column 28
        column: 28
        line: 1
        ");
    })
    .await;
}

#[tokio::test]
async fn decision_by_an_agent_is_refused() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        let answer = world.agent("helper").post(DECIDE, r#"{"decision":"allow_once"}"#).await;
        assert_snapshot!(answer, @"403 not_permitted: the role agent may not decide");
    })
    .await;
}

#[tokio::test]
async fn second_decision_is_refused_and_names_the_first() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        world.clock().advance(Duration::from_secs(9));
        world.person("ada").post(DECIDE, r#"{"decision":"deny","comment":"not on a Friday"}"#).await;
        world.clock().advance(Duration::from_secs(9));
        assert_snapshot!(world.person("ben").post(DECIDE, r#"{"decision":"allow_once"}"#).await, @r#"
        409 already_decided: decided already: deny by user:ada at 2026-01-31T12:00:09.000Z
        response: {"at":"2026-01-31T12:00:09.000Z","comment":"not on a Friday","decision":"deny","policy":"[hash:policy]","principal":"user:ada","seq":4,"source":"approver"}
        "#);
    })
    .await;
}

#[tokio::test]
async fn repeated_decision_returns_the_first() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        let first = world.person("ada").denies("call_1").await;
        world.clock().advance(Duration::from_secs(9));
        let again = world.person("ben").post(DECIDE, r#"{"decision":"deny","comment":"me too"}"#).await;
        assert_eq!(again.to_string(), first.to_string());
    })
    .await;
}

#[tokio::test]
async fn decision_after_the_policy_decided_is_refused() {
    over_http("default = \"block\"", async |world| {
        world.agent("builder").proposes("call_1").await;
        assert_snapshot!(world.person("ada").post(DECIDE, r#"{"decision":"allow_once"}"#).await, @r#"
        409 already_decided: decided already: deny by policy:default at 2026-01-31T12:00:00.000Z
        response: {"at":"2026-01-31T12:00:00.000Z","basis":"default","comment":"no rule matches this call","decision":"deny","policy":"[hash:policy]","principal":"policy:default","seq":3,"source":"policy"}
        "#);
    })
    .await;
}

#[tokio::test]
async fn denial_tells_the_model_who_and_why() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        let no = r#"{"decision":"deny","comment":"use the staging host\nfirst"}"#;
        assert_snapshot!(world.person("ada").post(DECIDE, no).await.fields(["state", "response", "result"]), @r#"
        200
        state: "denied"
        response: {"at":"2026-01-31T12:00:00.000Z","comment":"use the staging host\nfirst","decision":"deny","policy":"[hash:policy]","principal":"user:ada","seq":4,"source":"approver"}
        result: {"at":"2026-01-31T12:00:00.000Z","content":"Denied by user:ada: use the staging host\nfirst (do not retry this call unchanged)","principal":"user:ada","seq":5,"status":"denied"}
        "#);
    })
    .await;
}
