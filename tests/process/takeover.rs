//! An executor is killed during its call. The tool may have run, so the rules decide which executor may take over.

use countersign_events::EventType;
use countersign_tests::{HttpAnswer, ProcessWorld, Server};
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use std::fs;

on_each_database!(lost_idempotent_call_is_taken_over_once, lost_other_call_needs_a_release_before_takeover);

const POLICY: &str = r#"
default = "allow"

[tools.lookup]
idempotent = true
"#;

/// The number of executors that race for the takeover.
const EXECUTORS: usize = 24;

async fn lost_idempotent_call_is_taken_over_once(world: ProcessWorld) {
    let servers = servers(&world).await;
    lose_executor(&world, &servers[0], "lookup").await;
    let new = take_over_once(&servers).await;
    only_the_new_executor_reports_the_result(&servers, &new).await;
    assert_eq!(count(&world, EventType::ExecutionTakenOver).await, 1);
    assert_eq!(count(&world, EventType::ToolResult).await, 1);
}

async fn lost_other_call_needs_a_release_before_takeover(world: ProcessWorld) {
    let servers = servers(&world).await;
    lose_executor(&world, &servers[0], "mail").await;
    assert_eq!(all_claim(&servers, "before").await, Vec::<String>::new(), "a takeover needs a release first");
    let release_by_agent =
        servers[0].request(Method::POST, &at("release")).header("content-type", "application/json");
    let release_by_agent = release_by_agent.header("countersign-principal", "agent:local").body("{}");
    assert_ne!(HttpAnswer::to(release_by_agent).await.status, 200, "an agent cannot release a call");
    let release = at("release");
    let releases =
        join_all(servers.iter().map(|server| server.post(&release, r#"{"comment": "no mail came"}"#)));
    assert!(releases.await.iter().all(|answer| answer.status == 200));
    let new = take_over_once(&servers).await;
    only_the_new_executor_reports_the_result(&servers, &new).await;
    assert_eq!(count(&world, EventType::ExecutionReleased).await, 1);
    assert_eq!(count(&world, EventType::ExecutionTakenOver).await, 1);
    assert_eq!(count(&world, EventType::ToolResult).await, 1);
}

async fn servers(world: &ProcessWorld) -> [Server; 3] {
    fs::write(world.file("policy.toml"), POLICY).expect("a file");
    let path = world.file("policy.toml").display().to_string();
    let words = ["--policy", &path];
    let start = || world.serves_with(&words);
    [start().await, start().await, start().await]
}

fn at(what: &str) -> String {
    format!("/v1/threads/t/tool-calls/call/{what}")
}

/// Proposes and allows a call of `tool`. A process claims it and is killed.
async fn lose_executor(world: &ProcessWorld, server: &Server, tool: &str) {
    let call = json!({"id": "call", "name": tool, "arguments": {}}).to_string();
    assert_eq!(server.post("/v1/threads/t/tool-calls", call).await.status, 201);
    let hold = json!({"thread": "t", "id": "call", "executor": "old", "leaseSeconds": 0});
    let mut holder = world.starts_player(&json!({"holder": hold})).await;
    holder.go().await;
    assert_eq!(holder.reports().await, Some(json!({"event": "TOOL_EXECUTION_STARTED", "id": "call"})));
    holder.kill().await;
    let (_, call) = server.get("/v1/threads/t/tool-calls/call").await.into_parts();
    assert!(call.contains(r#""state":"unknown""#), "{call}");
}

/// Many executors claim the call, each under its own name. Returns the names of those that succeeded.
async fn all_claim(servers: &[Server], name: &str) -> Vec<String> {
    let hash = arguments_hash(&servers[0]).await;
    let claims = join_all((0..EXECUTORS).map(|number| {
        let (server, executor, hash) =
            (&servers[number % servers.len()], format!("{name}-{number}"), hash.clone());
        async move {
            let claim = json!({"executor": executor, "argumentsHash": hash}).to_string();
            let (status, body) = server.post(&at("claim"), claim).await.into_parts();
            assert!(status == 200 || body.contains("already_claimed"), "{status} {body}");
            (status == 200).then_some(executor)
        }
    }));
    claims.await.into_iter().flatten().collect()
}

async fn arguments_hash(server: &Server) -> String {
    let (_, call) = server.get("/v1/threads/t/tool-calls/call").await.into_parts();
    let call: Value = serde_json::from_str(&call).expect("JSON");
    call["argumentsHash"].as_str().expect("a hash").to_owned()
}

async fn take_over_once(servers: &[Server]) -> String {
    let mut winners = all_claim(servers, "new").await;
    assert_eq!(winners.len(), 1, "{winners:?}");
    winners.remove(0)
}

/// The first executor returns. Its result is refused, with and without its name.
async fn only_the_new_executor_reports_the_result(servers: &[Server], new: &str) {
    let result = |executor: Option<&str>| {
        let mut result = json!({"status": "success", "content": "done"});
        if let Some(executor) = executor {
            result["executor"] = executor.into();
        }
        result.to_string()
    };
    for late in [Some("old"), None] {
        let (_, body) = servers[1].post(&at("result"), result(late)).await.into_parts();
        assert!(body.contains(r#""code":"not_the_executor""#), "{late:?}: {body}");
    }
    let (status, body) = servers[2].post(&at("result"), result(Some(new))).await.into_parts();
    assert_eq!(status, 200, "{body}");
}

async fn count(world: &ProcessWorld, kind: EventType) -> usize {
    world.verified_log().await.iter().filter(|event| event.kind == kind).count()
}
