//! Calls that ask people something, and `answers` of a decision.

use countersign_tests::over_http;
use insta::assert_snapshot;

const CALLS: &str = "/v1/threads/t/tool-calls";
const DECIDE: &str = "/v1/threads/t/approvals/call_1";

/// The shipped rule lets the agent's own dialog ask, unless the agent says that people must answer.
const ASK: &str = r#"{"id":"call_1","name":"AskUserQuestion","definition":{"needsApproval":true},"arguments":{"questions":[
    {"question":"Which database?","header":"DB","multiSelect":false,"options":[{"label":"SQLite","description":"one file"},{"label":"PostgreSQL"}]}]}}"#;

#[tokio::test]
async fn answers_that_do_not_fit_are_refused() {
    over_http("", async |world| {
        let ada = world.person("ada");
        assert_eq!(world.agent("builder").post(CALLS, ASK).await.status, 201);
        for body in [
            r#"{"decision":"allow_once","answers":[]}"#,
            r#"{"decision":"allow_once","answers":[["SQLite","PostgreSQL"]]}"#,
            r#"{"decision":"deny","answers":[["SQLite"]]}"#,
            r#"{"decision":"allow_once","answers":[["SQLite"]],"arguments":{}}"#,
        ] {
            let refused = ada.post(DECIDE, body).await;
            assert_eq!((refused.status, refused.text("code").as_str()), (422, "invalid"), "{body}");
        }
        world
            .agent("builder")
            .post(CALLS, r#"{"id":"call_2","name":"bash","arguments":{"command":"ls"}}"#)
            .await;
        let plain = ada
            .post("/v1/threads/t/approvals/call_2", r#"{"decision":"allow_once","answers":[["x"]]}"#)
            .await;
        assert_snapshot!(plain, @"422 invalid: answers: the call asks people nothing; leave answers out");
    })
    .await;
}

#[tokio::test]
async fn answers_become_a_part_of_the_arguments() {
    over_http("", async |world| {
        let (ada, builder) = (world.person("ada"), world.agent("builder"));
        builder.post(CALLS, ASK).await;
        let pending = ada.get(&format!("{CALLS}/call_1")).await;
        assert_snapshot!(pending.member("question"), @r#"{"isComplete":true,"kind":"questions","questions":[{"freeText":true,"header":"DB","multiple":false,"options":[{"description":"one file","label":"SQLite"},{"label":"PostgreSQL"}],"required":true,"text":"Which database?"}]}"#);
        assert_eq!(pending.json()["request"]["options"], serde_json::json!(["allow_once", "deny"]));
        let body = r#"{"decision":"allow_once","answers":[["PostgreSQL"]]}"#;
        let decided = ada.post(DECIDE, body).await;
        assert_eq!(decided.json()["arguments"]["answers"], serde_json::json!({"Which database?": "PostgreSQL"}));
        assert!(decided.json().get("question").is_none(), "it is answered");
        assert_eq!(ada.post(DECIDE, body).await.status, 200, "the same answer again");
        let bulk = r#"{"decisions":[{"threadId":"t","id":"call_3","decision":"allow_once","answers":[["Oracle"]]}]}"#;
        builder.post(CALLS, &ASK.replace("call_1", "call_3").replace("Which", "What")).await;
        let several = ada.post("/v1/approvals/decide", bulk).await;
        let answer = &several.json()["results"][0]["call"]["arguments"]["answers"]["What database?"];
        assert_eq!(answer, "Oracle", "{several:?}");
    })
    .await;
}
