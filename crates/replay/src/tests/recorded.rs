//! Tests for judging each call by the policy of its time.

use super::{TestLog, log_under};
use crate::{CallAssembler, PolicyTimeline, RecordedReplay, RecordedReplayReport};
use countersign_events::{Sha256, Verdict};
use countersign_policy::Policy;
use std::sync::Arc;

const ASKS: &str = "default = \"ask\"\n";
const ALLOWS: &str = "default = \"allow\"\n";
const BLOCKS: &str = "default = \"block\"\n";

/// Judges the log's calls by these policies, each from an event on.
fn replay(log: &TestLog, policies: &[(i64, Option<&str>)]) -> RecordedReplayReport {
    let mut timeline = PolicyTimeline::default();
    for (seq, text) in policies {
        let policy = text.map(|text| Policy::read(text).expect("a policy"));
        let hash = policy.as_ref().map_or(Sha256::ZERO, Policy::hash);
        timeline.add_policy(*seq, hash, || policy);
    }
    let (mut replay, mut calls) = (RecordedReplay::new(timeline), CallAssembler::default());
    for event in &log.events {
        if let Some(call) = calls.apply_event(event) {
            replay.replay_call(&call, &|| false);
        }
    }
    calls.take_open_calls().iter().for_each(|call| replay.replay_call(call, &|| false));
    replay.report()
}

/// A log with a call under each of two policies. Also returns the second call's `seq`.
fn log_under_two_policies() -> (TestLog, i64) {
    let mut log = log_under(ASKS);
    log.deny("t", "ada", "bash", "{}");
    let second = log.events.last().map_or(0, |event| event.seq) + 1;
    log.policy = Arc::new(Policy::read(ALLOWS).expect("a policy"));
    let id = log.propose("t", "mail", "{}");
    log.run("t", &id, "{}");
    (log, second)
}

/// A replay by one of the two policies alone would find a difference.
#[test]
fn each_call_is_judged_by_its_own_policy() {
    let (log, second) = log_under_two_policies();
    let report = replay(&log, &[(0, Some(ASKS)), (second - 1, Some(ALLOWS)), (second + 1, Some(BLOCKS))]);
    assert_eq!((report.calls, report.policies, report.unchanged), (2, 2, 2));
    assert_eq!(report.differing.count, 0);
    assert_eq!(replay(&log, &[(0, Some(ASKS))]).differing.count, 1);
}

#[test]
fn differing_verdict_is_listed_with_its_policy() {
    let (log, second) = log_under_two_policies();
    let report = replay(&log, &[(0, Some(ASKS)), (second - 1, Some(BLOCKS))]);
    assert_eq!((report.calls, report.unchanged, report.differing.count), (2, 1, 1));
    let listed = &report.differing.calls[0];
    assert_eq!((listed.seq, listed.policy_event), (second, Some(second - 1)));
    assert_eq!(listed.now.verdict, Verdict::Block);
    assert!(!listed.now.reason.is_empty());
}

#[test]
fn call_without_a_readable_policy_is_counted() {
    let (log, second) = log_under_two_policies();
    let report = replay(&log, &[(second - 1, None)]);
    assert_eq!((report.calls, report.unreadable, report.differing.count), (0, 2, 0));
}

/// The policy saw the real value, and the log has only its mask.
#[test]
fn masked_call_is_not_compared() {
    let policy = "[[rule]]\nname = \"known\"\ntool = \"login\"\nwhen = \"args.password == 'sesame'\"\nverdict = \"allow\"\n";
    let mut log = log_under(policy);
    log.propose("t", "login", r#"{"password":"sesame"}"#);
    let report = replay(&log, &[(0, Some(policy))]);
    assert_eq!((report.calls, report.masked, report.differing.count), (0, 1, 0));
}
