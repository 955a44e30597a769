//! Remembered single decisions: a denial for the same call, and an unused approval.

use crate::ASK;
use countersign_tests::over_http;
use insta::assert_snapshot;
use std::time::Duration;

const CALLS: &str = "/v1/threads/t/tool-calls";

#[tokio::test]
async fn denial_answers_the_same_call_for_five_minutes() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("a").await;
        ada.post("/v1/threads/t/approvals/a", r#"{"decision":"deny","comment":"not on a Friday"}"#).await;
        world.clock().advance(Duration::from_secs(299));
        let again = builder.proposes("b").await;
        assert_snapshot!(again.shown("response"), @r#"{"at":"2026-01-31T12:04:59.000Z","basis":"default","comment":"user:ada denied it at 2026-01-31T12:00:00.000Z: not on a Friday","decision":"deny","grant":4,"grantOrigin":{"at":"2026-01-31T12:00:00.000Z","decision":"deny","principal":"user:ada","says":"one call","scope":"once","toolCallId":"a"},"policy":"[hash:policy]","principal":"policy:grant","seq":7,"source":"grant"}"#);
        assert_snapshot!(again.shown("result"), @r#"{"at":"2026-01-31T12:04:59.000Z","content":"Denied without asking again, because user:ada denied it at 2026-01-31T12:00:00.000Z: not on a Friday (do not retry this call unchanged)","principal":"policy:grant","seq":8,"status":"denied"}"#);
        assert_eq!(builder.in_thread("t2").proposes("b").await.text("state"), "pending", "of another thread");
        let other = r#"{"id":"c","name":"bash","arguments":{"command":"ls -l"}}"#;
        assert_eq!(builder.post(CALLS, other).await.text("state"), "pending", "of other arguments");
        world.clock().advance(Duration::from_secs(1));
        assert_eq!(ada.get("/v1/threads/t/grants").await.member("grants"), "[]", "it is forgotten");
        assert_eq!(builder.proposes("d").await.text("state"), "pending");
    })
    .await;
}

#[tokio::test]
async fn policy_sets_how_long_decisions_are_remembered() {
    over_http("remember = \"0s\"", async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("a").await;
        ada.denies("a").await;
        assert_eq!(builder.proposes("b").await.text("state"), "pending");
    })
    .await;
}

fn replacing(id: &str, replaced: &str) -> String {
    format!(r#"{{"id":"{id}","name":"bash","arguments":{{"command":"ls"}},"replaces":"{replaced}"}}"#)
}

#[tokio::test]
async fn unused_approval_moves_to_its_replacement() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("a").await;
        ada.allows("a").await;
        world.clock().advance(Duration::from_mins(1));
        assert_snapshot!(builder.post(CALLS, &replacing("b", "a")).await.fields(["state", "request", "response"]), @r#"
        201
        state: "allowed"
        request: null
        response: {"at":"2026-01-31T12:01:00.000Z","basis":"default","decision":"allow_once","grant":4,"grantOrigin":{"at":"2026-01-31T12:00:00.000Z","decision":"allow_once","principal":"user:ada","says":"one call","scope":"once","toolCallId":"a"},"policy":"[hash:policy]","principal":"policy:grant","scope":"once","seq":7,"source":"grant"}
        "#);
        let first = builder.get(&format!("{CALLS}/a")).await;
        assert_eq!(first.text("state"), "cancelled", "a moved approval leaves its first call");
        assert_snapshot!(first.shown("result"), @r#"{"at":"2026-01-31T12:01:00.000Z","content":"Not run: it was not started before the same call was proposed again as b, which uses its approval.","principal":"policy:grant","seq":5,"status":"cancelled"}"#);
        let claim = format!(r#"{{"executor":"w","argumentsHash":{}}}"#, first.member("argumentsHash"));
        assert_snapshot!(builder.post(&format!("{CALLS}/a/claim"), &claim).await, @"409 not_allowed: the call is cancelled, and only an allowed call can be claimed");
        builder.claims_as("b", "w").await;
        let third = builder.post(CALLS, &replacing("c", "b")).await;
        assert_eq!(third.text("state"), "pending", "a claimed approval does not move");
    })
    .await;
}

/// The agent has lost its earlier call id. The repeated call's request names it.
#[tokio::test]
async fn restarted_agent_takes_over_its_unused_approval() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("a").await;
        ada.allows("a").await;
        world.clock().advance(Duration::from_mins(1));
        let again = builder.proposes("b").await;
        assert_eq!(again.text("state"), "pending");
        let request: serde_json::Value = serde_json::from_str(&again.member("request")).expect("a request");
        let earlier = request["sameCall"]["id"].as_str().expect("it names the earlier call");
        assert_eq!(builder.post(&format!("{CALLS}/b/cancel"), "{}").await.status, 200);
        let third = builder.post(CALLS, &replacing("c", earlier)).await;
        assert_eq!(third.text("state"), "allowed");
        assert_eq!(builder.get(&format!("{CALLS}/a")).await.text("state"), "cancelled");
    })
    .await;
}

#[tokio::test]
async fn same_call_of_another_agent_is_asked() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("a").await;
        world.person("ada").allows("a").await;
        world.clock().advance(Duration::from_secs(3));
        let other = world.agent("other").post(CALLS, &replacing("b", "a")).await;
        assert_eq!(other.text("state"), "pending");
        let shown = world.person("ada").get(&format!("{CALLS}/b")).await;
        let request: serde_json::Value = serde_json::from_str(&shown.member("request")).expect("a request");
        let same =
            serde_json::json!({"id": "a", "allowedAt": "2026-01-31T12:00:00.000Z", "state": "allowed"});
        assert_eq!(request["sameCall"], same);
    })
    .await;
}

#[tokio::test]
async fn old_approval_does_not_move() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("a").await;
        ada.allows("a").await;
        world.clock().advance(Duration::from_mins(5));
        assert_eq!(builder.post(CALLS, &replacing("b", "a")).await.text("state"), "pending");
        assert_eq!(builder.get(&format!("{CALLS}/a")).await.text("state"), "allowed");
    })
    .await;
}

#[tokio::test]
async fn repetition_of_a_call_that_runs_says_so() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("a").await;
        ada.allows("a").await;
        builder.claims_as("a", "w").await;
        builder.proposes("b").await;
        let state = async || ada.get(&format!("{CALLS}/b")).await.text("request.sameCall.state");
        assert_eq!(state().await, "running");
        let listed = ada.get("/v1/approvals/pending").await;
        assert_eq!(listed.text("pending.0.request.sameCall.startedAt"), "2026-01-31T12:00:00.000Z");
        world.clock().advance(Duration::from_hours(2));
        assert_eq!(state().await, "unknown");
    })
    .await;
}
