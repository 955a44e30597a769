//! `POST /v1/threads/{thread}/tool-calls/{id}/cancel`

use crate::ASK;
use countersign_tests::{HttpAnswer, HttpWorld, over_http};
use insta::assert_snapshot;

async fn cancels(world: &HttpWorld, body: &str) -> HttpAnswer {
    world.agent("builder").post("/v1/threads/t/tool-calls/call_1/cancel", body).await
}

#[tokio::test]
async fn denied_running_or_finished_call_cannot_be_cancelled() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        assert_snapshot!(cancels(world, "{}").await, @"404 unknown_call: thread t has no call call_1");
        builder.proposes("call_1").await;
        ada.allows("call_1").await;
        builder.claims_as("call_1", "worker-7").await;
        assert_snapshot!(cancels(world, "{}").await, @r#"
        409 already_claimed: claimed already by worker-7 at 2026-01-31T12:00:00.000Z
        execution: {"executor":"worker-7","leaseExpiresAt":"2026-01-31T12:15:00.000Z","principal":"agent:builder","seq":5,"startedAt":"2026-01-31T12:00:00.000Z"}
        "#);
        builder.finishes_with("call_1", "\"done\"").await;
        assert_snapshot!(cancels(world, "{}").await, @r#"
        409 already_finished: it ended already: success at 2026-01-31T12:00:00.000Z
        result: {"at":"2026-01-31T12:00:00.000Z","content":"done","principal":"agent:builder","seq":6,"status":"success"}
        "#);
    })
    .await;
}

#[tokio::test]
async fn cancelling_a_denied_call_reports_its_denial() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        world.person("ada").denies("call_1").await;
        let answer = cancels(world, "{}").await;
        assert_eq!((answer.status, answer.text("code")), (409, "already_decided".to_owned()));
    })
    .await;
}

#[tokio::test]
async fn cancelled_call_shows_who_cancelled_it_and_why() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        let first = cancels(world, r#"{"reason":"the user went home"}"#).await;
        assert_snapshot!(first.fields(["state", "response", "result"]), @r#"
        200
        state: "cancelled"
        response: {"at":"2026-01-31T12:00:00.000Z","comment":"the user went home","decision":"deny","policy":"[hash:policy]","principal":"agent:builder","seq":4,"source":"cancellation"}
        result: {"at":"2026-01-31T12:00:00.000Z","content":"Cancelled by agent:builder: the user went home","principal":"agent:builder","seq":5,"status":"cancelled"}
        "#);
        assert_eq!(cancels(world, "").await.to_string(), first.to_string());
    })
    .await;
}

#[tokio::test]
async fn allowed_call_can_still_be_cancelled() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        world.person("ada").allows("call_1").await;
        let answer = cancels(world, "{}").await;
        assert_eq!(answer.text("state"), "cancelled");
        assert_snapshot!(answer.shown("result"), @r#"{"at":"2026-01-31T12:00:00.000Z","content":"Cancelled by agent:builder","principal":"agent:builder","seq":5,"status":"cancelled"}"#);
    })
    .await;
}
