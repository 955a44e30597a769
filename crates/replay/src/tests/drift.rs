//! Tests for drift: the share of advice that people contradict.

use super::{TestLog, log_under};
use crate::measure::{AdvisorDrift, DRIFT_WINDOW, DriftTally, LateFacts, MIN_DRIFT_ANSWERS};
use countersign_approvals::{
    CallCommand,
    decide::{AdviceCommand, RespondCommand},
};
use countersign_events::{AdviceVerdict, CallId, Decision, Principal, Sha256};

const POLICY: &str = "[[advisor]]\nname = \"judge\"\nurl = \"https://judge.example\"\nmode = \"advise\"\n";

fn configuration(log: &TestLog) -> Sha256 {
    log.policy.advisor("judge").expect("an advisor").configuration
}

fn advise(log: &mut TestLog, id: &CallId, advice: AdviceVerdict) {
    let arguments_hash = log.calls().iter().find(|call| call.id() == id).expect("a call").arguments_hash();
    let command = AdviceCommand {
        advisor: "judge".to_owned(),
        configuration: configuration(log),
        advice,
        reason: None,
        confidence: None,
        labels: Vec::new(),
        failure: None,
        elapsed_millis: 1,
        tokens: None,
        cached: false,
        arguments_hash,
    };
    assert!(log.execute_on_call("t", Principal::advisor("judge"), id, CallCommand::Advise(command)));
}

fn decided(log: &mut TestLog, number: u32, advice: AdviceVerdict, decision: Decision) -> CallId {
    let id = log.propose("t", "bash", &format!(r#"{{"command":"{number}"}}"#));
    advise(log, &id, advice);
    assert!(log.decide("t", "ada", &id, RespondCommand::plain(decision)));
    id
}

fn flag(log: &mut TestLog, id: &CallId) {
    let flag = CallCommand::Flag { comment: Some("it broke".to_owned()) };
    assert!(log.execute_on_call("t", Principal::user("bob"), id, flag));
}

fn drift_after(log: &TestLog, after: i64) -> AdvisorDrift {
    let mut facts = LateFacts::new("judge");
    log.events.iter().for_each(|event| facts.add_event(event));
    let mut tally = DriftTally::new("judge", configuration(log), after);
    for call in log.calls() {
        tally.add_call(&facts.complete_call(&call));
    }
    tally.drift()
}

#[test]
fn contradictions_and_complaints_are_counted_once() {
    let mut log = log_under(POLICY);
    decided(&mut log, 1, AdviceVerdict::Allow, Decision::AllowOnce);
    decided(&mut log, 2, AdviceVerdict::Allow, Decision::Deny);
    let deny = decided(&mut log, 3, AdviceVerdict::Deny, Decision::AllowOnce);
    flag(&mut log, &deny);
    decided(&mut log, 4, AdviceVerdict::Ask, Decision::Deny);
    let run = decided(&mut log, 5, AdviceVerdict::Allow, Decision::AllowOnce);
    log.run("t", &run, r#"{"command":"5"}"#);
    flag(&mut log, &run);
    let waiting = log.propose("t", "bash", r#"{"command":"6"}"#);
    advise(&mut log, &waiting, AdviceVerdict::Allow);
    let drift = drift_after(&log, 0);
    assert_eq!(drift, AdvisorDrift { answered: 4, overruled: 2, complaints: 1 });
    assert_eq!((drift.contradicted(), drift.share_of()), (3, MIN_DRIFT_ANSWERS));
}

#[test]
fn advice_that_came_late_was_not_overruled() {
    let mut log = log_under(POLICY);
    let id = log.deny("t", "ada", "bash", "{}");
    advise(&mut log, &id, AdviceVerdict::Allow);
    assert_eq!(drift_after(&log, 0), AdvisorDrift::default());
}

#[test]
fn only_recent_answers_count() {
    let mut log = log_under(POLICY);
    decided(&mut log, 0, AdviceVerdict::Allow, Decision::Deny);
    let last = log.events.last().expect("an event").seq;
    assert_eq!(drift_after(&log, 0).overruled, 1);
    assert_eq!(drift_after(&log, last), AdvisorDrift::default(), "a mode that was set begins a new count");
    for number in 1..=u32::try_from(DRIFT_WINDOW).expect("small") {
        decided(&mut log, number, AdviceVerdict::Allow, Decision::AllowOnce);
    }
    let drift = drift_after(&log, 0);
    assert_eq!((drift.answered, drift.overruled), (DRIFT_WINDOW as u64, 0));
}
