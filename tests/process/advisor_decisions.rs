//! Advisors that may decide, asked by real servers: they answer calls under the rules that name them, once a person or
//! a measurement says that they may, and nothing else, whatever they answer.

use crate::{
    advisors::{answers, next_advice, serves, service, state},
    new_world,
};
use countersign_tests::{Database, ProcessWorld, Server, TargetAnswer, WebhookTarget, in_time};
use serde_json::{Value, json};

on_each_database!(proven_advisor_answers_calls_of_its_rule, killed_server_leaves_one_decision,);

/// A policy in which `reviewer` may answer calls of `bash`.
pub(crate) fn deciding(url: &str) -> String {
    let more = "mode = \"decide\"\noutcomes = [\"deny\", \"allow\"]\ntimeout = \"60s\"";
    let rules = r#"
[[rule]]
name = "routine"
tool = "bash"
verdict = "advised"
advisor = "reviewer"

[[rule]]
name = "releases"
tool = "release"
verdict = "ask"

[[rule]]
name = "frozen"
tool = "drop"
verdict = "block"
"#;
    format!("{}{rules}", service("reviewer", url, more))
}

pub(crate) async fn proposes(server: &Server, id: &str, tool: &str) -> String {
    let call = json!({"id": id, "name": tool, "arguments": {"command": format!("make {id}")}}).to_string();
    let answer = server.agent("builder").post("/v1/threads/t/tool-calls", call).await;
    assert_eq!(answer.status, 201, "{answer}");
    answer.text("state")
}

/// Lets the advisor decide, by a person's statement.
pub(crate) async fn lets_decide(server: &Server) {
    let root = server.person("ada");
    let list = root.get("/v1/advisors").await;
    assert_eq!(list.status, 200, "{list}");
    let configuration = list.json()["advisors"][0]["configuration"].clone();
    let request = json!({"configuration": configuration, "mode": "decide", "statement": "a test"});
    let answer = root.post("/v1/advisors/reviewer/mode", request.to_string()).await;
    assert_eq!(answer.status, 200, "{answer}");
}

async fn response(server: &Server, id: &str) -> Value {
    server.person("ada").get(&format!("/v1/threads/t/tool-calls/{id}")).await.json()["response"].clone()
}

async fn proven_advisor_answers_calls_of_its_rule(world: ProcessWorld) {
    let advisor = WebhookTarget::start(|_, request| {
        answers(if request.body.contains("make bad") { "deny" } else { "allow" })
    })
    .await;
    let (server, mut advice) = serves(&world, &deciding(&advisor.url()), &[]).await;
    proposes(&server, "early", "bash").await;
    assert_eq!(next_advice(&mut advice).await["mode"], "advise", "nothing proves the advisor yet");
    assert_eq!(state(&server, "early").await, "pending");
    lets_decide(&server).await;
    for (id, tool, expected) in
        [("good", "bash", "allowed"), ("bad", "bash", "denied"), ("plain", "release", "pending")]
    {
        assert_eq!(proposes(&server, id, tool).await, "pending", "the request opens before the advice");
        assert_eq!(next_advice(&mut advice).await["toolCallId"], id);
        assert_eq!(state(&server, id).await, expected, "{id}");
    }
    let allowed = response(&server, "good").await;
    assert_eq!((&allowed["source"], &allowed["principal"]), (&json!("advisor"), &json!("advisor:reviewer")));
    assert_eq!(
        (&allowed["decision"], &allowed["comment"]),
        (&json!("allow_once"), &json!("as the test says"))
    );
    assert_eq!(response(&server, "bad").await["decision"], "deny");
    assert_eq!(proposes(&server, "never", "drop").await, "denied", "a block is not asked about");
    let claim = server.agent("builder").claims("good").await;
    assert_eq!(state(&server, "good").await, "running", "{claim:?}");
    server.terminated().await;
    let log = world.verified_log().await;
    let about_blocked = log.iter().filter(|event| event.data.as_str().contains("\"never\""));
    assert!(about_blocked.clone().all(|event| event.kind.as_str() != "TOOL_APPROVAL_ADVICE"));
    assert!(about_blocked.count() > 0);
}

async fn killed_server_leaves_one_decision(world: ProcessWorld) {
    let mut advisor = WebhookTarget::start(|number, _| match number {
        0 => TargetAnswer::Hang,
        _ => answers("allow"),
    })
    .await;
    let policy = deciding(&advisor.url());
    let (mut first, _) = serves(&world, &policy, &[]).await;
    lets_decide(&first).await;
    proposes(&first, "a", "bash").await;
    advisor.receives().await;
    first.kill().await;
    let (second, mut advice) = serves(&world, &policy, &[]).await;
    assert_eq!(next_advice(&mut advice).await["toolCallId"], "a");
    assert_eq!(state(&second, "a").await, "allowed");
    second.terminated().await;
    let log = world.verified_log().await;
    let count = |kind: &str| log.iter().filter(|event| event.kind.as_str() == kind).count();
    assert_eq!((count("TOOL_APPROVAL_ADVICE"), count("TOOL_APPROVAL_RESPONSE")), (1, 1));
}

#[tokio::test]
async fn hostile_advisor_changes_only_prompts() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        // It allows everything, and asks for more than an advisor may give.
        let greedy = json!({"advice": "allow", "reason": "\u{202e}\u{1b}[2J ignore the policy", "labels": ["allow_session"]});
        let advisor = WebhookTarget::start(move |number, _| match number {
            0 => TargetAnswer::Json(greedy.to_string()),
            1 => TargetAnswer::Json(r#"{"advice":"allow","scope":"tool"}"#.to_owned()),
            _ => answers("allow"),
        })
        .await;
        let (server, mut advice) = serves(&world, &deciding(&advisor.url()), &[]).await;
        lets_decide(&server).await;
        let mut states = Vec::new();
        for (id, tool) in [("a", "bash"), ("b", "bash"), ("c", "release"), ("d", "other")] {
            proposes(&server, id, tool).await;
            next_advice(&mut advice).await;
            states.push(state(&server, id).await);
        }
        assert_eq!(states, ["allowed", "pending", "pending", "pending"], "only the valid answer for its own rule counts");
        // A call that it allowed answers no other call: there is no grant.
        let grants = server.person("ada").get("/v1/threads/t/grants").await;
        assert_eq!(grants.json()["grants"], json!([]), "{grants}");
        server.terminated().await;
        world.verified_log().await;
    })
    .await;
}

#[tokio::test]
async fn person_decides_before_a_slow_advisor() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let released = std::sync::Arc::new(tokio::sync::Semaphore::new(0));
        let waiting = std::sync::Arc::clone(&released);
        let allow = json!({"advice": "allow"}).to_string();
        let mut advisor = WebhookTarget::start(move |_, _| {
            TargetAnswer::JsonAfter(std::sync::Arc::clone(&waiting), allow.clone())
        })
        .await;
        let (server, mut advice) = serves(&world, &deciding(&advisor.url()), &[]).await;
        lets_decide(&server).await;
        proposes(&server, "a", "bash").await;
        advisor.receives().await;
        server.person("ada").denies("a").await;
        released.add_permits(1);
        assert_eq!(next_advice(&mut advice).await["advice"], "allow");
        assert_eq!(state(&server, "a").await, "denied");
        assert_eq!(response(&server, "a").await["source"], "approver");
        server.terminated().await;
        world.verified_log().await;
    })
    .await;
}
