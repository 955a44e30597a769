//! `GET /healthz`, `GET /readyz`, and a word for whoever opens the address in a browser.

use crate::ASK;
use countersign_tests::api::story;
use insta::assert_snapshot;

#[tokio::test]
async fn a_server_whose_file_is_gone_is_not_ready_and_says_what_fails() {
    story(ASK, async |town| {
        let (there, elsewhere) = (town.database(), town.database().with_extension("moved"));
        std::fs::rename(&there, &elsewhere).expect("the file can be moved");
        let answer = town.somebody().get("/readyz").await;
        let folder = there.parent().expect("a folder").display().to_string();
        assert_snapshot!(answer.to_string().replace(&folder, "[here]"), @r#"
        503
        {
          "title": "Service Unavailable",
          "status": 503,
          "code": "not_ready",
          "detail": "[here]/log.db was removed or replaced while it was open; put it back and restart this process (database_unavailable)",
          "check": "log"
        }
        "#);
        assert_eq!(answer.header("retry-after"), "1");
        assert_eq!(town.somebody().get("/healthz").await.status, 200, "the process lives all the same");
        std::fs::rename(&elsewhere, &there).expect("and back");
    })
    .await;
}

#[tokio::test]
async fn a_policy_that_could_not_be_read_shows() {
    story(ASK, async |town| {
        town.gate.policy_failed("policy.toml: line 3 is strange");
        let ready = town.somebody().get("/readyz").await;
        assert_eq!(ready.status, 200, "the one before is in force");
        assert_eq!(ready.text("policyTrouble"), "policy.toml: line 3 is strange");
    })
    .await;
}

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
        The API: /openapi.json, and to try it: /docs
        ");
    })
    .await;
}
