//! `POST /v1/threads/{thread}/approvals/{id}`

use crate::ASK;
use countersign_tests::api::story;
use insta::assert_snapshot;
use std::time::Duration;

const DECIDE: &str = "/v1/threads/t1/approvals/call_1";

#[tokio::test]
async fn a_call_that_nobody_proposed_cannot_be_decided() {
    story(ASK, async |town| {
        assert_snapshot!(town.person("ada").post(DECIDE, r#"{"decision":"allow_once"}"#).await, @r#"
        404
        {"title":"Not Found","status":404,"code":"unknown_call","detail":"thread t1 has no call call_1"}
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_decision_that_is_none_is_refused() {
    story(ASK, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        let ada = town.person("ada");
        assert_snapshot!(ada.post(DECIDE, r#"{"decision":"allow"}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "there is no \"allow\" here; there is allow_once, allow_session, deny at line 1 column 20",
          "line": 1,
          "column": 20
        }
        "#);
        assert_snapshot!(ada.post(DECIDE, r#"{"decision":"other"}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "there is no \"other\" here; there is allow_once, allow_session, deny at line 1 column 20",
          "line": 1,
          "column": 20
        }
        "#);
        assert_snapshot!(ada.post(DECIDE, "{}").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "missing field `decision` at line 1 column 2",
          "line": 1,
          "column": 2
        }
        "#);
        assert_snapshot!(ada.post(DECIDE, r#"{"decision":"deny","because":"no"}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "unknown field `because`, expected one of `decision`, `comment`, `arguments`, `argumentsHash`, `match`, `level` at line 1 column 28",
          "line": 1,
          "column": 28
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn an_agent_cannot_decide() {
    story(ASK, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        let answer = town.agent("helper").post(DECIDE, r#"{"decision":"allow_once"}"#).await;
        assert_snapshot!(answer, @r#"
        403
        {
          "title": "Forbidden",
          "status": 403,
          "code": "not_an_approver",
          "detail": "agent:helper is not a person, and only people decide"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_person_cannot_decide_what_they_proposed() {
    story(ASK, async |town| {
        town.person("ada").proposes("t1", "call_1").await;
        let answer = town.person("ada").post(DECIDE, r#"{"decision":"allow_once"}"#).await;
        assert_snapshot!(answer, @r#"
        403
        {
          "title": "Forbidden",
          "status": 403,
          "code": "self_approval",
          "detail": "user:ada proposed the call and cannot decide it"
        }
        "#);
        assert_eq!(town.person("ben").decides("t1", "call_1", "allow_once").await.text("state"), "allowed");
    })
    .await;
}

#[tokio::test]
async fn the_second_decision_loses_and_is_told_who_won() {
    story(ASK, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        town.clock.advance(Duration::from_secs(9));
        town.person("ada").post(DECIDE, r#"{"decision":"deny","comment":"not on a Friday"}"#).await;
        town.clock.advance(Duration::from_secs(9));
        assert_snapshot!(town.person("ben").post(DECIDE, r#"{"decision":"allow_once"}"#).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "already_decided",
          "detail": "decided already: deny by user:ada at 2026-01-31T12:00:09.000Z",
          "response": {
            "decision": "deny",
            "source": "approver",
            "principal": "user:ada",
            "at": "2026-01-31T12:00:09.000Z",
            "seq": 3,
            "comment": "not on a Friday",
            "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
          }
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn the_same_decision_again_is_answered_with_the_first() {
    story(ASK, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        let first = town.person("ada").decides("t1", "call_1", "deny").await;
        town.clock.advance(Duration::from_secs(9));
        let again = town.person("ben").post(DECIDE, r#"{"decision":"deny","comment":"me too"}"#).await;
        assert_eq!(again.to_string(), first.to_string());
    })
    .await;
}

#[tokio::test]
async fn what_the_policy_decided_is_decided() {
    story("default = \"block\"", async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        assert_snapshot!(town.person("ada").post(DECIDE, r#"{"decision":"allow_once"}"#).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "already_decided",
          "detail": "decided already: deny by policy:default at 2026-01-31T12:00:00.000Z",
          "response": {
            "decision": "deny",
            "source": "policy",
            "principal": "policy:default",
            "at": "2026-01-31T12:00:00.000Z",
            "seq": 2,
            "basis": "default",
            "comment": "no rule matches this call",
            "policy": "9f90a518a4efe0b3dec4d63701987cc6275a3794eeef8f0a477525c5fdd25c65"
          }
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_denial_tells_the_model_who_and_why() {
    story(ASK, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        let no = r#"{"decision":"deny","comment":"use the staging host\nfirst"}"#;
        assert_snapshot!(town.person("ada").post(DECIDE, no).await, @r#"
        200
        {
          "threadId": "t1",
          "id": "call_1",
          "name": "bash",
          "state": "denied",
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
            "source": "approver",
            "principal": "user:ada",
            "at": "2026-01-31T12:00:00.000Z",
            "seq": 3,
            "comment": "use the staging host\nfirst",
            "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
          },
          "result": {
            "seq": 4,
            "status": "denied",
            "content": "Denied by user:ada: use the staging host\nfirst (do not retry this call unchanged)",
            "principal": "user:ada",
            "at": "2026-01-31T12:00:00.000Z"
          }
        }
        "#);
    })
    .await;
}
