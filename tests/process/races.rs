//! Two thousand races between four processes, which decide and run the same calls.

use countersign_events::{Event, EventType};
use countersign_tests::{Player, ProcessWorld};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::{collections::HashMap, sync::Arc};

on_each_database!(racing_decisions_have_one_winner_denied_never_run);

const PROCESSES: usize = 4;
const CALLS: usize = 2_000;

async fn racing_decisions_have_one_winner_denied_never_run(world: ProcessWorld) {
    let parts = (0..PROCESSES)
        .map(|me| json!({"racer": {"me": me, "processes": PROCESSES, "calls": CALLS, "atOnce": 128}}));
    let mut racers = Vec::new();
    for part in parts {
        racers.push(world.starts_player(&part).await);
    }
    for racer in &mut racers {
        racer.go().await;
    }
    let reports: Vec<Value> =
        join_all(racers.into_iter().map(Player::reports_to_its_end)).await.into_iter().flatten().collect();
    let events = world.verified_log().await;
    let decided = decisions(&events);
    assert_eq!(decided.len(), CALLS);
    assert_losers_know_the_winner(&reports, &decided);
    assert_only_allowed_calls_ran(&reports, &events, &decided);
}

/// Returns the decision on each call. Panics if a call has two.
fn decisions(events: &[Arc<Event>]) -> HashMap<u64, String> {
    let mut decided = HashMap::new();
    for event in events.iter().filter(|event| event.kind == EventType::ApprovalResponse) {
        let data: Value = event.data.read().expect("an object");
        let decision = data["decision"].as_str().expect("a decision").to_owned();
        assert_eq!(decided.insert(number(&data), decision), None, "decided twice: {data}");
    }
    decided
}

fn number(data: &Value) -> u64 {
    let id = data["toolCallId"].as_str().expect("an id");
    id.trim_start_matches("call_").parse().expect("a number")
}

fn assert_losers_know_the_winner(reports: &[Value], decided: &HashMap<u64, String>) {
    let mut decisions_by_call: HashMap<u64, Vec<&Value>> = HashMap::new();
    for report in reports.iter().filter(|report| report.get("decides").is_some()) {
        decisions_by_call.entry(report["decides"].as_u64().expect("a number")).or_default().push(report);
    }
    assert_eq!(decisions_by_call.len(), CALLS);
    let mut wins: HashMap<&str, usize> = HashMap::new();
    for (number, reports_of_call) in &decisions_by_call {
        let won = decided[number].as_str();
        assert_eq!(reports_of_call.len(), 2, "{reports_of_call:?}");
        assert!(
            reports_of_call.iter().all(|report| report["won"] == won),
            "{won} won, and {reports_of_call:?}"
        );
        assert_eq!(
            reports_of_call.iter().filter(|report| report["said"] == won).count(),
            1,
            "{reports_of_call:?}"
        );
        let loser = reports_of_call.iter().find(|report| report["said"] != won).expect("one lost");
        assert_eq!(loser["by"], format!("user:{won}"));
        *wins.entry(won).or_default() += 1;
    }
    assert_eq!(wins.len(), 2, "one decision always won: {wins:?}");
}

fn assert_only_allowed_calls_ran(reports: &[Value], events: &[Arc<Event>], decided: &HashMap<u64, String>) {
    let mut claims: HashMap<u64, usize> = HashMap::new();
    for event in events.iter().filter(|event| event.kind == EventType::ExecutionStarted) {
        *claims.entry(number(&event.data.read().expect("an object"))).or_default() += 1;
    }
    let mut ran: HashMap<u64, usize> = HashMap::new();
    for report in reports.iter().filter(|report| report.get("runs").is_some()) {
        let count = ran.entry(report["runs"].as_u64().expect("a number")).or_default();
        *count += usize::from(report["told"] == "go");
    }
    assert_eq!(ran.len(), CALLS);
    for (number, decision) in decided {
        let allowed = usize::from(decision == "allow_once");
        assert_eq!(ran[number], allowed, "call {number} is {decision}");
        assert_eq!(claims.get(number).copied().unwrap_or(0), allowed, "call {number} is {decision}");
    }
}
