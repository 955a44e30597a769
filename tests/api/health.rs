//! `GET /healthz`, `GET /readyz`, and the page `/` for a browser.

use crate::ASK;
use countersign_tests::over_http;
use insta::assert_snapshot;

#[tokio::test]
async fn server_without_its_file_is_not_ready() {
    over_http(ASK, async |world| {
        let (file, moved_file) = (world.path(), world.path().with_extension("moved"));
        std::fs::rename(&file, &moved_file).expect("the file can be moved");
        let answer = world.anonymous().get("/readyz").await;
        let folder = file.parent().expect("a folder").display().to_string();
        assert_snapshot!(answer.to_string().replace(&folder, "[here]"), @r#"
        503 not_ready: [here]/log.db was removed or replaced while it was open; put it back and restart this process (database_unavailable)
        check: "log"
        "#);
        assert_eq!(answer.header("retry-after"), "1");
        assert_eq!(world.anonymous().get("/healthz").await.status, 200, "the process is healthy without its file");
        std::fs::rename(&moved_file, &file).expect("the file can be moved back");
    })
    .await;
}

#[tokio::test]
async fn unreadable_policy_shows_in_readiness() {
    over_http(ASK, async |world| {
        world.service.gate.report_policy_trouble(Some("policy.toml: line 3 is strange".to_owned()));
        let ready = world.anonymous().get("/readyz").await;
        assert_eq!(ready.status, 200, "the previous policy is active");
        assert_eq!(ready.text("policyTrouble"), "policy.toml: line 3 is strange");
    })
    .await;
}

#[tokio::test]
async fn living_server_is_healthy() {
    over_http(ASK, async |world| {
        assert_snapshot!(world.anonymous().get("/healthz").await, @r#"
        200
        {"status":"ok"}
        "#);
    })
    .await;
}

#[tokio::test]
async fn ready_server_reports_the_length_of_the_log() {
    let rules = "[[rule]]\nname = \"reading\"\ntool = \"read\"\nverdict = \"allow\"";
    over_http(rules, async |world| {
        world.agent("builder").proposes("call_1").await;
        let ready = world.anonymous().get("/readyz").await.to_string();
        assert_snapshot!(ready.replace(env!("CARGO_PKG_VERSION"), "VERSION"), @r#"
        200
        {"status":"ready","events":3,"open":1,"rules":1,"policy":"[hash:policy]","version":"VERSION"}
        "#);
    })
    .await;
}

#[tokio::test]
async fn root_page_tells_a_browser_what_this_is() {
    over_http(ASK, async |world| {
        let welcome = world.anonymous().get("/").await;
        assert_eq!(welcome.header("content-type"), "text/plain; charset=utf-8");
        assert_snapshot!(welcome.to_string().replace(env!("CARGO_PKG_VERSION"), "VERSION"), @"
        200
        Countersign VERSION: the approval service between an AI agent and its tools.
        Pending calls: /v1/approvals/pending
        The log: /v1/events
        The API: /openapi.json, and its reference: /docs
        ");
    })
    .await;
}
