//! Tests for advisor measurements: planted mistakes come out exactly.

use super::{TestLog, json, log_under};
use crate::{
    Call,
    measure::{AdvisorMeasurement, AdvisorTally, AnswerRow, HumanDecision, MeasuredAnswer},
};
use countersign_approvals::{
    CallCommand, GrantScope,
    call::{CallStanding, RecordedFact},
    decide::{HashedArguments, RespondCommand},
};
use countersign_events::{
    AdviceFailure, AdviceTokens, AdviceVerdict, ApprovalResponse, CallId, Decision, Mode, Principal, Source,
};
use std::{collections::HashMap, time::Duration};

const POLICY: &str = r#"
[[rule]]
name = "free"
tool = "free"
verdict = "allow"

[[rule]]
name = "builds"
tool = "make"
verdict = "ask"

[[rule]]
name = "short"
tool = "short"
verdict = "ask"
expires = "1m"
"#;

const CALLS: u32 = 5_000;

fn answer(advice: AdviceVerdict) -> MeasuredAnswer {
    MeasuredAnswer {
        advice,
        failure: None,
        reason: Some("as the test says".to_owned()),
        elapsed_millis: 10,
        tokens: Some(AdviceTokens { input: 100, output: 7 }),
        cached: false,
    }
}

fn failure(failure: AdviceFailure, elapsed_millis: u64) -> MeasuredAnswer {
    let answer = answer(AdviceVerdict::Ask);
    MeasuredAnswer { failure: Some(failure), reason: None, tokens: None, elapsed_millis, ..answer }
}

fn measure(log: &TestLog, answers: &HashMap<CallId, MeasuredAnswer>) -> (AdvisorMeasurement, u32) {
    let (mut tally, mut ignored) = (AdvisorTally::default(), 0);
    for call in log.calls() {
        let allow = answer(AdviceVerdict::Allow);
        if !tally.add_answer(&call, answers.get(call.id()).unwrap_or(&allow)) {
            ignored += 1;
        }
    }
    (tally.measurement(), ignored)
}

/// The answer that agrees with the person, except for planted mistakes: of 5,000 answers, 250 do not agree.
fn planted_answer(number: u32, is_denied: bool) -> MeasuredAnswer {
    let (right, wrong) = if is_denied {
        (AdviceVerdict::Deny, AdviceVerdict::Allow)
    } else {
        (AdviceVerdict::Allow, AdviceVerdict::Deny)
    };
    match number % 100 {
        // Every call with a number that ends in 0 is denied. One in 100 is a trap: 50 in all. The others are 150 false denials.
        10..=13 => answer(wrong),
        // 30 and 20 that it leaves to people.
        14 if number % 500 < 300 => answer(AdviceVerdict::Ask),
        14 => failure(AdviceFailure::Timeout, 5_000),
        _ => answer(right),
    }
}

#[test]
fn planted_mistakes_are_measured_exactly() {
    let mut log = log_under(POLICY);
    let (mut answers, mut traps) = (HashMap::new(), Vec::new());
    for number in 0..CALLS {
        let is_denied = number % 10 == 0;
        let (thread, tool) = (format!("t{}", number / 100), if number % 4 == 0 { "make" } else { "bash" });
        let arguments = format!(r#"{{"command":"step {number}"}}"#);
        let decide = if is_denied { TestLog::deny } else { TestLog::allow };
        let id = decide(&mut log, &thread, "ada", tool, &arguments);
        if number % 100 == 10 {
            traps.push(id.clone());
        }
        answers.insert(id, planted_answer(number, is_denied));
    }
    let (found, ignored) = measure(&log, &answers);
    assert_eq!(ignored, 0);
    let total = found.total;
    assert_eq!((total.calls, total.cases, total.agreed), (5_000, 5_000, 4_750));
    assert_eq!((total.false_allows, total.false_denials, total.asked, total.failed), (50, 150, 50, 20));
    assert_eq!(total.answered(), 4_950);
    assert_eq!(total.table.allowed, AnswerRow { allow: 4_300, deny: 150, ask: 50 });
    assert_eq!(total.table.denied, AnswerRow { allow: 50, deny: 450, ask: 0 });
    let listed: Vec<_> = found.false_allows_listed.calls.iter().map(|call| call.id.clone()).collect();
    assert_eq!(listed, traps, "each trap is listed, and nothing else");
    assert_eq!(found.false_allows_listed.count, 50);
    assert_eq!(found.false_denials_listed.count, 150);
    let first = &found.false_allows_listed.calls[0];
    assert_eq!((first.decided_by.as_str(), first.comment.as_deref()), ("user:ada", Some("not on a Friday")));
    assert_eq!(first.arguments.as_str(), r#"{"command":"step 10"}"#);
    assert_eq!((found.saved.allow, found.saved.deny), (4_500 - 150 - 50 + 50, 500 - 50 + 150));
    assert_eq!(found.failures, [("timeout", 20)].into());
    let times = found.times.expect("times");
    assert_eq!((times.median_ms, times.p95_ms, times.max_ms), (10, 10, 5_000));
    assert_eq!(times.total_ms, 4_980 * 10 + 20 * 5_000);
    assert_eq!(found.tokens, Some(AdviceTokens { input: 498_000, output: 34_860 }));
    let rules: Vec<_> = found.rules.iter().map(|row| (row.name.as_deref(), row.counts.calls)).collect();
    assert_eq!(rules, [(None, 3_750), (Some("builds"), 1_250)]);
    let parts = |part: fn(&crate::measure::CaseCounts) -> u64| {
        found.tools.iter().map(|row| part(&row.counts)).sum::<u64>()
    };
    assert_eq!((parts(|counts| counts.agreed), parts(|counts| counts.false_allows)), (4_750, 50));
}

/// Only decisions of people are evidence.
#[test]
fn decisions_that_no_person_made_count_for_nothing() {
    let mut log = log_under(POLICY);
    log.allow("t", "ada", "bash", "{}");
    log.allow("t", "ada", "free", "{}");
    let granted = log.propose("t", "mail", r#"{"to":"bob"}"#);
    log.decide("t", "ada", &granted, RespondCommand::for_session(GrantScope::Tool));
    log.propose("t", "mail", r#"{"to":"eve"}"#);
    let expired = log.propose("t", "short", "{}");
    log.advance(Duration::from_secs(90));
    assert!(log.execute_on_call("t", Principal::system("expiry"), &expired, CallCommand::Due));
    let cancelled = log.propose("t", "bash", r#"{"command":"x"}"#);
    log.execute_on_call("t", Principal::agent("bot"), &cancelled, CallCommand::Cancel { reason: None });
    log.propose("t", "bash", r#"{"command":"waits"}"#);
    log.set_mode("v", Mode::ApproveAll);
    log.propose("v", "bash", "{}");
    let (found, ignored) = measure(&log, &HashMap::new());
    assert_eq!(
        (found.total.calls, found.total.agreed),
        (2, 2),
        "the plain allow, and the one for the session"
    );
    assert_eq!(ignored, 6);
}

#[test]
fn decision_of_an_advisor_is_no_evidence() {
    let mut log = log_under(POLICY);
    log.allow("t", "ada", "bash", "{}");
    let mut call = log.calls().remove(0);
    assert_eq!(HumanDecision::from_call(&call), Some(HumanDecision::Allowed));
    response_of(&mut call).by = Principal::advisor("judge");
    assert_eq!(HumanDecision::from_call(&call), None);
    response_of(&mut call).what.source = Source::Advisor;
    response_of(&mut call).by = Principal::user("ada");
    assert_eq!(HumanDecision::from_call(&call), None);
}

fn response_of(call: &mut Call) -> &mut RecordedFact<ApprovalResponse> {
    match &mut call.standing {
        CallStanding::Running { response, .. } => response,
        other => panic!("it runs: {other:?}"),
    }
}

#[test]
fn changed_arguments_are_a_case_only_if_allowed() {
    let mut log = log_under(POLICY);
    let mut change = |number: u32| {
        let id = log.propose("t", "bash", &format!(r#"{{"command":"rm {number}"}}"#));
        let edited = HashedArguments::new(json(r#"{"command":"ls"}"#)).expect("admitted");
        let respond =
            RespondCommand { arguments: Some(edited), ..RespondCommand::plain(Decision::AllowOnce) };
        assert!(log.decide("t", "ada", &id, respond));
        id
    };
    let ids: Vec<_> = (0..3).map(&mut change).collect();
    let advice = [AdviceVerdict::Allow, AdviceVerdict::Deny, AdviceVerdict::Ask];
    let answers = ids.iter().cloned().zip(advice.map(answer)).collect();
    let (found, _) = measure(&log, &answers);
    let total = found.total;
    assert_eq!((total.calls, total.table.changed), (3, AnswerRow { allow: 1, deny: 1, ask: 1 }));
    assert_eq!((total.cases, total.false_allows, total.agreed, total.false_denials), (1, 1, 0, 0));
    let listed = &found.false_allows_listed.calls[0];
    assert_eq!((&listed.id, listed.decision), (&ids[0], HumanDecision::Changed));
    assert_eq!(
        listed.arguments.as_str(),
        r#"{"command":"rm 0"}"#,
        "the arguments that it would have allowed"
    );
}

#[test]
fn answers_from_memory_cost_nothing() {
    let mut log = log_under(POLICY);
    let ids: Vec<_> =
        (0..4).map(|n| log.allow("t", "ada", "bash", &format!(r#"{{"command":"{n}"}}"#))).collect();
    let mut answers: HashMap<_, _> =
        ids.iter().cloned().map(|id| (id, answer(AdviceVerdict::Allow))).collect();
    for id in &ids[1..] {
        let cached = MeasuredAnswer { cached: true, elapsed_millis: 0, ..answer(AdviceVerdict::Allow) };
        answers.insert(id.clone(), cached);
    }
    let (found, _) = measure(&log, &answers);
    assert_eq!(found.total.agreed, 4);
    assert_eq!(found.tokens, Some(AdviceTokens { input: 100, output: 7 }));
    assert_eq!(found.times.map(|times| times.total_ms), Some(10));
}

#[test]
fn empty_measurement_has_no_times() {
    let found = AdvisorTally::default().measurement();
    assert_eq!((found.total.calls, found.times, found.tokens), (0, None, None));
}
