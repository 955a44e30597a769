//! The modes of advisors: reports, fall-backs and statements.

use super::{
    advisors::{ADVICE, POLICY, RESPONSE, proven},
    *,
};
use crate::advisor_directory::AdvisorDirectory;
use countersign_events::{AdviceVerdict, AdvisorMode, AdvisorReported, ReportSource};

#[test]
fn fall_back_holds_until_a_person_lifts_it() {
    let mut story = proven();
    story.sets_advisor(Principal::system("drift"), AdvisorMode::Advise, Some("overruled")).expect("recorded");
    assert_eq!(story.advises("c", AdviceVerdict::Allow), Ok(vec![ADVICE.into()]));
    story.reports(5_000, 0).expect("recorded");
    story.proposes("d", "deploy").expect("asked");
    assert_eq!(story.advises("d", AdviceVerdict::Allow), Ok(vec![ADVICE.into()]), "a report lifts nothing");
    story
        .sets_advisor(Principal::user("root"), AdvisorMode::Decide, Some("the cause is fixed"))
        .expect("recorded");
    story.proposes("e", "deploy").expect("asked");
    assert_eq!(story.advises("e", AdviceVerdict::Allow), Ok(vec![ADVICE.into(), RESPONSE.into()]));
    assert_eq!(story.inadmissible_rows(), Vec::<String>::new());
}

#[test]
fn statement_lets_an_unproven_advisor_decide() {
    let mut story = given(POLICY);
    story.puts_in_force(POLICY);
    let root = || Principal::user("root");
    assert_eq!(code(story.sets_advisor(root(), AdvisorMode::Decide, None)), "invalid");
    assert_eq!(code(story.sets_advisor(root(), AdvisorMode::Decide, Some(" "))), "invalid");
    assert_eq!(
        code(story.sets_advisor(Principal::system("drift"), AdvisorMode::Decide, Some("x"))),
        "not_an_approver"
    );
    assert_eq!(code(story.sets_advisor(Principal::system("drift"), AdvisorMode::Advise, None)), "invalid");
    assert_eq!(
        code(story.sets_advisor(Principal::agent("bot"), AdvisorMode::Advise, None)),
        "not_an_approver"
    );
    assert_eq!(code(story.sets_advisor(root(), AdvisorMode::Shadow, None)), "invalid");
    let set = story.sets_advisor(root(), AdvisorMode::Decide, Some("it runs beside a human reviewer"));
    assert_eq!(set, Ok(vec!["ADVISOR_MODE_SET by user:root".into()]));
    assert_eq!(
        story.sets_advisor(root(), AdvisorMode::Decide, Some("again")),
        Ok(vec![]),
        "it decides already"
    );
    let event = story.log.last().expect("recorded");
    assert!(event.data.as_str().contains("\"overrides\":true"), "{:?}", event.data);
    story.proposes("c", "deploy").expect("asked");
    assert_eq!(story.advises("c", AdviceVerdict::Allow), Ok(vec![ADVICE.into(), RESPONSE.into()]));
    assert_eq!(story.inadmissible_rows(), Vec::<String>::new());
}

#[test]
fn statement_for_a_proven_advisor_overrides_nothing() {
    let mut story = proven();
    story.sets_advisor(Principal::user("root"), AdvisorMode::Decide, Some("measured")).expect("recorded");
    assert!(!story.log.last().expect("recorded").data.as_str().contains("overrides"));
}

#[test]
fn inconsistent_report_is_refused() {
    let mut story = given(POLICY);
    let mut report = AdvisorReported {
        advisor: "judge".to_owned(),
        configuration: story.configuration("judge"),
        source: ReportSource::Shadow,
        cases: 3,
        agreed: 1,
        false_allows: 0,
        false_denials: 0,
        asked: 1,
        failed: 0,
        elapsed_millis: None,
        tokens: None,
        after: None,
        up_to: 0,
    };
    let mut records = |by, report: &AdvisorReported| {
        story.set_by(by);
        story.execute(CommandTarget::Log, record(Body::AdvisorReported(report.clone())))
    };
    assert_eq!(code(records(Principal::user("root"), &report)), "invalid");
    report.cases = 2;
    assert_eq!(code(records(Principal::agent("bot"), &report)), "not_an_approver");
    assert!(records(Principal::system("advisors"), &report).is_ok());
    assert_eq!(records(Principal::system("advisors"), &report), Ok(vec![]), "the same report again");
}

#[test]
fn mode_in_effect_has_a_reason() {
    let mut story = given(POLICY);
    let mut reasons = Vec::new();
    let mut note = |story: &DecisionStory| {
        let mut directory = AdvisorDirectory::default();
        for event in &story.log {
            directory.evolve(event, &Body::read(event.seq, event.kind, &event.data).expect("reads"));
        }
        let mode = directory.effective_mode(story.policy.advisor("judge").expect("an advisor"));
        reasons.push(format!("{}: {}", mode.mode.as_str(), mode.reason));
    };
    note(&story);
    story.reports(3, 0).expect("recorded");
    note(&story);
    story.reports(10, 0).expect("recorded");
    note(&story);
    story
        .sets_advisor(Principal::system("drift"), AdvisorMode::Advise, Some("6 of 50 overruled"))
        .expect("recorded");
    note(&story);
    story.sets_advisor(Principal::user("root"), AdvisorMode::Decide, Some("fixed")).expect("recorded");
    note(&story);
    insta::assert_snapshot!(reasons.join("\n"), @"
    advise: no report about these settings exists; measure the advisor first
    advise: event 1: the report has 3 answered cases; the policy needs 10
    decide: the report of event 2 meets the thresholds of the policy
    advise: system:drift let it only advise since event 3: 6 of 50 overruled
    decide: user:root let it decide in event 4: fixed
    ");
}
