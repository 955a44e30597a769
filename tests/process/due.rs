//! Overdue tasks of a call: one of the processes executes each of them, once, and they wake no unrelated waiter.

use crate::new_world;
use countersign_api::{self as api, ApprovalGate, CallGate, parse_thread_id};
use countersign_events::{Event, EventType, Principal};
use countersign_gate::EmbeddedGate;
use countersign_policy::Policy;
use countersign_store::StoreOptions;
use countersign_tests::{Database, HttpAnswer, Process, ProcessWorld, Server, in_time};
use futures_util::future::join_all;
use prometheus_client::{encoding::text::encode, registry::Registry};
use reqwest::Method;
use serde_json::{Value, json};
use std::{collections::HashSet, fs, sync::Arc};

on_each_database!(
    killed_servers_reminders_and_escalations_happen_once,
    expiry_into_approval_allows_and_runs_once
);

const CALLS: usize = 20;

const POLICY: &str = r#"
[[rule]]
name = "in time"
tool = "page"
verdict = "ask"
remindAfter = "1s"
escalateAfter = "1s"
escalateTo = "admin"
expires = "2s"

[[rule]]
name = "goes ahead"
tool = "tidy"
verdict = "ask"
expires = "1s"
onExpiry = "allow"
"#;

async fn serve(world: &ProcessWorld) -> Server {
    fs::write(world.file("policy.toml"), POLICY).expect("a file");
    let path = world.file("policy.toml").display().to_string();
    world.serves_with(&["--policy", &path]).await
}

async fn propose(server: &Server, tool: &str) {
    let all = (0..CALLS).map(|number| async move {
        let call = json!({"id": format!("call_{number}"), "name": tool, "arguments": {}}).to_string();
        let (status, body) = server.post("/v1/threads/t/tool-calls", call).await.into_parts();
        assert_eq!(status, 201, "{body}");
    });
    join_all(all).await;
}

/// Waits for the decision of each call at these servers. Returns the calls.
async fn wait_for_all(servers: &[Server]) -> Vec<Value> {
    let all = (0..CALLS).map(|number| async move {
        let server = &servers[number % servers.len()];
        let call = server.request(Method::GET, &format!("/v1/threads/t/tool-calls/call_{number}"));
        let (_, call) = HttpAnswer::to(call.header("prefer", "wait=100")).await.into_parts();
        serde_json::from_str(&call).expect("JSON")
    });
    join_all(all).await
}

async fn killed_servers_reminders_and_escalations_happen_once(world: ProcessWorld) {
    let mut first = serve(&world).await;
    let others = [serve(&world).await, serve(&world).await, serve(&world).await];
    propose(&first, "page").await;
    first.kill().await;
    for call in wait_for_all(&others).await {
        assert_eq!(call["state"], "denied", "only the decision wakes the waiter: {call}");
        assert_eq!(call["response"]["source"], "expiry");
        assert_eq!(call["request"]["level"], "admin", "{call}");
    }
    let events = world.verified_log().await;
    assert_eq!(events.len(), 6 * CALLS);
    for (kind, by) in [
        (EventType::ApprovalReminder, "system:reminder"),
        (EventType::ApprovalEscalated, "system:escalation"),
        (EventType::ApprovalResponse, "system:expiry"),
        (EventType::ToolResult, "system:expiry"),
    ] {
        assert_eq!(calls_with(&events, kind, by), CALLS, "{kind}");
    }
}

async fn expiry_into_approval_allows_and_runs_once(world: ProcessWorld) {
    let mut first = serve(&world).await;
    let others = [serve(&world).await, serve(&world).await, serve(&world).await];
    propose(&first, "tidy").await;
    first.kill().await;
    for call in wait_for_all(&others).await {
        assert_eq!((&call["state"], &call["response"]["source"]), (&json!("allowed"), &json!("expiry")));
        let claims = join_all(others.iter().enumerate().map(|(number, server)| {
            let claim = json!({"executor": format!("w{number}"), "argumentsHash": call["argumentsHash"]});
            let path = format!("/v1/threads/t/tool-calls/{}/claim", call["id"].as_str().expect("an id"));
            async move { server.post(&path, claim.to_string()).await.status }
        }));
        assert_eq!(claims.await.iter().filter(|status| **status == 200).count(), 1);
    }
    let events = world.verified_log().await;
    assert_eq!(events.len(), 4 * CALLS);
    assert_eq!(calls_with(&events, EventType::ApprovalResponse, "system:expiry"), CALLS);
}

/// Returns the number of calls that have an event of this type by this principal.
fn calls_with(events: &[Arc<Event>], kind: EventType, by: &str) -> usize {
    let matching = events.iter().filter(|event| event.kind == kind && event.principal.as_str() == by);
    let id = |event: &Arc<Event>| event.data.read::<Value>().expect("an object")["toolCallId"].to_string();
    matching.map(id).collect::<HashSet<_>>().len()
}

/// Inserts an overdue request that this version cannot read, without the trigger that rejects it.
const UNREADABLE: &str = r"
INSERT INTO decision_in_progress (id) VALUES (1);
INSERT INTO events (thread_id, type, principal, data) SELECT 'odd', 'TOOL_CALL', 'agent:bot', json_object(
    'id', 'odd', 'name', 'bash', 'arguments', json('{}'), 'argumentsHash',
    '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
INSERT INTO events (thread_id, type, principal, data) SELECT 'odd', 'TOOL_APPROVAL_REQUEST', 'agent:bot', json_object(
    'toolCallId', 'odd', 'reason', 'by hand', 'options', json('[1]'), 'expiresAt', '2026-01-31T12:00:00.000Z',
    'policy', '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
DELETE FROM decision_in_progress;
";

/// The maximum number of queries for due tasks: a number per proposed call, and an additional number.
const MAX_QUERIES: (u64, u64) = (4, 200);
const PROPOSED: u64 = 200;

#[tokio::test]
async fn unreadable_due_call_delays_no_other_call() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        world.gate().await.shut_down().await;
        let inserted = Process::start(world.program("sqlite3").args(["log.db", UNREADABLE])).ended().await;
        assert_eq!(inserted.code, 0, "{}", inserted.stderr);
        let gate =
            EmbeddedGate::open_with(world.file("log.db"), StoreOptions::default(), Policy::ask_always())
                .await;
        let gate = gate.expect("the log opens").acting_as(Principal::agent("bot"));
        // A thread may have 100 pending calls.
        let thread = |number: u64| parse_thread_id(&format!("t{}", number / 50)).expect("a name");
        for number in 0..PROPOSED {
            let call = api::ProposeRequest::new(&format!("call_{number}"), "bash", "{}").expect("a call");
            gate.propose(&thread(number), &api::ProposeRequest { expires_in_seconds: Some(3_600), ..call })
                .await
                .expect("asked");
        }
        let query_count = due_query_count(&gate);
        assert!(
            (1..=PROPOSED * MAX_QUERIES.0 + MAX_QUERIES.1).contains(&query_count),
            "the due tasks were queried {query_count} times"
        );
        let call = api::ProposeRequest::new("soon", "bash", "{}").expect("a call");
        let call = api::ProposeRequest { expires_in_seconds: Some(1), ..call };
        let id = gate.propose(&thread(PROPOSED), &call).await.expect("asked").id;
        let lapsed = gate.wait(&thread(PROPOSED), &id, None).await.expect("the call expires");
        assert!(!lapsed.is_pending());
        gate.shut_down().await;
    })
    .await;
}

/// Returns the number of queries for due tasks, from the gate's metrics.
fn due_query_count(gate: &EmbeddedGate) -> u64 {
    let mut registry = Registry::default();
    gate.register_metrics(&mut registry);
    let mut text = String::new();
    encode(&mut text, &registry).expect("writing to a String succeeds");
    let line = text.lines().find(|line| line.starts_with("query_seconds_count{query=\"due\"}"));
    // The series begins with the first query.
    line.map_or(0, |line| line.split_whitespace().last().expect("a value").parse().expect("a number"))
}
