//! `POST /v1/threads/{thread}/tool-calls`

use crate::ASK;
use countersign_api::ApprovalGate;
use countersign_tests::{HttpAnswer, over_http};
use futures_util::StreamExt;
use insta::assert_snapshot;
use reqwest::Method;

const CALLS: &str = "/v1/threads/t/tool-calls";

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
async fn proposal_that_expires_at_once_is_refused() {
    over_http(ASK, async |world| {
        let call = r#"{"id":"call_1","name":"bash","arguments":{},"expiresInSeconds":0}"#;
        assert_snapshot!(world.agent("builder").post(CALLS, call).await, @"422 invalid: expiresInSeconds: must be at least 1");
    })
    .await;
}

#[tokio::test]
async fn confusable_keys_and_bad_places_are_refused() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        let call = r#"{"id":"call_1","name":"bash","arguments":{"command":"ls","Command":"rm -rf /"}}"#;
        assert_snapshot!(builder.post(CALLS, call).await, @r#"422 ambiguous_arguments: arguments: the keys "command" and "Command" of one object are the same key to some programs; keep one of them"#);
        for (place, expected) in [
            (r#"{"folder":""}"#, "422 invalid: place: folder must not be empty or contain control characters"),
            (r#"{"sever":"x"}"#, "422 invalid: unknown field `sever`"),
            (r#"{"server":"x","digest":"00"}"#, "422 invalid: unknown field `digest`"),
            (r#""/srv""#, "422 invalid: invalid type: string"),
        ] {
            let call = format!(r#"{{"id":"call_1","name":"bash","arguments":{{}},"place":{place}}}"#);
            let answer = builder.post(CALLS, &call).await.to_string();
            assert!(answer.starts_with(expected), "{answer}");
        }
    })
    .await;
}

#[tokio::test]
async fn different_call_under_a_used_id_is_refused() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        builder.proposes("call_1").await;
        let other = r#"{"id":"call_1","name":"bash","arguments":{"command":"rm -rf /"}}"#;
        assert_snapshot!(builder.post(CALLS, other).await, @"409 call_differs: call call_1 was proposed before with another tool or other arguments, or in another place; a new call needs a new id");
        let other = r#"{"id":"call_1","name":"zsh","arguments":{"command":"ls"}}"#;
        assert_eq!(builder.post(CALLS, other).await.status, 409);
        builder.in_thread("t2").proposes("call_1").await;
    })
    .await;
}

#[tokio::test]
async fn proposal_in_a_closed_thread_is_refused() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        builder.proposes("first").await;
        builder.post("/v1/threads/t/close", "{}").await;
        let call = r#"{"id":"call_1","name":"bash","arguments":{}}"#;
        assert_snapshot!(builder.post(CALLS, call).await, @"409 thread_closed: the thread was closed at 2026-01-31T12:00:00.000Z");
    })
    .await;
}

#[tokio::test]
async fn asked_proposal_is_pending() {
    over_http(RULES, async |world| {
        let call = r#"{
            "id": "call_1", "name": "deploy", "arguments": {"to": "production", "amount": 1.50},
            "annotations": {"destructiveHint": true}, "description": "the fix is urgent", "expiresInSeconds": 60,
            "impact": {"message": "restarts the shop", "riskLevel": "high", "reversible": true,
                       "affectedResources": ["shop"], "estimatedImpact": "a minute without sales"}}"#;
        assert_snapshot!(world.agent("builder").post(CALLS, call).await, @r#"
        201
        {
          "threadId": "t",
          "id": "call_1",
          "name": "deploy",
          "state": "pending",
          "arguments": {"to": "production", "amount": 1.50},
          "argumentsHash": "661ddb2a472589bb7771bd1230a22fdd2bbf2338cc8e8a7300b5059ee2dd092f",
          "proposal": {"seq":2,"principal":"agent:builder","at":"2026-01-31T12:00:00.000Z"},
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
            "seq": 3,
            "requestedAt": "2026-01-31T12:00:00.000Z",
            "options": ["allow_once","allow_session","deny"],
            "reason": "`deploy` declares that it may be destructive",
            "basis": "tool",
            "quorum": 1,
            "denials": 1,
            "expiresAt": "2026-01-31T12:01:00.000Z",
            "onExpiry": "deny",
            "policy": "[hash:policy]"
          }
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn proposal_allowed_by_a_rule_is_allowed() {
    over_http(RULES, async |world| {
        let call = r#"{"id":"call_1","name":"read","arguments":["a.txt"]}"#;
        assert_snapshot!(world.agent("builder").post(CALLS, call).await.fields(["state", "request", "response"]), @r#"
        201
        state: "allowed"
        request: null
        response: {"at":"2026-01-31T12:00:00.000Z","basis":"rule","decision":"allow_once","policy":"[hash:policy]","principal":"policy:reading is free","rule":"reading is free","seq":3,"source":"policy"}
        "#);
    })
    .await;
}

#[tokio::test]
async fn proposal_blocked_by_a_rule_has_ended() {
    over_http(RULES, async |world| {
        let call = r#"{"id":"call_1","name":"mail-send","arguments":null}"#;
        assert_snapshot!(world.agent("builder").post(CALLS, call).await.fields(["state", "request", "response", "result"]), @r#"
        201
        state: "denied"
        request: null
        response: {"at":"2026-01-31T12:00:00.000Z","basis":"rule","comment":"mail cannot be taken back","decision":"deny","policy":"[hash:policy]","principal":"policy:no mail","rule":"no mail","seq":3,"source":"policy"}
        result: {"at":"2026-01-31T12:00:00.000Z","content":"Blocked by policy:no mail: mail cannot be taken back. This is a rule, which no approval lifts: do not retry it.","principal":"policy:no mail","seq":4,"status":"denied"}
        "#);
    })
    .await;
}

/// Arguments with another order of keys, or other white space, are the same arguments.
#[tokio::test]
async fn repeated_proposal_returns_the_current_state() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        let first =
            builder.post(CALLS, r#"{"id":"a","name":"pay","arguments":{"to":"ada","amount":1.0}}"#).await;
        let again =
            builder.post(CALLS, r#"{"id":"a","name":"pay","arguments":{"amount":1e0, "to":"ada"}}"#).await;
        assert_eq!(again.to_string(), first.to_string());
        world.person("ada").denies("a").await;
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
async fn proposal_with_prefer_wait_returns_the_decision() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        let request = builder.request(Method::POST, CALLS).header("prefer", "respond-async, wait=\"30\"");
        let request = request.header("content-type", "application/json");
        let proposal = HttpAnswer::to(request.body(r#"{"id":"call_1","name":"bash","arguments":{}}"#));
        let decision = async {
            // After these two events the call and its request exist, and the proposal waits or will wait.
            let mut events = world.service.gate.follow(countersign_api::LogFilter::default(), 0);
            for _ in 0..2 {
                events.next().await.expect("an event").expect("no failure");
            }
            ada.allows("call_1").await
        };
        let (answer, _) = tokio::join!(proposal, decision);
        assert_eq!((answer.status, answer.text("state")), (201, "allowed".to_owned()));
        assert_eq!(answer.header("preference-applied"), "wait=30");
    })
    .await;
}
