//! `POST /v1/approvals/stop` and `POST /v1/threads/{thread}/stop`

use countersign_tests::api::{Answer, story};
use insta::assert_snapshot;
use serde_json::Value;

const POLICY: &str = r#"
[approvers]
"user:ada" = { level = "admin" }

[[rule]]
name = "admins deploy"
tool = "deploy"
verdict = "ask"
level = "admin"

[[rule]]
name = "two deny"
tool = "transfer"
verdict = "ask"
denials = 2
"#;

const EVERYWHERE: &str = "/v1/approvals/stop";
const HERE: &str = "/v1/threads/t1/stop";

fn call(id: &str, tool: &str) -> String {
    format!(r#"{{"id":"{id}","name":"{tool}","arguments":{{"id":"{id}"}}}}"#)
}

/// What was denied, and what is left.
fn told(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{answer}");
    let names = |key: &str| {
        let calls: Vec<Value> = serde_json::from_str(&answer.member(key)).expect("calls");
        let name = |call: &Value| format!("{}/{}", call["threadId"], call["id"]).replace('"', "");
        calls.iter().map(name).collect::<Vec<_>>().join(" ")
    };
    format!("denied: {}; left: {}", names("denied"), names("left"))
}

#[tokio::test]
async fn agents_stop_nothing() {
    story(POLICY, async |town| {
        town.agent("builder").proposes("t1", "a").await;
        assert_snapshot!(town.agent("builder").post(EVERYWHERE, "{}").await, @r#"
        403
        {
          "title": "Forbidden",
          "status": 403,
          "code": "not_an_approver",
          "detail": "agent:builder is not a person, and only people decide"
        }
        "#);
        assert_eq!(town.agent("builder").post(HERE, "").await.text("code"), "not_an_approver");
        assert_snapshot!(town.person("ada").post(HERE, r#"{"tools":["bash"]}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "unknown field `tools`, expected `tool` or `comment` at line 1 column 8",
          "line": 1,
          "column": 8
        }
        "#);
        assert_eq!(town.person("ada").get("/v1/threads/t1/tool-calls/a").await.text("state"), "pending");
    })
    .await;
}

#[tokio::test]
async fn where_nothing_waits_nothing_is_stopped() {
    story(POLICY, async |town| {
        assert_snapshot!(town.person("ada").post(EVERYWHERE, "").await, @r#"
        200
        {"denied":[],"left":[]}
        "#);
        assert_snapshot!(town.person("ada").post(HERE, "{}").await, @r#"
        200
        {"denied":[],"left":[]}
        "#);
    })
    .await;
}

#[tokio::test]
async fn all_that_waits_is_denied_at_once_and_the_models_are_told() {
    story(POLICY, async |town| {
        let (builder, ada) = (town.agent("builder"), town.person("ada"));
        builder.proposes("t1", "a").await;
        builder.proposes("t2", "b").await;
        ada.proposes("t2", "own").await;
        builder.post("/v1/threads/t2/tool-calls", &call("deploy", "deploy")).await;
        builder.post("/v1/threads/t2/tool-calls", &call("two", "transfer")).await;
        let stopped = ada.post(EVERYWHERE, r#"{"comment":"the release is off"}"#).await;
        assert_snapshot!(told(&stopped), @"denied: t1/a t2/b t2/deploy; left: t2/own t2/two");
        let denied = builder.get("/v1/threads/t2/tool-calls/b").await;
        assert_snapshot!(denied.member("result"), @r#"{"at":"2026-01-31T12:00:00.000Z","content":"Denied by user:ada: the release is off (do not retry this call unchanged)","principal":"user:ada","seq":14,"status":"denied"}"#);
        let two = builder.get("/v1/threads/t2/tool-calls/two").await;
        let request: Value = serde_json::from_str(&two.member("request")).expect("a request");
        assert_eq!(request["votes"][0]["decision"], "deny", "where it takes several, the denial is a vote");
        assert_snapshot!(told(&ada.post(EVERYWHERE, "{}").await), @"denied: ; left: t2/own t2/two");
        assert_snapshot!(told(&town.person("bob").post(EVERYWHERE, "{}").await), @"denied: t2/own t2/two; left:");
    })
    .await;
}

#[tokio::test]
async fn a_thread_and_a_tool_are_stopped_alone() {
    story(POLICY, async |town| {
        let (builder, ada) = (town.agent("builder"), town.person("ada"));
        for (thread, id, tool) in
            [("t1", "a", "bash"), ("t1", "b", "mail"), ("t2", "a", "bash"), ("t2", "b", "mail")]
        {
            builder.post(&format!("/v1/threads/{thread}/tool-calls"), &call(id, tool)).await;
        }
        assert_snapshot!(told(&ada.post(HERE, r#"{"tool":"bash"}"#).await), @"denied: t1/a; left:");
        assert_snapshot!(told(&ada.post(EVERYWHERE, r#"{"tool":"mail"}"#).await), @"denied: t1/b t2/b; left:");
        assert_snapshot!(told(&town.person("bob").post("/v1/threads/t2/stop", "{}").await), @"denied: t2/a; left:");
    })
    .await;
}

#[tokio::test]
async fn what_a_person_may_not_deny_is_left() {
    story(POLICY, async |town| {
        town.agent("builder").post("/v1/threads/t1/tool-calls", &call("deploy", "deploy")).await;
        town.agent("builder").proposes("t1", "a").await;
        assert_snapshot!(told(&town.person("bob").post(HERE, "{}").await), @"denied: t1/a; left: t1/deploy");
        assert_eq!(town.person("ada").decides("t1", "deploy", "allow_once").await.text("state"), "allowed");
    })
    .await;
}
