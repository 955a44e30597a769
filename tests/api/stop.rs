//! `POST /v1/approvals/stop` and `POST /v1/threads/{thread}/stop`

use countersign_tests::{HttpAnswer, over_http};
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

const STOP_ALL: &str = "/v1/approvals/stop";
const STOP_THREAD: &str = "/v1/threads/t/stop";

fn call(id: &str, tool: &str) -> String {
    format!(r#"{{"id":"{id}","name":"{tool}","arguments":{{"id":"{id}"}}}}"#)
}

/// Returns the denied calls and the calls that remain pending, as text.
fn denied_and_left(answer: &HttpAnswer) -> String {
    assert_eq!(answer.status, 200, "{answer}");
    let names = |key: &str| {
        let calls: Vec<Value> = serde_json::from_str(&answer.member(key)).expect("calls");
        let name = |call: &Value| format!("{}/{}", call["threadId"], call["id"]).replace('"', "");
        calls.iter().map(name).collect::<Vec<_>>().join(" ")
    };
    format!("denied: {}; left: {}", names("denied"), names("left"))
}

#[tokio::test]
async fn stop_by_an_agent_is_refused() {
    over_http(POLICY, async |world| {
        world.agent("builder").proposes("a").await;
        assert_snapshot!(world.agent("builder").post(STOP_ALL, "{}").await, @"403 not_permitted: the role agent may not decide");
        assert_eq!(world.agent("builder").post(STOP_THREAD, "").await.text("code"), "not_permitted");
        assert_snapshot!(world.person("ada").post(STOP_THREAD, r#"{"tools":["bash"]}"#).await, @"
        422 invalid: unknown field `tools`, expected one of `tool`, `calls`, `comment` at line 1 column 8
        column: 8
        line: 1
        ");
        assert_eq!(world.person("ada").get("/v1/threads/t/tool-calls/a").await.text("state"), "pending");
    })
    .await;
}

#[tokio::test]
async fn stop_without_pending_calls_denies_none() {
    over_http(POLICY, async |world| {
        assert_snapshot!(world.person("ada").post(STOP_ALL, "").await, @r#"
        200
        {"denied":[],"cancelled":[],"left":[]}
        "#);
        assert_snapshot!(world.person("ada").post(STOP_THREAD, "{}").await, @r#"
        200
        {"denied":[],"cancelled":[],"left":[]}
        "#);
    })
    .await;
}

#[tokio::test]
async fn stop_denies_all_pending_calls_with_its_comment() {
    over_http(POLICY, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("a").await;
        builder.in_thread("t2").proposes("b").await;
        builder.post("/v1/threads/t2/tool-calls", &call("deploy", "deploy")).await;
        builder.post("/v1/threads/t2/tool-calls", &call("two", "transfer")).await;
        let stopped = ada.post(STOP_ALL, r#"{"comment":"the release is off"}"#).await;
        assert_snapshot!(denied_and_left(&stopped), @"denied: t/a t2/b t2/deploy; left: t2/two");
        let denied = builder.get("/v1/threads/t2/tool-calls/b").await;
        assert_snapshot!(denied.shown("result"), @r#"{"at":"2026-01-31T12:00:00.000Z","content":"Denied by user:ada: the release is off (do not retry this call unchanged)","principal":"user:ada","seq":13,"status":"denied"}"#);
        let two = builder.get("/v1/threads/t2/tool-calls/two").await;
        let request: Value = serde_json::from_str(&two.member("request")).expect("a request");
        assert_eq!(request["votes"][0]["decision"], "deny", "in a quorum, the denial is a vote");
        assert_snapshot!(denied_and_left(&ada.post(STOP_ALL, "{}").await), @"denied: ; left: t2/two");
        assert_snapshot!(denied_and_left(&world.person("bob").post(STOP_ALL, "{}").await), @"denied: t2/two; left:");
    })
    .await;
}

#[tokio::test]
async fn stop_of_one_thread_or_tool_spares_others() {
    over_http(POLICY, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        for (thread, id, tool) in
            [("t", "a", "bash"), ("t", "b", "mail"), ("t2", "a", "bash"), ("t2", "b", "mail")]
        {
            builder.post(&format!("/v1/threads/{thread}/tool-calls"), &call(id, tool)).await;
        }
        assert_snapshot!(denied_and_left(&ada.post(STOP_THREAD, r#"{"tool":"bash"}"#).await), @"denied: t/a; left:");
        assert_snapshot!(denied_and_left(&ada.post(STOP_ALL, r#"{"tool":"mail"}"#).await), @"denied: t/b t2/b; left:");
        assert_snapshot!(denied_and_left(&world.person("bob").post("/v1/threads/t2/stop", "{}").await), @"denied: t2/a; left:");
    })
    .await;
}

#[tokio::test]
async fn stop_spares_calls_the_person_may_not_deny() {
    over_http(POLICY, async |world| {
        world.agent("builder").post("/v1/threads/t/tool-calls", &call("deploy", "deploy")).await;
        world.agent("builder").proposes("a").await;
        assert_snapshot!(denied_and_left(&world.person("bob").post(STOP_THREAD, "{}").await), @"denied: t/a; left: t/deploy");
        assert_eq!(world.person("ada").allows("deploy").await.text("state"), "allowed");
    })
    .await;
}
