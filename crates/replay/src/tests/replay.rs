//! Tests for the counts and lists of a replay.

use super::{TestLog, json, log_under};
use crate::{AnswerCounts, SavedPrompts};
use countersign_approvals::{
    GrantScope,
    decide::{HashedArguments, RespondCommand},
};
use countersign_events::Verdict;
use countersign_events::{Decision, Mode, Source, ToolPolicy};
use std::time::Duration;

const ASKS: &str = "default = \"ask\"\n";

fn rule(name: &str, tool: &str, verdict: &str) -> String {
    format!("[[rule]]\nname = {name:?}\ntool = {tool:?}\nverdict = {verdict:?}\n")
}

/// A log with every kind of answer.
fn varied_log(policy: &str) -> TestLog {
    let mut log = log_under(policy);
    log.allow("t", "ada", "bash", r#"{"command":"ls"}"#);
    log.deny("t", "ada", "bash", r#"{"command":"rm -rf /"}"#);
    log.deny("t", "ada", "bash", r#"{"command":"rm -rf /"}"#);
    let id = log.propose("t", "mail", r#"{"to":"bob"}"#);
    log.decide("t", "ada", &id, RespondCommand::for_session(GrantScope::Tool));
    let answered = log.propose("t", "mail", r#"{"to":"eve"}"#);
    log.run("t", &answered, r#"{"to":"eve"}"#);
    let free = log.propose("t", "free", "{}");
    log.run("t", &free, "{}");
    log.propose("t", "never", "{}");
    log.set_policy("u", "bash", ToolPolicy::RequireApproval);
    log.allow("u", "ada", "bash", r#"{"command":"ls"}"#);
    log.allow("u", "ada", "free", "{}");
    log.set_policy("u", "free", ToolPolicy::RequireApproval);
    log.deny("u", "ada", "free", "{}");
    log.deny("u", "ada", "free", "{}");
    log.set_policy("u", "mail", ToolPolicy::Deny);
    log.propose("u", "mail", "{}");
    log.set_mode("v", Mode::ApproveAll);
    log.propose("v", "mail", "{}");
    log.set_mode("v", Mode::AutoDeny);
    log.propose("v", "mail", "{}");
    log.propose("w", "login", r#"{"user":"ada","password":"hunter2"}"#);
    log.propose("w", "mail", "{}");
    log
}

#[test]
fn recording_policy_replay_has_no_differences() {
    let policy = format!("{}{}", rule("free", "free", "allow"), rule("never", "never", "block"));
    let report = varied_log(&policy).replay(&policy);
    assert!(!report.has_differences(), "{report:#?}");
    assert_eq!((report.then, report.added, report.saved), (report.now, 0, SavedPrompts::default()));
    assert_eq!(report.calls, 16);
    for list in [&report.allowed_though_denied, &report.blocked_though_run, &report.asked_though_run] {
        assert_eq!(list.count, 0, "{report:#?}");
    }
}

#[test]
fn saved_prompts_are_counted_by_verdict() {
    let mut log = log_under(ASKS);
    log.allow("t", "ada", "bash", r#"{"command":"ls"}"#);
    log.allow("t", "ada", "mail", "{}");
    log.deny("t", "ada", "deploy", "{}");
    let report =
        log.replay(&format!("{}{}", rule("shell", "bash", "allow"), rule("no deploys", "deploy", "block")));
    assert_eq!(report.saved, SavedPrompts { allowed: 1, blocked: 1 });
    assert_eq!(report.then, AnswerCounts { asked: 3, ..AnswerCounts::default() });
    assert_eq!(report.now, AnswerCounts { asked: 1, allowed: 1, blocked: 1, answered: 0 });
    assert_eq!((report.unchanged, report.added), (1, 0));
    let rules: Vec<_> = report.rules.iter().map(|row| (row.rule.as_deref(), row.calls)).collect();
    assert_eq!(rules, [(None, 1), (Some("no deploys"), 1), (Some("shell"), 1)]);
}

#[test]
fn denied_call_that_policy_allows_is_listed() {
    let mut log = log_under(ASKS);
    log.deny("t", "ada", "bash", r#"{"command":"git push --force"}"#);
    let report = log.replay(&rule("shell", "bash", "allow"));
    assert_eq!(report.allowed_though_denied.count, 1);
    let case = &report.allowed_though_denied.calls[0];
    assert_eq!((case.seq, case.id.as_str(), case.thread_id.as_str()), (1, "call_1", "t"));
    assert_eq!(case.arguments, json(r#"{"command":"git push --force"}"#));
    assert_eq!(case.then.by.as_ref().map(countersign_events::Principal::as_str), Some("user:ada"));
    assert_eq!(case.then.comment.as_deref(), Some("not on a Friday"));
    assert_eq!((case.now.verdict, case.now.rule.as_deref()), (Verdict::Allow, Some("shell")));
}

#[test]
fn expired_blocked_and_changed_calls_count_as_denied() {
    let mut log = log_under(&format!("expires = \"1m\"\n{}", rule("never", "never", "block")));
    log.propose("t", "bash", r#"{"command":"make"}"#);
    log.advance(Duration::from_mins(2));
    log.propose("t", "never", "{}");
    let id = log.propose("t", "bash", r#"{"command":"rm -rf /"}"#);
    let arguments = Some(HashedArguments::new(json(r#"{"command":"rm -rf ./target"}"#)).expect("admitted"));
    assert!(log.decide(
        "t",
        "ada",
        &id,
        RespondCommand { arguments, ..RespondCommand::plain(Decision::AllowOnce) }
    ));
    log.execute_on_call(
        "t",
        countersign_events::Principal::system("expiry"),
        &super::CallId::new("call_1").expect("valid"),
        countersign_approvals::CallCommand::Due,
    );
    let report = log.replay(&rule("all", "*", "allow"));
    let listed: Vec<_> = report
        .allowed_though_denied
        .calls
        .iter()
        .map(|case| (case.id.as_str(), case.then.source, case.then.changed))
        .collect();
    assert_eq!(
        listed,
        [
            ("call_1", Some(Source::Expiry), false),
            ("call_2", Some(Source::Policy), false),
            ("call_3", Some(Source::Approver), true)
        ]
    );
}

#[test]
fn call_that_ran_is_listed_when_stricter() {
    let mut log = log_under(&rule("all", "*", "allow"));
    for tool in ["bash", "mail"] {
        let id = log.propose("t", tool, "{}");
        log.run("t", &id, "{}");
    }
    // This call never runs, so it is not listed.
    log.propose("t", "bash", "{}");
    let report = log.replay(&rule("no shell", "bash", "block"));
    assert_eq!((report.blocked_though_run.count, report.asked_though_run.count), (1, 1));
    assert_eq!(report.blocked_though_run.calls[0].name.as_str(), "bash");
    assert_eq!(report.asked_though_run.calls[0].name.as_str(), "mail");
    assert_eq!((report.added, report.now.blocked), (1, 2));
}

#[test]
fn missing_grant_adds_one_prompt() {
    let mut log = log_under(ASKS);
    let id = log.propose("t", "mail", r#"{"to":"bob"}"#);
    log.decide("t", "ada", &id, RespondCommand::for_session(GrantScope::Tool));
    for to in ["eve", "joe"] {
        log.propose("t", "mail", &format!("{{\"to\":\"{to}\"}}"));
    }
    let same = log.replay(ASKS);
    assert_eq!(same.then, AnswerCounts { asked: 1, answered: 2, ..AnswerCounts::default() });
    assert!(!same.has_differences());
    // The policy allows the first call, so the grant that answered the other two would not exist.
    let policy =
        "[[rule]]\nname = \"bob\"\ntool = \"mail\"\nargs = { \"/to\" = \"bob\" }\nverdict = \"allow\"\n";
    let report = log.replay(policy);
    assert_eq!((report.saved.allowed, report.added), (1, 1));
    assert_eq!(report.now, AnswerCounts { asked: 1, allowed: 1, answered: 1, blocked: 0 });
}

#[test]
fn thread_policy_overrides_allow_rule() {
    let mut log = log_under(ASKS);
    log.set_policy("t", "mail", ToolPolicy::RequireApproval);
    log.set_policy("t", "bash", ToolPolicy::Deny);
    log.allow("t", "ada", "mail", "{}");
    log.propose("t", "bash", "{}");
    let report = log.replay(&rule("all", "*", "allow"));
    assert!(!report.has_differences(), "{report:#?}");
    assert_eq!(report.then, AnswerCounts { asked: 1, answered: 1, ..AnswerCounts::default() });
}

#[test]
fn verdict_depending_on_masked_arguments_is_not_compared() {
    let mut log = log_under(ASKS);
    log.allow("t", "ada", "login", r#"{"user":"ada","password":"hunter2"}"#);
    let masked = "[[rule]]\nname = \"weak\"\ntool = \"login\"\nargs = { \"/password\" = \"hunter2\" }\nverdict = \"allow\"\n";
    let report = log.replay(masked);
    assert_eq!((report.calls, report.masked), (0, 1));
    // These rules depend only on the tool's name.
    assert_eq!(log.replay(&rule("free", "login", "allow")).saved.allowed, 1);
    assert_eq!(log.replay(&rule("never", "login", "block")).saved.blocked, 1);
    // The recording policy saw the unmasked arguments.
    assert!(!log.replay(ASKS).has_differences());
    assert_eq!(log.replay(ASKS).calls, 1);
}

#[test]
fn shadow_rule_is_counted_without_deciding() {
    let mut log = log_under(ASKS);
    log.allow("t", "ada", "bash", "{}");
    let report = log.replay(&format!("{}shadow = true\n", rule("free shell", "bash", "allow")));
    assert!(!report.has_differences());
    let shadow: Vec<_> =
        report.shadow.iter().map(|row| (row.rule.as_deref(), row.verdict, row.calls)).collect();
    assert_eq!(shadow, [(Some("free shell"), Verdict::Allow, 1)]);
}

#[test]
fn prompt_under_other_terms_lists_the_differences() {
    let strict = "[approvers]\n\"user:ada\" = { level = \"admin\", groups = [\"ops\"] }\n\
        \"user:bob\" = { level = \"admin\", groups = [\"ops\"] }\n\
        [[rule]]\nname = \"deploys\"\ntool = \"deploy\"\nverdict = \"ask\"\nlevel = \"admin\"\nquorum = 2\n\
        approvers = [\"@ops\"]\nexpires = \"1h\"\n";
    let mut log = log_under(strict);
    log.deny("t", "ada", "deploy", "{}");
    log.allow("t", "ada", "bash", "{}");
    let same = log.replay(&format!("{strict}# the same policy with another hash\n"));
    assert!(!same.has_differences(), "{same:#?}");
    let loose = "[[rule]]\nname = \"deploys\"\ntool = \"deploy\"\nverdict = \"ask\"\nexpires = \"1h\"\nonExpiry = \"allow\"\n";
    let report = log.replay(loose);
    assert!(report.has_differences());
    assert_eq!((report.asked_otherwise.count, report.unchanged, report.calls), (1, 2, 2));
    let case = &report.asked_otherwise.calls[0];
    assert!(case.then.denied, "{case:?}");
    insta::assert_snapshot!(case.now.terms.as_deref().expect("they differ"), @"any level instead of level admin; one approval instead of 2 approvals; approved by any approver instead of approved by @ops; allowed on expiry instead of denied on expiry");
}
