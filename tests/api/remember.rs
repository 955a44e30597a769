//! What single decisions are remembered for: a denial of the same call, an approval that nobody used

use crate::ASK;
use countersign_tests::api::story;
use insta::assert_snapshot;
use std::time::Duration;

const CALLS: &str = "/v1/threads/t1/tool-calls";

#[tokio::test]
async fn a_denial_answers_the_same_call_for_five_minutes() {
    story(ASK, async |town| {
        let (builder, ada) = (town.agent("builder"), town.person("ada"));
        builder.proposes("t1", "a").await;
        ada.post("/v1/threads/t1/approvals/a", r#"{"decision":"deny","comment":"not on a Friday"}"#).await;
        town.clock.advance(Duration::from_secs(299));
        let again = builder.proposes("t1", "b").await;
        assert_snapshot!(again.member("response"), @r#"{"at":"2026-01-31T12:04:59.000Z","basis":"default","comment":"user:ada denied it at 2026-01-31T12:00:00.000Z: not on a Friday","decision":"deny","grant":3,"policy":"4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51","principal":"policy:grant","seq":6,"source":"grant"}"#);
        assert_snapshot!(again.member("result"), @r#"{"at":"2026-01-31T12:04:59.000Z","content":"Denied without asking again, because user:ada denied it at 2026-01-31T12:00:00.000Z: not on a Friday (do not retry this call unchanged)","principal":"policy:grant","seq":7,"status":"denied"}"#);
        assert_eq!(ada.get("/v1/threads/t1/grants").await.member("grants"), "[]", "it is no standing denial");
        assert_eq!(builder.proposes("t2", "b").await.text("state"), "pending", "of another thread");
        let other = r#"{"id":"c","name":"bash","arguments":{"command":"ls -l"}}"#;
        assert_eq!(builder.post(CALLS, other).await.text("state"), "pending", "of other arguments");
        town.clock.advance(Duration::from_secs(1));
        assert_eq!(builder.proposes("t1", "d").await.text("state"), "pending");
    })
    .await;
}

#[tokio::test]
async fn how_long_is_for_the_policy_to_say() {
    story("remember = \"0s\"", async |town| {
        let (builder, ada) = (town.agent("builder"), town.person("ada"));
        builder.proposes("t1", "a").await;
        ada.decides("t1", "a", "deny").await;
        assert_eq!(builder.proposes("t1", "b").await.text("state"), "pending");
    })
    .await;
}

#[tokio::test]
async fn an_approval_that_nobody_used_moves_to_the_same_call() {
    story(ASK, async |town| {
        let (builder, ada) = (town.agent("builder"), town.person("ada"));
        builder.proposes("t1", "a").await;
        ada.decides("t1", "a", "allow_once").await;
        town.clock.advance(Duration::from_mins(1));
        assert_snapshot!(builder.proposes("t1", "b").await, @r#"
        201
        {
          "threadId": "t1",
          "id": "b",
          "name": "bash",
          "state": "allowed",
          "arguments": {"command":"ls"},
          "argumentsHash": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
          "proposal": {"seq":5,"principal":"agent:builder","at":"2026-01-31T12:01:00.000Z"},
          "response": {
            "decision": "allow_once",
            "source": "grant",
            "principal": "policy:grant",
            "at": "2026-01-31T12:01:00.000Z",
            "seq": 6,
            "basis": "default",
            "grant": 3,
            "match": "once",
            "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
          }
        }
        "#);
        let first = builder.get(&format!("{CALLS}/a")).await;
        assert_eq!(first.text("state"), "cancelled", "an approval for once has one holder");
        assert_snapshot!(first.member("result"), @r#"{"at":"2026-01-31T12:01:00.000Z","content":"Not run: it was not started before the same call was proposed again as b, which uses its approval.","principal":"policy:grant","seq":4,"status":"cancelled"}"#);
        let claim = format!(r#"{{"executor":"w","argumentsHash":{}}}"#, first.member("argumentsHash"));
        assert_snapshot!(builder.post(&format!("{CALLS}/a/claim"), &claim).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "not_allowed",
          "detail": "the call is cancelled, and only an allowed call can be claimed"
        }
        "#);
        builder.claims("t1", "b", "w").await;
        assert_eq!(builder.proposes("t1", "c").await.text("state"), "pending", "it is used up");
    })
    .await;
}

#[tokio::test]
async fn an_old_approval_moves_nowhere() {
    story(ASK, async |town| {
        let (builder, ada) = (town.agent("builder"), town.person("ada"));
        builder.proposes("t1", "a").await;
        ada.decides("t1", "a", "allow_once").await;
        town.clock.advance(Duration::from_mins(5));
        assert_eq!(builder.proposes("t1", "b").await.text("state"), "pending");
        assert_eq!(builder.get(&format!("{CALLS}/a")).await.text("state"), "allowed");
    })
    .await;
}
