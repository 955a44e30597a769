//! Advice, flags and the modes of advisors: recorded once by all processes together, read back, and erased with their call.

use crate::erasure::{SECRET, events_with};
use countersign_api::{self as api, ApprovalGate, CallGate, SendOperation, operations};
use countersign_approvals::decide::AdviceCommand;
use countersign_events::{
    AdviceVerdict, AdvisorMode, CallId, CallState, Decision, EventType, Principal, ReportSource, Source,
    ThreadId,
};
use countersign_gate::EmbeddedGate;
use countersign_policy::Policy;
use countersign_tests::{World, on_each_database};

on_each_database! {
    proven_advisor_answers_in_every_process,
    contradicted_advisor_falls_back_once,
    drift_counts_the_last_answers,
    advice_is_recorded_once,
    second_advice_is_refused_by_the_database,
    texts_of_advice_and_flags_are_erased,
    texts_of_advice_are_archived,
    view_of_advice_names_the_decision,
}

const POLICY: &str = r#"
[[advisor]]
name = "judge"
url = "https://judge.example"
mode = "decide"
outcomes = ["deny", "allow"]
minCases = 1

[[rule]]
name = "deploys"
tool = "deploy"
verdict = "advised"
advisor = "judge"
"#;

async fn open(world: &World) -> EmbeddedGate {
    let policy = Policy::read(POLICY).expect("valid");
    EmbeddedGate::open_with(world.address(), world.options(), policy).await.expect("opens")
}

fn thread() -> ThreadId {
    ThreadId::new("t").expect("valid")
}

fn id(id: &str) -> CallId {
    CallId::new(id).expect("valid")
}

async fn propose(gate: &EmbeddedGate, id: &str) -> api::Call {
    // A denial also answers calls with the same arguments.
    let arguments = format!(r#"{{"target": "{id}"}}"#);
    let request = api::ProposeRequest::new(id, "deploy", &arguments).expect("valid");
    let bot = gate.acting_as(Principal::agent("bot"));
    bot.propose(&thread(), &request).await.expect("proposed")
}

fn advice(gate: &EmbeddedGate, call: &api::Call, verdict: AdviceVerdict) -> AdviceCommand {
    let policy = gate.policy_in_force().expect("readable");
    AdviceCommand {
        advisor: "judge".to_owned(),
        configuration: policy.advisor("judge").expect("an advisor").configuration,
        advice: verdict,
        reason: Some(format!("it names {SECRET}")),
        confidence: Some("0.75".parse().expect("valid")),
        labels: vec![format!("text {SECRET}")],
        failure: None,
        elapsed_millis: 7,
        tokens: None,
        cached: false,
        arguments_hash: call.arguments_hash,
    }
}

async fn prove(gate: &EmbeddedGate) {
    let policy = gate.policy_in_force().expect("readable");
    let request = api::AdvisorReportRequest {
        configuration: policy.advisor("judge").expect("an advisor").configuration,
        counts: api::AdvisorReportCounts {
            source: ReportSource::Replay,
            cases: 1,
            agreed: 1,
            false_allows: 0,
            false_denials: 0,
            asked: 0,
            failed: 0,
            elapsed_millis: None,
            input_tokens: None,
            output_tokens: None,
            after: None,
            up_to: 1,
        },
    };
    let root = gate.acting_as(Principal::user("root"));
    let list = root
        .send(operations::ReportAdvisor { name: "judge".to_owned(), body: request })
        .await
        .expect("recorded");
    assert_eq!(list.advisors[0].mode, AdvisorMode::Decide, "{:?}", list.advisors[0].why);
}

async fn proven_advisor_answers_in_every_process(world: &mut World) {
    let (first, second) = (open(world).await, open(world).await);
    let call = propose(&first, "a").await;
    let given = advice(&second, &call, AdviceVerdict::Allow);
    let unproven = second.record_advice(&thread(), &id("a"), &given).await.expect("recorded");
    assert_eq!(unproven.state, CallState::Pending);
    prove(&first).await;
    let call = propose(&first, "b").await;
    let answered =
        second.record_advice(&thread(), &id("b"), &advice(&second, &call, AdviceVerdict::Allow)).await;
    let answered = answered.expect("recorded");
    assert_eq!(answered.state, CallState::Allowed);
    let response = answered.response.expect("decided");
    assert_eq!((response.source, response.principal.as_str()), (Source::Advisor, "advisor:judge"));
    for gate in [first, second] {
        gate.shut_down().await;
    }
    assert!(world.verify().await.holds());
}

/// Lets the advisor allow a call, and returns true if the advisor decided it.
async fn advisor_allows(gate: &EmbeddedGate, call: &str) -> bool {
    let proposed = propose(gate, call).await;
    let given = advice(gate, &proposed, AdviceVerdict::Allow);
    gate.record_advice(&thread(), &id(call), &given).await.expect("recorded").state == CallState::Allowed
}

async fn contradicted_advisor_falls_back_once(world: &mut World) {
    let (first, second) = (open(world).await, open(world).await);
    prove(&first).await;
    let ada = first.acting_as(Principal::user("ada"));
    for call in ["a", "b", "c"] {
        assert!(advisor_allows(&first, call).await);
    }
    let flag = api::FlagRequest { comment: Some("it deleted data".to_owned()) };
    ada.send(operations::FlagCall { thread: thread(), id: id("a"), body: flag.clone() })
        .await
        .expect("flagged");
    second.check_advisor_drift().await.expect("counted");
    let drift = second.send(operations::ListAdvisors {}).await.expect("listed").advisors[0].drift;
    let one = api::AdvisorDrift { answered: 3, overruled: 0, complaints: 1, share: 0.05, exceeds: false };
    assert_eq!(drift, one, "one of 20 is what the policy accepts");
    ada.send(operations::FlagCall { thread: thread(), id: id("b"), body: flag }).await.expect("flagged");
    let drift = first.send(operations::ListAdvisors {}).await.expect("listed").advisors[0].drift;
    assert!(drift.exceeds, "two of 20 are more");
    let (one, other) = tokio::join!(first.check_advisor_drift(), second.check_advisor_drift());
    one.and(other).expect("counted");
    first.check_advisor_drift().await.expect("counted again");
    let filter = api::LogFilter { types: vec![EventType::AdvisorModeSet], ..api::LogFilter::default() };
    let events = first.events(&filter, api::PageQuery { after: 0, limit: 9 }).await.expect("read").events;
    let [set] = &events[..] else { panic!("one event: {events:?}") };
    assert_eq!(set.principal.as_str(), "system:drift");
    assert!(set.data.as_str().contains("of its last 3 answers, people overruled 0 and complained of 2"));
    assert!(!advisor_allows(&second, "d").await, "it only advises");
    let advisor = second.send(operations::ListAdvisors {}).await.expect("listed").advisors.remove(0);
    assert_eq!((advisor.mode, advisor.drift.answered), (AdvisorMode::Advise, 0), "the count began again");
    for gate in [first, second] {
        gate.shut_down().await;
    }
    assert!(world.verify().await.holds());
}

/// The answers that count are read from the log's end, however many others there are.
async fn drift_counts_the_last_answers(world: &mut World) {
    let gate = open(world).await;
    let ada = gate.acting_as(Principal::user("ada"));
    for number in 0..230 {
        let call = format!("call_{number}");
        let proposed = propose(&gate, &call).await;
        let given = advice(&gate, &proposed, AdviceVerdict::Allow);
        gate.record_advice(&thread(), &id(&call), &given).await.expect("recorded");
        // The first 20 answers are contradicted, and the last 10 calls wait.
        let decision = if number < 20 { Decision::Deny } else { Decision::AllowOnce };
        if number < 220 {
            let request = api::DecisionRequest::plain(decision);
            ada.decide(&thread(), &id(&call), &request).await.expect("decided");
        }
    }
    let drift = gate.send(operations::ListAdvisors {}).await.expect("listed").advisors[0].drift;
    assert_eq!((drift.answered, drift.overruled), (200, 0));
    gate.shut_down().await;
}

async fn advice_is_recorded_once(world: &mut World) {
    let gates = [open(world).await, open(world).await, open(world).await];
    let call = propose(&gates[0], "a").await;
    let given = gates.iter().map(|gate| {
        let advice = advice(gate, &call, AdviceVerdict::Deny);
        async move { gate.record_advice(&thread(), &id("a"), &advice).await.expect("succeeds") }
    });
    futures_util::future::join_all(given).await;
    assert_eq!(world.count(EventType::ApprovalAdvice).await, 1);
    for gate in gates {
        gate.shut_down().await;
    }
}

async fn second_advice_is_refused_by_the_database(world: &mut World) {
    let gate = open(world).await;
    let call = propose(&gate, "a").await;
    gate.record_advice(&thread(), &id("a"), &advice(&gate, &call, AdviceVerdict::Ask))
        .await
        .expect("recorded");
    gate.shut_down().await;
    let copy = "INSERT INTO events (seq, thread_id, type, timestamp, principal, data, hash) \
                SELECT seq + 1, thread_id, type, timestamp, principal, data, hash FROM events \
                WHERE type = 'TOOL_APPROVAL_ADVICE'";
    let why = world.run_sql(copy).await.expect_err("one advice of each advisor");
    assert!(why.contains("events_by_call"), "{why}");
}

async fn texts_of_advice_and_flags_are_erased(world: &mut World) {
    let gate = open(world).await;
    prove(&gate).await;
    let call = propose(&gate, "a").await;
    gate.record_advice(&thread(), &id("a"), &advice(&gate, &call, AdviceVerdict::Allow))
        .await
        .expect("recorded");
    let (bot, ada) = (gate.acting_as(Principal::agent("bot")), gate.acting_as(Principal::user("ada")));
    let call =
        bot.claim(&thread(), &id("a"), &api::ClaimRequest::for_call(&call, "w")).await.expect("claimed");
    bot.finish(&thread(), &call.id, &api::ResultRequest::success("done")).await.expect("finished");
    let flag = api::FlagRequest { comment: Some(format!("it sent {SECRET}")) };
    let flagged =
        ada.send(operations::FlagCall { thread: thread(), id: id("a"), body: flag }).await.expect("flagged");
    assert_eq!((flagged.advice.len(), flagged.flags.len()), (1, 1));
    assert!(events_with(world.store(), SECRET).await.len() >= 3);
    let erase = api::EraseRequest { reason: "request 17".to_owned() };
    let erased = ada
        .send(operations::EraseCall { thread: thread(), id: id("a"), body: erase })
        .await
        .expect("erased")
        .call;
    assert_eq!(events_with(world.store(), SECRET).await, Vec::<i64>::new());
    assert_eq!((erased.advice[0].reason.as_ref(), erased.advice[0].labels.len()), (None, 0));
    assert_eq!(erased.advice[0].advice, AdviceVerdict::Allow, "everything else stays");
    gate.shut_down().await;
    assert!(world.verify().await.holds());
}

async fn texts_of_advice_are_archived(world: &mut World) {
    let gate = open(world).await;
    let call = propose(&gate, "a").await;
    gate.record_advice(&thread(), &id("a"), &advice(&gate, &call, AdviceVerdict::Ask))
        .await
        .expect("recorded");
    let ada = gate.acting_as(Principal::user("ada"));
    ada.decide(&thread(), &id("a"), &api::DecisionRequest::plain(Decision::Deny)).await.expect("denied");
    ada.send(operations::CloseThread { thread: thread() }).await.expect("closed");
    let late = gate.record_advice(&thread(), &id("a"), &advice(&gate, &call, AdviceVerdict::Ask)).await;
    assert!(late.is_ok(), "the same advice again changes nothing");
    gate.shut_down().await;
    assert!(world.verify().await.holds());
}

async fn view_of_advice_names_the_decision(world: &mut World) {
    let gate = open(world).await;
    let call = propose(&gate, "a").await;
    gate.record_advice(&thread(), &id("a"), &advice(&gate, &call, AdviceVerdict::Deny))
        .await
        .expect("recorded");
    let ada = gate.acting_as(Principal::user("ada"));
    ada.decide(&thread(), &id("a"), &api::DecisionRequest::plain(Decision::AllowOnce))
        .await
        .expect("allowed");
    ada.send(operations::FlagCall { thread: thread(), id: id("a"), body: api::FlagRequest::default() })
        .await
        .expect("flagged");
    gate.shut_down().await;
    let mut connection = world.sql_connection().await;
    let query = "SELECT advisor || ' ' || mode || ' ' || advice || ' ' || decision || ' ' || decided_by || ' ' || flagged_by FROM advice";
    let rows = connection.query_texts(query).await.expect("the view exists");
    connection.close().await;
    assert_eq!(rows, ["judge advise deny allow_once user:ada user:ada"]);
}
