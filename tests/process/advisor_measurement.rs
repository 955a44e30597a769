//! A month of 5,000 calls with planted traps, and an advisor that is right in 95 of 100: report and replay measure exactly
//! that, and the advisor never decides.

use crate::{
    advisors::{next_advice, service, state},
    new_world,
};
use countersign_api::{self as api, ApprovalGate, CallGate};
use countersign_approvals::decide::AdviceCommand;
use countersign_events::{AdviceVerdict, Decision, Principal, ThreadId, Timestamp};
use countersign_gate::EmbeddedGate;
use countersign_policy::Policy;
use countersign_store::{Clock, StoreOptions, SyncMode};
use countersign_tests::{Database, Process, ProcessWorld, TargetAnswer, WebhookTarget, in_time};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::time::Duration;

const CALLS: usize = 5_000;

/// A thread may have 100 pending calls.
const BATCH: usize = 100;

/// The requests that the advisor answers before the first replay is killed.
const BEFORE_KILL: usize = 700;

/// People deny one call of ten.
fn is_denied(number: usize) -> bool {
    number.is_multiple_of(10)
}

/// The advisor's answer: 50 traps that it would allow, 150 denials of what people allow, 50 that it leaves to people.
fn advice_on(number: usize) -> AdviceVerdict {
    let (right, wrong) = if is_denied(number) {
        (AdviceVerdict::Deny, AdviceVerdict::Allow)
    } else {
        (AdviceVerdict::Allow, AdviceVerdict::Deny)
    };
    match number % 100 {
        10..=13 => wrong,
        14 => AdviceVerdict::Ask,
        _ => right,
    }
}

fn policy(url: &str, mode: &str) -> String {
    let advisor = service("judge", url, &format!("mode = \"{mode}\"\noutcomes = [\"deny\", \"allow\"]"));
    let asks =
        if mode == "decide" { "verdict = \"advised\"\nadvisor = \"judge\"" } else { "verdict = \"ask\"" };
    format!("{advisor}\n[[rule]]\nname = \"builds\"\ntool = \"bash\"\n{asks}\n")
}

fn call_number(body: &Value) -> usize {
    let command = body["call"]["arguments"]["command"].as_str().expect("a command");
    command.trim_start_matches("step ").parse().expect("a number")
}

async fn starts_advisor() -> WebhookTarget {
    WebhookTarget::start(|_, request| {
        let advice = advice_on(call_number(&request.json())).as_str();
        let tokens = json!({"input": 100, "output": 7});
        TargetAnswer::Json(json!({"advice": advice, "reason": "as planted", "tokens": tokens}).to_string())
    })
    .await
}

/// Writes the month: one batch of calls every few hours, each with advice in shadow mode and a person's decision.
async fn writes_month(world: &ProcessWorld, policy: &str) {
    let beginning: Timestamp = "2026-01-01T08:00:00.000Z".parse().expect("a time");
    let (clock, hand) = Clock::manual(beginning);
    let options = StoreOptions { clock, synchronous: SyncMode::Normal, ..StoreOptions::default() };
    let policy = Policy::read(policy).expect("a policy");
    let gate = EmbeddedGate::open_with(world.address(), options, policy).await.expect("opens");
    for first in (0..CALLS).step_by(BATCH) {
        let hours = u64::try_from(first / BATCH * 14).expect("small");
        hand.set(beginning.after(Duration::from_hours(hours)));
        join_all((first..first + BATCH).map(|number| plays_call(&gate, number))).await;
    }
    gate.shut_down().await;
}

async fn plays_call(gate: &EmbeddedGate, number: usize) {
    let thread = ThreadId::new(&format!("t{}", number / BATCH)).expect("valid");
    let arguments = format!(r#"{{"command":"step {number}"}}"#);
    let request = api::ProposeRequest::new(&format!("call_{number}"), "bash", &arguments).expect("valid");
    let (bot, ada) = (gate.acting_as(Principal::agent("bot")), gate.acting_as(Principal::user("ada")));
    let call = bot.propose(&thread, &request).await.expect("proposed");
    let policy = gate.policy_in_force().expect("readable");
    let advice = AdviceCommand {
        advisor: "judge".to_owned(),
        configuration: policy.advisor("judge").expect("an advisor").configuration,
        advice: advice_on(number),
        reason: Some("as planted".to_owned()),
        confidence: None,
        labels: Vec::new(),
        failure: None,
        elapsed_millis: 20,
        tokens: None,
        cached: false,
        arguments_hash: call.arguments_hash,
    };
    gate.record_advice(&thread, &call.id, &advice).await.expect("recorded");
    let decision = if is_denied(number) { Decision::Deny } else { Decision::AllowOnce };
    ada.decide(&thread, &call.id, &api::DecisionRequest::plain(decision)).await.expect("decided");
}

/// Asserts that a report or a replay has exactly the planted numbers.
fn assert_planted(found: &Value) {
    let measured = &found["measurement"];
    let counts = ["calls", "cases", "agreed", "falseAllows", "falseDenials", "asked", "failed"];
    let counts = counts.map(|name| measured[name].as_u64().expect("a number"));
    assert_eq!(counts, [5_000, 5_000, 4_750, 50, 150, 50, 0], "95 % right");
    let table = json!({
        "allowed": {"allow": 4_300, "deny": 150, "ask": 50},
        "denied": {"allow": 50, "deny": 450, "ask": 0},
        "changed": {"allow": 0, "deny": 0, "ask": 0},
    });
    assert_eq!(measured["table"], table);
    let traps = measured["falseAllowsListed"]["calls"].as_array().expect("a list");
    let mut traps: Vec<usize> = traps.iter().map(|call| call_number(&json!({"call": call}))).collect();
    traps.sort_unstable();
    let planted: Vec<usize> = (0..CALLS).filter(|number| number % 100 == 10).collect();
    assert_eq!(traps, planted, "each trap is listed, and nothing else");
    assert_eq!(measured["rules"][0]["name"], "builds");
    assert_eq!((&found["meetsThresholds"], &found["advisor"]), (&json!(false), &json!("judge")));
    let unmet = found["unmet"].as_str().expect("a reason");
    assert!(unmet.contains("would have allowed 50 calls that people denied"), "{unmet}");
}

async fn json_of(world: &ProcessWorld, words: &[&str]) -> Value {
    let ended = Process::start(&mut world.countersign_over_log(&[&["--json"], words].concat())).ended().await;
    assert_eq!(ended.code, 0, "{words:?}: {}", ended.stderr);
    serde_json::from_str(&ended.stdout).expect("JSON")
}

/// Replays with a kill in between. Returns the result, and the number of questions.
async fn replays_after_kill(world: &ProcessWorld, advisor: &mut WebhookTarget) -> (Value, usize) {
    let state = world.file("replay.state").display().to_string();
    let words = ["advisor", "replay", "judge", "--rate", "10000/s", "--concurrency", "8", "--resume", &state];
    let mut first = Process::start(&mut world.countersign_over_log(&words));
    for _ in 0..BEFORE_KILL {
        advisor.receives().await;
    }
    first.kill().await;
    let asked = BEFORE_KILL + advisor.received().len();
    let found = json_of(world, &words).await;
    (found, asked + advisor.received().len())
}

async fn assert_never_decides(world: &ProcessWorld, policy: &str) {
    let path = world.write_policy(policy);
    let (code, said) = world.runs(&["policy", "apply", &path, "--yes"]).await;
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("advisor judge has the mode \"decide\", but only advises until it is proven"),
        "{said}"
    );
    assert!(said.contains("advisor replay judge"), "{said}");
    let server = world.serves().await;
    let mut advice =
        server.person("ada").streams("/v1/threads/t/events?type=TOOL_APPROVAL_ADVICE", None).await;
    let call = json!({"id": "new", "name": "bash", "arguments": {"command": "step 1"}});
    server.agent("builder").post("/v1/threads/t/tool-calls", call.to_string()).await;
    let data = next_advice(&mut advice).await;
    assert_eq!((&data["advice"], &data["mode"]), (&json!("allow"), &json!("advise")));
    assert_eq!(state(&server, "new").await, "pending", "it never decides");
    assert_eq!(server.terminated().await.code, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn advisor_that_is_95_percent_right_never_decides() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let mut advisor = starts_advisor().await;
        writes_month(&world, &policy(&advisor.url(), "shadow")).await;
        let report = json_of(&world, &["advisor", "report", "judge"]).await;
        assert_planted(&report);
        assert_eq!((&report["source"], &report["recorded"]), (&json!("shadow"), &json!(false)));
        let (replay, questions) = replays_after_kill(&world, &mut advisor).await;
        assert_planted(&replay);
        assert_eq!(replay["measurement"]["tokens"], json!({"input": 500_000, "output": 35_000}));
        assert_eq!((&replay["source"], &replay["recorded"]), (&json!("replay"), &json!(true)));
        // The questions that were open when the replay was killed are asked again.
        assert!((CALLS..=CALLS + 8).contains(&questions), "{questions} questions");
        let (code, said) = world.runs(&["advisor", "report", "judge"]).await;
        assert_eq!(code, 0);
        assert!(said.contains("Agreed: 4750 of 5000 (95.0 %)"), "{said}");
        assert!(said.contains("Would allow, but a person denied or changed it: 50"), "{said}");
        assert_never_decides(&world, &policy(&advisor.url(), "decide")).await;
        let log = world.verified_log().await;
        assert!(log.iter().all(|event| !event.data.as_str().contains(r#""source":"advisor""#)));
        let reports = log.iter().filter(|event| event.kind.as_str() == "ADVISOR_REPORTED").count();
        assert_eq!(reports, 1, "the report was not recorded, and the replay was");
    })
    .await;
}
