//! Tests for suggested rules and their evidence.

use super::{SuggestionOptions, TestLog, json, log_under, thread_id};
use countersign_approvals::decide::{HashedArguments, ProposeCommand, RespondCommand};
use countersign_events::{Decision, Place};
use countersign_policy::Policy;
use insta::assert_snapshot;
use std::sync::Arc;

fn allow_all(log: &mut TestLog, tool: &str, arguments: impl IntoIterator<Item = impl AsRef<str>>) {
    for (at, arguments) in arguments.into_iter().enumerate() {
        let (thread, who) = if at % 2 == 0 { ("t", "ada") } else { ("u", "bob") };
        log.allow(thread, who, tool, arguments.as_ref());
    }
}

fn commands(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| format!("{{\"command\":\"{word}\"}}")).collect()
}

/// Asserts that the suggested rules save the prompts that they claim to save and allow no denied call. Returns their
/// TOML.
fn checked_suggestion(log: &TestLog) -> String {
    let suggestion = log.suggest();
    let report = log.replay(&suggestion.toml());
    assert_eq!(report.allowed_though_denied.count, 0, "{}\n{report:#?}", suggestion.toml());
    assert_eq!(report.saved.allowed, suggestion.saved, "{}", suggestion.toml());
    suggestion.toml()
}

#[test]
fn single_prompt_suggests_no_rule() {
    let mut log = log_under("");
    log.allow("t", "ada", "mail", r#"{"to":"bob"}"#);
    assert_snapshot!(checked_suggestion(&log), @"
    # 0 of 1 prompts would have been saved by 0 rules, none of which allows
    # anything that was ever denied. Look at each before you add it to a policy.
    ");
}

#[test]
fn repeated_command_suggests_pattern_without_denied_calls() {
    let mut log = log_under("");
    let seen = ["git status", "git status -s", "git status --short", "git status", "git status src"];
    allow_all(&mut log, "bash", commands(&seen));
    log.deny("t", "ada", "bash", r#"{"command":"git status; rm -rf /"}"#);
    log.deny("t", "ada", "bash", r#"{"command":"git push --force"}"#);
    assert_snapshot!(checked_suggestion(&log), @r#"
    # 5 of 7 prompts would have been saved by 1 rule, none of which allows
    # anything that was ever denied. Look at each before you add it to a policy.
    # Skipped: 2 denied, expired, withdrawn or still waiting.
    [[rule]] # 5 prompts in 2 threads, 4 different, allowed by user:ada, user:bob
    name = "suggested: bash, command `git status **`"
    tool = "bash"
    principal = "agent:bot"
    command = "git status **"
    verdict = "allow"
    "#);
}

#[test]
fn rule_stays_in_the_projects_of_its_evidence() {
    let in_project = |project: &'static str| {
        move |propose: ProposeCommand| {
            let place =
                Place { project: Some(project.to_owned()), ..Place::folder(format!("{project}/src")) };
            ProposeCommand { place: Some(Box::new(place)), ..propose }
        }
    };
    let mut log = log_under("");
    for _ in 0..5 {
        let id = log.propose_with("t", "bash", r#"{"command":"./deploy staging"}"#, in_project("/srv/shop"));
        assert!(log.decide("t", "ada", &id, RespondCommand::plain(Decision::AllowOnce)));
        log.run("t", &id, r#"{"command":"./deploy staging"}"#);
    }
    let toml = checked_suggestion(&log);
    assert!(toml.contains(r#"place = { folder = ["/srv/shop", "/srv/shop/**"] }"#), "{toml}");
    log.policy = Arc::new(Policy::read(&toml).expect("it reads"));
    let is_free = |log: &mut TestLog, project: &'static str| {
        let id = log.propose_with("u", "bash", r#"{"command":"./deploy staging"}"#, in_project(project));
        log.batch.call(&thread_id("u"), &id).is_some_and(|call| call.request().is_none())
    };
    assert!(is_free(&mut log, "/srv/shop"), "it is allowed where people allowed it");
    assert!(!is_free(&mut log, "/srv/shops"), "it is asked in another project");
}

#[test]
fn pattern_matching_denied_call_is_not_suggested() {
    let mut log = log_under("");
    let seen = ["git push a", "git push b", "git push c", "git push d", "git push e"];
    allow_all(&mut log, "bash", commands(&seen));
    log.deny("t", "ada", "bash", r#"{"command":"git push --tags"}"#);
    assert_eq!(log.suggest().rules, []);
}

#[test]
fn few_values_are_listed_many_left_open() {
    let mut log = log_under("");
    allow_all(&mut log, "deploy", (0..12).map(|n| format!("{{\"to\":\"staging\",\"build\":{n}}}")));
    log.deny("t", "ada", "deploy", r#"{"to":"production","build":3}"#);
    log.deny("t", "ada", "deploy", r#"{"to":"staging","build":3,"force":true}"#);
    assert_snapshot!(checked_suggestion(&log), @r#"
    # 12 of 14 prompts would have been saved by 1 rule, none of which allows
    # anything that was ever denied. Look at each before you add it to a policy.
    # Skipped: 2 denied, expired, withdrawn or still waiting.
    [[rule]] # 12 prompts in 2 threads, 12 different, allowed by user:ada, user:bob
    name = "suggested: deploy, to \"staging\""
    tool = "deploy"
    principal = "agent:bot"
    args = { "" = { size = { eq = 2 } }, "/build" = { exists = true }, "/to" = { eq = "staging" } }
    verdict = "allow"
    "#);
}

#[test]
fn unseen_combination_of_values_is_not_allowed() {
    let mut log = log_under("");
    let seen = [r#"{"a":1,"b":1}"#, r#"{"a":2,"b":2}"#];
    allow_all(&mut log, "set", (0..12).map(|n| seen[n % 2]));
    let toml = checked_suggestion(&log);
    let policy = Policy::read(&toml).expect("it reads");
    assert_eq!(policy.rules(), 2, "{toml}");
    let mut other = log_under("");
    other.allow("t", "ada", "set", r#"{"a":1,"b":2}"#);
    assert_eq!(other.replay(&toml).saved.allowed, 0, "{toml}");
}

#[test]
fn whole_tool_needs_many_calls_without_denial() {
    let log_with = |many: usize| {
        let mut log = log_under("");
        let shapes = (0..many).map(|n| format!("{{\"q{n}\":{n}}}"));
        allow_all(&mut log, "search", shapes);
        log
    };
    assert_eq!(log_with(19).suggest().rules, []);
    let mut log = log_with(20);
    assert!(checked_suggestion(&log).contains("tool = \"search\"\nprincipal = \"agent:bot\"\nverdict"));
    log.deny("t", "ada", "search", r#"{"q":"the salary of bob"}"#);
    assert_eq!(log.suggest().rules, []);
}

#[test]
fn command_and_program_arguments_stay_closed() {
    let mut log = log_under("");
    allow_all(&mut log, "bash", (0..30).map(|n| format!("{{\"command\":\"./job{n} | sh\"}}")));
    allow_all(&mut log, "python", (0..30).map(|n| format!("{{\"code\":\"import os\\nprint({n})\"}}")));
    assert_eq!(log.suggest().rules, []);
}

#[test]
fn call_changed_by_approver_counts_as_denied() {
    let mut log = log_under("");
    allow_all(&mut log, "mail", (0..6).map(|_| r#"{"to":"bob"}"#));
    assert_eq!(log.suggest().saved, 6);
    let id = log.propose("w", "mail", r#"{"to":"bob"}"#);
    let arguments = Some(HashedArguments::new(json(r#"{"to":"eve"}"#)).expect("admitted"));
    assert!(log.decide(
        "w",
        "ada",
        &id,
        RespondCommand { arguments, ..RespondCommand::plain(Decision::AllowOnce) }
    ));
    let suggestion = log.suggest();
    assert_eq!((suggestion.saved, suggestion.skipped.denied), (0, 6));
}

#[test]
fn call_asked_by_rule_is_skipped() {
    let policy = "[[rule]]\nname = \"mails\"\ntool = \"mail\"\nverdict = \"ask\"\n";
    let mut log = log_under(policy);
    allow_all(&mut log, "mail", (0..6).map(|_| "{}"));
    let suggestion = log.suggest();
    assert_eq!((suggestion.rules.len(), suggestion.skipped.asked_on_purpose), (0, 6));
    assert!(suggestion.toml().contains("# Skipped: 6 asked by a rule"));
}

#[test]
fn dangerous_call_needs_even_dangerous_option() {
    let destructive = |propose: ProposeCommand| ProposeCommand {
        annotations: Some(json(r#"{"destructiveHint":true}"#)),
        ..propose
    };
    let risky =
        |propose: ProposeCommand| ProposeCommand { impact: Some(json(r#"{"riskLevel":"high"}"#)), ..propose };
    let mut log = log_under("");
    for n in 0..6 {
        for (tool, risk) in [("drop-table", true), ("transfer", false), ("run-shell", true)] {
            let change = move |propose| match (tool, risk) {
                ("drop-table", _) => destructive(propose),
                ("transfer", _) => risky(propose),
                _ => propose,
            };
            let id = log.propose_with("t", tool, r#"{"n":1}"#, change);
            assert!(log.decide("t", "ada", &id, RespondCommand::plain(Decision::AllowOnce)), "{n}");
            log.run("t", &id, r#"{"n":1}"#);
        }
    }
    let suggestion = log.suggest();
    assert_eq!((suggestion.rules.len(), suggestion.skipped.dangerous), (0, 18));
    let all = log.suggest_with(SuggestionOptions { even_dangerous: true, ..SuggestionOptions::default() });
    assert_eq!((all.rules.len(), all.saved), (3, 18), "{}", all.toml());
}

#[test]
fn least_number_of_prompts_is_an_option() {
    let mut log = log_under("");
    allow_all(&mut log, "mail", (0..4).map(|_| "{}"));
    assert_eq!(log.suggest().rules.len(), 0);
    let options = SuggestionOptions { at_least: 4, ..SuggestionOptions::default() };
    assert_eq!(log.suggest_with(options).rules.len(), 1);
}

#[test]
fn names_and_values_cannot_inject_toml() {
    let mut log = log_under("");
    let odd = "@mail*]\"'";
    for n in 0..6 {
        log.allow(if n % 2 == 0 { "t" } else { "u" }, "ada", odd, r#"{"to\"]\n[x":"\u001b\"\"\"\nverdict"}"#);
    }
    log.deny("t", "ada", odd, r#"{"to":"\nverdict = \"block\"\n"}"#);
    let toml = checked_suggestion(&log);
    assert_eq!(Policy::read(&toml).expect("it reads").rules(), 1, "{toml}");
    assert!(
        !toml.contains('\u{202e}')
            || toml.lines().filter(|line| line.starts_with('#')).all(|line| !line.contains('\u{202e}'))
    );
}
