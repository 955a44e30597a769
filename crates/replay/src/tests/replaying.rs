//! Replaying: what is compared, and what is listed.

use super::{TestLog, json, under};
use crate::{AnswerCounts, SavedPrompts};
use countersign_approvals::decide::{HashedArguments, RespondCommand};
use countersign_events::event::Verdict;
use countersign_events::event::{Decision, Mode, Source, ToolPolicy};
use std::time::Duration;

const ASKS: &str = "default = \"ask\"\n";

fn rule(name: &str, tool: &str, verdict: &str) -> String {
    format!("[[rule]]\nname = {name:?}\ntool = {tool:?}\nverdict = {verdict:?}\n")
}

/// A log in which a bit of everything happened.
fn eventful(policy: &str) -> TestLog {
    let mut log = under(policy);
    log.allows("t", "ada", "bash", r#"{"command":"ls"}"#);
    log.denies("t", "ada", "bash", r#"{"command":"rm -rf /"}"#);
    log.denies("t", "ada", "bash", r#"{"command":"rm -rf /"}"#);
    let id = log.proposes("t", "mail", r#"{"to":"bob"}"#);
    log.decides("t", "ada", &id, RespondCommand::plain(Decision::AllowSession));
    let answered = log.proposes("t", "mail", r#"{"to":"eve"}"#);
    log.runs("t", &answered, r#"{"to":"eve"}"#);
    let free = log.proposes("t", "free", "{}");
    log.runs("t", &free, "{}");
    log.proposes("t", "never", "{}");
    log.sets_policy("u", "bash", ToolPolicy::RequireApproval);
    log.allows("u", "ada", "bash", r#"{"command":"ls"}"#);
    log.allows("u", "ada", "free", "{}");
    log.sets_policy("u", "free", ToolPolicy::RequireApproval);
    log.denies("u", "ada", "free", "{}");
    log.denies("u", "ada", "free", "{}");
    log.sets_policy("u", "mail", ToolPolicy::Deny);
    log.proposes("u", "mail", "{}");
    log.sets_mode("v", Mode::ApproveAll);
    log.proposes("v", "mail", "{}");
    log.sets_mode("v", Mode::AutoDeny);
    log.proposes("v", "mail", "{}");
    log.proposes("w", "login", r#"{"user":"ada","password":"hunter2"}"#);
    log.proposes("w", "mail", "{}");
    log
}

#[test]
fn the_policy_that_judged_a_log_finds_nothing_different_in_it() {
    let policy = format!("{}{}", rule("free", "free", "allow"), rule("never", "never", "block"));
    let report = eventful(&policy).replayed(&policy);
    assert!(!report.differs(), "{report:#?}");
    assert_eq!((report.then, report.added, report.saved), (report.now, 0, SavedPrompts::default()));
    assert_eq!(report.calls, 16);
    for list in [&report.allowed_though_denied, &report.blocked_though_run, &report.asked_though_run] {
        assert_eq!(list.count, 0, "{report:#?}");
    }
}

#[test]
fn prompts_are_saved_by_what_allows_and_by_what_blocks() {
    let mut log = under(ASKS);
    log.allows("t", "ada", "bash", r#"{"command":"ls"}"#);
    log.allows("t", "ada", "mail", "{}");
    log.denies("t", "ada", "deploy", "{}");
    let report =
        log.replayed(&format!("{}{}", rule("shell", "bash", "allow"), rule("no deploys", "deploy", "block")));
    assert_eq!(report.saved, SavedPrompts { allowed: 1, blocked: 1 });
    assert_eq!(report.then, AnswerCounts { asked: 3, ..AnswerCounts::default() });
    assert_eq!(report.now, AnswerCounts { asked: 1, allowed: 1, blocked: 1, answered: 0 });
    assert_eq!((report.unchanged, report.added), (1, 0));
    let rules: Vec<_> = report.rules.iter().map(|row| (row.rule.as_deref(), row.calls)).collect();
    assert_eq!(rules, [(None, 1), (Some("no deploys"), 1), (Some("shell"), 1)]);
}

#[test]
fn what_a_person_denied_and_the_policy_allows_is_listed_with_both() {
    let mut log = under(ASKS);
    log.denies("t", "ada", "bash", r#"{"command":"git push --force"}"#);
    let report = log.replayed(&rule("shell", "bash", "allow"));
    assert_eq!(report.allowed_though_denied.count, 1);
    let case = &report.allowed_though_denied.calls[0];
    assert_eq!((case.seq, case.id.as_str(), case.thread_id.as_str()), (1, "call_1", "t"));
    assert_eq!(case.arguments, json(r#"{"command":"git push --force"}"#));
    assert_eq!(case.then.by.as_ref().map(countersign_events::Principal::as_str), Some("user:ada"));
    assert_eq!(case.then.comment.as_deref(), Some("not on a Friday"));
    assert_eq!((case.now.verdict, case.now.rule.as_deref()), (Verdict::Allow, Some("shell")));
}

#[test]
fn what_lapsed_was_blocked_or_was_changed_was_not_wanted_as_it_was() {
    let mut log = under(&format!("expires = \"1m\"\n{}", rule("never", "never", "block")));
    log.proposes("t", "bash", r#"{"command":"make"}"#);
    log.goes_by(Duration::from_mins(2));
    log.proposes("t", "never", "{}");
    let id = log.proposes("t", "bash", r#"{"command":"rm -rf /"}"#);
    let arguments = Some(HashedArguments::new(json(r#"{"command":"rm -rf ./target"}"#)).expect("admitted"));
    assert!(log.decides(
        "t",
        "ada",
        &id,
        RespondCommand { arguments, ..RespondCommand::plain(Decision::AllowOnce) }
    ));
    log.of_call(
        "t",
        countersign_events::Principal::system("expiry"),
        &super::CallId::new("call_1").expect("valid"),
        countersign_approvals::CallCommand::Due,
    );
    let report = log.replayed(&rule("all", "*", "allow"));
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
fn what_ran_is_listed_where_it_would_be_blocked_and_where_it_would_be_asked() {
    let mut log = under(&rule("all", "*", "allow"));
    for tool in ["bash", "mail"] {
        let id = log.proposes("t", tool, "{}");
        log.runs("t", &id, "{}");
    }
    // This one never ran.
    log.proposes("t", "bash", "{}");
    let report = log.replayed(&rule("no shell", "bash", "block"));
    assert_eq!((report.blocked_though_run.count, report.asked_though_run.count), (1, 1));
    assert_eq!(report.blocked_though_run.calls[0].name.as_str(), "bash");
    assert_eq!(report.asked_though_run.calls[0].name.as_str(), "mail");
    assert_eq!((report.added, report.now.blocked), (1, 2));
}

#[test]
fn a_grant_is_no_prompt_and_one_that_would_not_be_there_is_missed_once() {
    let mut log = under(ASKS);
    let id = log.proposes("t", "mail", r#"{"to":"bob"}"#);
    log.decides("t", "ada", &id, RespondCommand::plain(Decision::AllowSession));
    for to in ["eve", "joe"] {
        log.proposes("t", "mail", &format!("{{\"to\":\"{to}\"}}"));
    }
    let same = log.replayed(ASKS);
    assert_eq!(same.then, AnswerCounts { asked: 1, answered: 2, ..AnswerCounts::default() });
    assert!(!same.differs());
    // The call that the grant was given on is allowed now, so nobody gives it.
    let policy =
        "[[rule]]\nname = \"bob\"\ntool = \"mail\"\nargs = { \"/to\" = \"bob\" }\nverdict = \"allow\"\n";
    let report = log.replayed(policy);
    assert_eq!((report.saved.allowed, report.added), (1, 1));
    assert_eq!(report.now, AnswerCounts { asked: 1, allowed: 1, answered: 1, blocked: 0 });
}

#[test]
fn what_its_thread_denies_or_has_asked_no_rule_that_allows_changes() {
    let mut log = under(ASKS);
    log.sets_policy("t", "mail", ToolPolicy::RequireApproval);
    log.sets_policy("t", "bash", ToolPolicy::Deny);
    log.allows("t", "ada", "mail", "{}");
    log.proposes("t", "bash", "{}");
    let report = log.replayed(&rule("all", "*", "allow"));
    assert!(!report.differs(), "{report:#?}");
    assert_eq!(report.then, AnswerCounts { asked: 1, answered: 1, ..AnswerCounts::default() });
}

#[test]
fn what_hangs_on_masked_arguments_is_counted_apart() {
    let mut log = under(ASKS);
    log.allows("t", "ada", "login", r#"{"user":"ada","password":"hunter2"}"#);
    let masked = "[[rule]]\nname = \"weak\"\ntool = \"login\"\nargs = { \"/password\" = \"hunter2\" }\nverdict = \"allow\"\n";
    let report = log.replayed(masked);
    assert_eq!((report.calls, report.masked), (0, 1));
    // The tool's name is enough for these.
    assert_eq!(log.replayed(&rule("free", "login", "allow")).saved.allowed, 1);
    assert_eq!(log.replayed(&rule("never", "login", "block")).saved.blocked, 1);
    // And the same policy saw it as it was.
    assert!(!log.replayed(ASKS).differs());
    assert_eq!(log.replayed(ASKS).calls, 1);
}

#[test]
fn shadow_rules_are_counted_and_decide_nothing() {
    let mut log = under(ASKS);
    log.allows("t", "ada", "bash", "{}");
    let report = log.replayed(&format!("{}shadow = true\n", rule("free shell", "bash", "allow")));
    assert!(!report.differs());
    let shadow: Vec<_> =
        report.shadow.iter().map(|row| (row.rule.as_deref(), row.verdict, row.calls)).collect();
    assert_eq!(shadow, [(Some("free shell"), Verdict::Allow, 1)]);
}

#[test]
fn a_question_to_other_people_is_listed_with_what_differs() {
    let strict = "[approvers]\n\"user:ada\" = { level = \"admin\", groups = [\"ops\"] }\n\
        \"user:bob\" = { level = \"admin\", groups = [\"ops\"] }\n\
        [[rule]]\nname = \"deploys\"\ntool = \"deploy\"\nverdict = \"ask\"\nlevel = \"admin\"\nquorum = 2\n\
        approvers = [\"@ops\"]\nexpires = \"1h\"\n";
    let mut log = under(strict);
    log.denies("t", "ada", "deploy", "{}");
    log.allows("t", "ada", "bash", "{}");
    let same = log.replayed(&format!("{strict}# the same in other words\n"));
    assert!(!same.differs(), "{same:#?}");
    let loose = "[[rule]]\nname = \"deploys\"\ntool = \"deploy\"\nverdict = \"ask\"\nexpires = \"1h\"\nonExpiry = \"allow\"\n";
    let report = log.replayed(loose);
    assert!(report.differs());
    assert_eq!((report.asked_otherwise.count, report.unchanged, report.calls), (1, 2, 2));
    let case = &report.asked_otherwise.calls[0];
    assert!(case.then.denied, "{case:?}");
    insta::assert_snapshot!(case.now.terms.as_deref().expect("they differ"), @"anybody's level instead of level admin; one approval instead of 2 approvals; approved by anybody instead of approved by @ops; silence as a yes instead of silence as a no");
}
