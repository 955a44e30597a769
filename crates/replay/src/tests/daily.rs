//! A day's review.

use super::*;
use crate::daily::{DayReview, DayReviewer, DaySpan};

const DAY: Duration = Duration::from_hours(24);

/// The day on which each test log begins.
fn first_day() -> DaySpan {
    let since: Timestamp = "2026-01-31T00:00:00Z".parse().expect("valid");
    DaySpan { since, until: since.after(DAY) }
}

fn next_day() -> DaySpan {
    DaySpan { since: first_day().until, until: first_day().until.after(DAY) }
}

fn review_with(log: &TestLog, day: DaySpan, late: bool) -> DayReview {
    let mut reviewer = DayReviewer::new((*log.policy).clone(), day);
    for call in log.calls() {
        reviewer.add_call(&call);
    }
    reviewer.review(&|| late)
}

fn review(log: &TestLog, day: DaySpan) -> DayReview {
    review_with(log, day, false)
}

fn arguments_of(command: &str) -> String {
    format!("{{\"command\":\"{command}\"}}")
}

fn allow_commands(log: &mut TestLog, commands: &[&str]) {
    for command in commands {
        log.allow("t", "ada", "bash", &arguments_of(command));
    }
}

const STATUS: [&str; 4] = ["git status", "git status -s", "git status src", "git status"];

#[test]
fn rules_save_the_prompts_of_the_day() {
    let mut log = log_under("");
    allow_commands(&mut log, &STATUS);
    allow_commands(&mut log, &["make a", "make b"]);
    log.deny("t", "ada", "bash", &arguments_of("git push --force"));
    let found = review(&log, first_day());
    assert_eq!((found.counts.calls, found.counts.asked), (7, 7));
    assert_eq!((found.counts.allowed, found.counts.denied), (6, 1));
    assert_eq!((found.saved, found.refused, found.rules.len()), (4, 1, 1));
    let rule = &found.rules[0];
    assert_eq!((rule.saves, rule.rule.near_misses), (4, 1));
    let repetitions: Vec<_> = rule.calls.iter().map(|call| call.calls).collect();
    assert_eq!(repetitions, [2, 1, 1], "the most frequent first");
    let (extended, _) = log.policy.text().add_managed_rule(&rule.rule.toml).expect("it can be added");
    let replayed = log.replay_policy(extended);
    assert_eq!((replayed.saved.allowed, replayed.allowed_though_denied.count), (4, 0), "the replay agrees");
}

#[test]
fn evidence_comes_from_other_days_too() {
    let mut log = log_under("");
    allow_commands(&mut log, &STATUS);
    assert_eq!(review(&log, next_day()).rules, [], "nothing was asked on that day");
    log.advance(DAY);
    allow_commands(&mut log, &["git status --short"]);
    let found = review(&log, next_day());
    assert_eq!((found.counts.asked, found.saved), (1, 1));
    assert_eq!(found.rules[0].rule.prompts, 5, "the evidence is from both days");
}

#[test]
fn denial_of_another_day_withholds_the_rule() {
    let mut log = log_under("");
    log.deny("t", "ada", "bash", &arguments_of("git status --porcelain"));
    log.advance(DAY);
    allow_commands(&mut log, &STATUS);
    log.deny("t", "ada", "bash", &arguments_of("git status --long"));
    let found = review(&log, next_day());
    assert_eq!((found.rules.len(), found.saved), (0, 0));
    let [withheld] = &found.withheld[..] else { panic!("{:?}", found.withheld) };
    assert_eq!((withheld.would_save, withheld.refused), (4, 2), "a denied prompt is not needless");
    assert!(withheld.name.contains("git status **"), "{withheld:?}");
    let such_as = &withheld.such_as[0];
    assert!(such_as.contains("git status --porcelain") && such_as.contains("user:ada"), "{such_as}");
}

#[test]
fn accepted_rule_is_not_offered_again() {
    let mut log = log_under("");
    allow_commands(&mut log, &STATUS);
    let rule = review(&log, first_day()).rules.remove(0).rule;
    let (extended, _) = log.policy.text().add_managed_rule(&rule.toml).expect("it can be added");
    log.policy = Arc::new(extended);
    let found = review(&log, first_day());
    assert_eq!((found.counts.asked, found.saved, found.rules.len()), (4, 0, 0));
}

#[test]
fn late_review_offers_nothing() {
    let mut log = log_under("");
    allow_commands(&mut log, &STATUS);
    let found = review_with(&log, first_day(), true);
    assert_eq!((found.counts.asked, found.rules.len(), found.is_complete), (4, 0, false));
}

#[test]
fn observed_calls_are_counted_by_rule() {
    let policy = r#"
        observe = true
        [[rule]]
        name = "mails"
        tool = "mail"
        verdict = "ask"
        [[rule]]
        name = "reads"
        tool = "read"
        verdict = "allow"
    "#;
    let mut log = log_under(policy);
    for tool in ["bash", "mail", "bash", "read"] {
        log.propose("t", tool, "{}");
    }
    let found = review(&log, first_day());
    assert_eq!((found.counts.calls, found.counts.asked, found.observed), (4, 0, 3));
    let row = |row: &crate::daily::ObservedPrompts| (row.tool.to_string(), row.rule.clone(), row.calls);
    let rows: Vec<_> = found.would_ask.iter().map(row).collect();
    let expected = [("bash", "default", 2), ("mail", "mails", 1)];
    assert_eq!(rows, expected.map(|(tool, rule, calls)| (tool.to_owned(), rule.to_owned(), calls)));
}
