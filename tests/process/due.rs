//! What is due on a call is carried out once, by whoever is there, and wakes nobody who waits for something else.

use crate::harness::{Place, Process, Server, in_time};
use countersign_gate::{Event, EventType, Gate, Options, Policy, Principal, api, name};
use futures_util::future::join_all;
use prometheus_client::{encoding::text::encode, registry::Registry};
use reqwest::Method;
use serde_json::{Value, json};
use std::{collections::HashSet, fs, sync::Arc};

on_each_database!(
    people_are_reminded_and_a_higher_level_is_asked_once_though_the_first_server_was_killed,
    what_lapses_into_an_approval_is_allowed_once_and_runs_once
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

async fn serve(place: &Place) -> Server {
    fs::write(place.path("policy.toml"), POLICY).expect("a file");
    let path = place.path("policy.toml").display().to_string();
    Server::start_with(place, "127.0.0.1:0", &["--policy", &path]).await
}

async fn propose(server: &Server, tool: &str) {
    let all = (0..CALLS).map(|number| async move {
        let call = json!({"id": format!("call_{number}"), "name": tool, "arguments": {}}).to_string();
        let (status, body) = server.post("/v1/threads/t/tool-calls", call).await;
        assert_eq!(status, 201, "{body}");
    });
    join_all(all).await;
}

/// Waits for all the calls at those servers, and gives them as the answers have them.
async fn wait_for_all(servers: &[Server]) -> Vec<Value> {
    let all = (0..CALLS).map(|number| async move {
        let server = &servers[number % servers.len()];
        let call = server.request(Method::GET, &format!("/v1/threads/t/tool-calls/call_{number}"));
        let (_, call) = server.answer(call.header("prefer", "wait=100")).await;
        serde_json::from_str(&call).expect("JSON")
    });
    join_all(all).await
}

async fn people_are_reminded_and_a_higher_level_is_asked_once_though_the_first_server_was_killed(
    place: Place,
) {
    let mut first = serve(&place).await;
    let others = [serve(&place).await, serve(&place).await, serve(&place).await];
    propose(&first, "page").await;
    first.kill().await;
    for call in wait_for_all(&others).await {
        assert_eq!(
            call["state"], "denied",
            "whoever waits is woken by the decision, and by nothing before: {call}"
        );
        assert_eq!(call["response"]["source"], "expiry");
        assert_eq!(call["request"]["level"], "admin", "{call}");
    }
    let events = place.sound_log().await;
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

async fn what_lapses_into_an_approval_is_allowed_once_and_runs_once(place: Place) {
    let mut first = serve(&place).await;
    let others = [serve(&place).await, serve(&place).await, serve(&place).await];
    propose(&first, "tidy").await;
    first.kill().await;
    for call in wait_for_all(&others).await {
        assert_eq!((&call["state"], &call["response"]["source"]), (&json!("allowed"), &json!("expiry")));
        let claims = join_all(others.iter().enumerate().map(|(number, server)| {
            let claim = json!({"executor": format!("w{number}"), "argumentsHash": call["argumentsHash"]});
            let path = format!("/v1/threads/t/tool-calls/{}/claim", call["id"].as_str().expect("an id"));
            async move { server.post(&path, claim.to_string()).await.0 }
        }));
        assert_eq!(claims.await.iter().filter(|status| **status == 200).count(), 1);
    }
    let events = place.sound_log().await;
    assert_eq!(events.len(), 4 * CALLS);
    assert_eq!(calls_with(&events, EventType::ApprovalResponse, "system:expiry"), CALLS);
}

/// How many calls have an event of that type by that principal.
fn calls_with(events: &[Arc<Event>], kind: EventType, by: &str) -> usize {
    let of = events.iter().filter(|event| event.kind == kind && event.principal.as_str() == by);
    let id = |event: &Arc<Event>| event.data.read::<Value>().expect("an object")["toolCallId"].to_string();
    of.map(id).collect::<HashSet<_>>().len()
}

/// A request that this program cannot read and that lapsed long ago, written past the trigger that rejects it.
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

/// How often the database may be asked for what is due, for each call that is proposed, and besides now and then.
const ASKED: (u64, u64) = (4, 200);
const PROPOSED: u64 = 200;

#[tokio::test]
async fn a_call_that_cannot_be_read_holds_nothing_up_and_keeps_nobody_busy() {
    in_time(async {
        let place = Place::new();
        place.gate().await.shut_down().await;
        let inserted = Process::start(place.program("sqlite3").args(["log.db", UNREADABLE])).ended().await;
        assert_eq!(inserted.code, 0, "{}", inserted.stderr);
        let gate = Gate::open_with(place.path("log.db"), Options::default(), Policy::ask_always()).await;
        let gate = gate.expect("it opens").acting_as(Principal::agent("bot"));
        let thread = name("t").expect("a name");
        for number in 0..PROPOSED {
            let call = api::Propose::new(&format!("call_{number}"), "bash", "{}").expect("a call");
            gate.propose(&thread, &api::Propose { expires_in_seconds: Some(3_600), ..call })
                .await
                .expect("asked");
        }
        let asked = asked_for_what_is_due(&gate);
        assert!((1..=PROPOSED * ASKED.0 + ASKED.1).contains(&asked), "it was asked {asked} times");
        let call = api::Propose::new("soon", "bash", "{}").expect("a call");
        let call = api::Propose { expires_in_seconds: Some(1), ..call };
        let id = gate.propose(&thread, &call).await.expect("asked").id;
        let lapsed = gate.wait(&thread, &id, None).await.expect("it lapses");
        assert!(!lapsed.is_pending());
        gate.shut_down().await;
    })
    .await;
}

/// How often, by the gate's own count.
fn asked_for_what_is_due(gate: &Gate) -> u64 {
    let mut registry = Registry::default();
    gate.metrics(&mut registry).expect("it is over a file");
    let mut text = String::new();
    encode(&mut text, &registry).expect("a text takes more");
    let line = text.lines().find(|line| line.starts_with("query_seconds_count{query=\"due\"}"));
    line.and_then(|line| line.split_whitespace().last()?.parse().ok()).expect("it is counted")
}
