//! `GET /healthz`, `GET /readyz`, and a word for whoever opens the address in a browser.

use crate::ASK;
use countersign_tests::api::story;
use insta::assert_snapshot;

#[tokio::test]
async fn a_server_that_lives_says_so() {
    story(ASK, async |town| {
        assert_snapshot!(town.somebody().get("/healthz").await, @r#"
        200
        {"status":"ok"}
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_server_that_is_ready_says_how_long_the_log_is() {
    let rules = "[[rule]]\nname = \"reading\"\ntool = \"read\"\nverdict = \"allow\"";
    story(rules, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        let ready = town.somebody().get("/readyz").await.to_string();
        assert_snapshot!(ready.replace(env!("CARGO_PKG_VERSION"), "VERSION"), @r#"
        200
        {
          "status": "ready",
          "events": 2,
          "open": 1,
          "rules": 1,
          "policy": "b3846885c3413438206e2aca30b913ed4ea70fb2e24785675c32cbe7f03630fd",
          "version": "VERSION"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_browser_is_told_what_this_is() {
    story(ASK, async |town| {
        let welcome = town.somebody().get("/").await;
        assert_eq!(welcome.header("content-type"), "text/plain; charset=utf-8");
        assert_snapshot!(welcome.to_string().replace(env!("CARGO_PKG_VERSION"), "VERSION"), @"
        200
        Countersign VERSION: the approval service between an AI agent and its tools.
        What waits for people: /v1/approvals/pending
        The log: /v1/events
        ");
    })
    .await;
}
