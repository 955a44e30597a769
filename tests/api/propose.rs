//! `POST /v1/threads/{thread}/tool-calls`

use crate::ASK;
use countersign_tests::api::{Answer, story};
use futures_util::StreamExt;
use insta::assert_snapshot;
use reqwest::Method;

const CALLS: &str = "/v1/threads/t1/tool-calls";

const RULES: &str = r#"
default = "ask"
expires = "15m"

[[rule]]
name = "reading is free"
tool = "read"
verdict = "allow"

[[rule]]
name = "no mail"
tool = ["mail-*", "smtp"]
verdict = "block"
reason = "mail cannot be taken back"
"#;

#[tokio::test]
async fn no_time_at_all_to_decide_is_refused() {
    story(ASK, async |town| {
        let call = r#"{"id":"call_1","name":"bash","arguments":{},"expiresInSeconds":0}"#;
        assert_snapshot!(town.agent("builder").post(CALLS, call).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "expiresInSeconds: it must be at least 1"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn another_call_under_a_taken_id_is_refused() {
    story(ASK, async |town| {
        let builder = town.agent("builder");
        builder.proposes("t1", "call_1").await;
        let other = r#"{"id":"call_1","name":"bash","arguments":{"command":"rm -rf /"}}"#;
        assert_snapshot!(builder.post(CALLS, other).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "call_differs",
          "detail": "call call_1 was proposed before with another tool or other arguments; a new call needs a new id"
        }
        "#);
        let other = r#"{"id":"call_1","name":"zsh","arguments":{"command":"ls"}}"#;
        assert_eq!(builder.post(CALLS, other).await.status, 409);
        builder.proposes("t2", "call_1").await;
    })
    .await;
}

#[tokio::test]
async fn nothing_is_proposed_in_a_closed_thread() {
    story(ASK, async |town| {
        let builder = town.agent("builder");
        builder.proposes("t1", "first").await;
        builder.post("/v1/threads/t1/close", "{}").await;
        let call = r#"{"id":"call_1","name":"bash","arguments":{}}"#;
        assert_snapshot!(builder.post(CALLS, call).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "thread_closed",
          "detail": "the thread was closed at 2026-01-31T12:00:00.000Z"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_call_that_people_are_asked_about_is_pending() {
    story(RULES, async |town| {
        let call = r#"{
            "id": "call_1", "name": "deploy", "arguments": {"to": "production", "amount": 1.50},
            "annotations": {"destructiveHint": true}, "description": "the fix is urgent", "expiresInSeconds": 60,
            "impact": {"message": "restarts the shop", "riskLevel": "high", "reversible": true,
                       "affectedResources": ["shop"], "estimatedImpact": "a minute without sales"}}"#;
        assert_snapshot!(town.agent("builder").post(CALLS, call).await, @r#"
        201
        {
          "threadId": "t1",
          "id": "call_1",
          "name": "deploy",
          "state": "pending",
          "arguments": {"to": "production", "amount": 1.50},
          "argumentsHash": "661ddb2a472589bb7771bd1230a22fdd2bbf2338cc8e8a7300b5059ee2dd092f",
          "proposal": {"seq":1,"principal":"agent:builder","at":"2026-01-31T12:00:00.000Z"},
          "annotations": {"destructiveHint": true},
          "impact": {
            "message": "restarts the shop",
            "riskLevel": "high",
            "reversible": true,
            "affectedResources": ["shop"],
            "estimatedImpact": "a minute without sales"
          },
          "description": "the fix is urgent",
          "definitionHash": "eb87dc6b037d748e5b790f51edfff0fe0561d7f8fd90f907ffe8710b2536bf05",
          "request": {
            "seq": 2,
            "requestedAt": "2026-01-31T12:00:00.000Z",
            "options": ["allow_once","allow_session","deny"],
            "reason": "`deploy` says of itself that it may destroy something",
            "basis": "tool",
            "quorum": 1,
            "denials": 1,
            "expiresAt": "2026-01-31T12:01:00.000Z",
            "onExpiry": "deny",
            "policy": "551001e15fc011535a7422f223ad2798f88edc0cddd5efc69c12b022fcfafe65"
          }
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_call_that_a_rule_allows_may_run_at_once() {
    story(RULES, async |town| {
        let call = r#"{"id":"call_1","name":"read","arguments":["a.txt"]}"#;
        assert_snapshot!(town.agent("builder").post(CALLS, call).await, @r#"
        201
        {
          "threadId": "t1",
          "id": "call_1",
          "name": "read",
          "state": "allowed",
          "arguments": ["a.txt"],
          "argumentsHash": "3169ba9e29527082ac0a22ae78e46eca5efc1f58ff2b47d42c36100b4d9252a8",
          "proposal": {"seq":1,"principal":"agent:builder","at":"2026-01-31T12:00:00.000Z"},
          "response": {
            "decision": "allow_once",
            "source": "policy",
            "principal": "policy:reading is free",
            "at": "2026-01-31T12:00:00.000Z",
            "seq": 2,
            "rule": "reading is free",
            "basis": "rule",
            "policy": "551001e15fc011535a7422f223ad2798f88edc0cddd5efc69c12b022fcfafe65"
          }
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_call_that_a_rule_blocks_has_ended_and_says_why() {
    story(RULES, async |town| {
        let call = r#"{"id":"call_1","name":"mail-send","arguments":null}"#;
        assert_snapshot!(town.agent("builder").post(CALLS, call).await, @r#"
        201
        {
          "threadId": "t1",
          "id": "call_1",
          "name": "mail-send",
          "state": "denied",
          "arguments": null,
          "argumentsHash": "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b",
          "proposal": {"seq":1,"principal":"agent:builder","at":"2026-01-31T12:00:00.000Z"},
          "response": {
            "decision": "deny",
            "source": "policy",
            "principal": "policy:no mail",
            "at": "2026-01-31T12:00:00.000Z",
            "seq": 2,
            "rule": "no mail",
            "basis": "rule",
            "comment": "mail cannot be taken back",
            "policy": "551001e15fc011535a7422f223ad2798f88edc0cddd5efc69c12b022fcfafe65"
          },
          "result": {
            "seq": 3,
            "status": "denied",
            "content": "Blocked by policy:no mail: mail cannot be taken back. This is a rule, which no approval lifts: do not retry it.",
            "principal": "policy:no mail",
            "at": "2026-01-31T12:00:00.000Z"
          }
        }
        "#);
    })
    .await;
}

/// Key order and the layout of numbers do not make another call.
#[tokio::test]
async fn the_same_call_again_tells_where_it_stands() {
    story(ASK, async |town| {
        let builder = town.agent("builder");
        let first =
            builder.post(CALLS, r#"{"id":"a","name":"pay","arguments":{"to":"ada","amount":1.0}}"#).await;
        let again =
            builder.post(CALLS, r#"{"id":"a","name":"pay","arguments":{"amount":1e0, "to":"ada"}}"#).await;
        assert_eq!(again.to_string(), first.to_string());
        town.person("ada").decides("t1", "a", "deny").await;
        let again =
            builder.post(CALLS, r#"{"id":"a","name":"pay","arguments":{"amount":1,"to":"ada"}}"#).await;
        assert_eq!(again.member("state"), r#""denied""#);
        let large = async |id, amount: &str| {
            let call = format!(r#"{{"id":"{id}","name":"pay","arguments":{amount}}}"#);
            builder.post(CALLS, &call).await.status
        };
        assert_eq!(large("b", "9007199254740993").await, 201);
        assert_eq!(large("b", "9007199254740992").await, 409, "no number is rounded");
    })
    .await;
}

#[tokio::test]
async fn whoever_prefers_to_wait_is_answered_once_the_call_is_decided() {
    story(ASK, async |town| {
        let (builder, ada) = (town.agent("builder"), town.person("ada"));
        let request = builder.request(Method::POST, CALLS).header("prefer", "respond-async, wait=\"30\"");
        let request = request.header("content-type", "application/json");
        let proposal = Answer::to(request.body(r#"{"id":"call_1","name":"bash","arguments":{}}"#));
        let decision = async {
            // The call and its request are there: it is held now, or about to be.
            let mut events = town.gate.follow(countersign_gate::Filter::default(), 0);
            for _ in 0..2 {
                events.next().await.expect("an event").expect("no failure");
            }
            ada.decides("t1", "call_1", "allow_once").await
        };
        let (answer, _) = tokio::join!(proposal, decision);
        assert_eq!((answer.status, answer.text("state")), (201, "allowed".to_owned()));
        assert_eq!(answer.header("preference-applied"), "wait=30");
    })
    .await;
}
