//! Suggesting: what speaks for a rule, and what speaks against it.

use super::{SuggestionOptions, TestLog, json, under};
use countersign_approvals::decide::{HashedArguments, ProposeCommand, RespondCommand};
use countersign_events::event::Decision;
use countersign_policy::Policy;
use insta::assert_snapshot;

fn allowed(log: &mut TestLog, tool: &str, arguments: impl IntoIterator<Item = impl AsRef<str>>) {
    for (at, arguments) in arguments.into_iter().enumerate() {
        let (thread, who) = if at % 2 == 0 { ("t", "ada") } else { ("u", "bob") };
        log.allows(thread, who, tool, arguments.as_ref());
    }
}

fn commands(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| format!("{{\"command\":\"{word}\"}}")).collect()
}

/// What a log suggests leads to no prompt that it would have saved, and allows nothing that was denied.
fn holds(log: &TestLog) -> String {
    let suggestion = log.suggests();
    let report = log.replayed(&suggestion.toml());
    assert_eq!(report.allowed_though_denied.count, 0, "{}\n{report:#?}", suggestion.toml());
    assert_eq!(report.saved.allowed, suggestion.saved, "{}", suggestion.toml());
    suggestion.toml()
}

#[test]
fn a_log_without_a_pattern_suggests_nothing() {
    let mut log = under("");
    log.allows("t", "ada", "mail", r#"{"to":"bob"}"#);
    assert_snapshot!(holds(&log), @"
    # 0 of 1 prompts would have been saved by 0 rules, none of which allows
    # anything that was ever denied. Look at each before you add it to a policy.
    ");
}

#[test]
fn a_command_that_is_allowed_again_and_again_becomes_a_pattern_that_leaves_out_what_was_denied() {
    let mut log = under("");
    let seen = ["git status", "git status -s", "git status --short", "git status", "git status src"];
    allowed(&mut log, "bash", commands(&seen));
    log.denies("t", "ada", "bash", r#"{"command":"git status; rm -rf /"}"#);
    log.denies("t", "ada", "bash", r#"{"command":"git push --force"}"#);
    assert_snapshot!(holds(&log), @r#"
    # 5 of 7 prompts would have been saved by 1 rule, none of which allows
    # anything that was ever denied. Look at each before you add it to a policy.
    # Passed over: 2, denied, lapsed, withdrawn or still waiting.

    # 5 prompts in 2 threads, 4 different, all allowed by user:ada, user:bob, none ever denied.
    # From 2026-01-31 to 2026-01-31.
    # It does not allow 2 other calls of this tool:
    #   {"command":"git status; rm -rf /"} (denied by user:ada: not on a Friday)
    #   {"command":"git push --force"} (denied by user:ada: not on a Friday)
    [[rule]]
    name = "suggested: bash, command `git status **`"
    tool = "bash"
    principal = "agent:bot"
    command = "git status **"
    verdict = "allow"
    "#);
}

#[test]
fn a_pattern_that_meets_what_was_denied_is_not_suggested() {
    let mut log = under("");
    let seen = ["git push a", "git push b", "git push c", "git push d", "git push e"];
    allowed(&mut log, "bash", commands(&seen));
    log.denies("t", "ada", "bash", r#"{"command":"git push --force"}"#);
    assert_eq!(log.suggests().rules, []);
}

#[test]
fn values_are_listed_and_what_varies_is_left_open() {
    let mut log = under("");
    allowed(&mut log, "deploy", (0..12).map(|n| format!("{{\"to\":\"staging\",\"build\":{n}}}")));
    log.denies("t", "ada", "deploy", r#"{"to":"production","build":3}"#);
    log.denies("t", "ada", "deploy", r#"{"to":"staging","build":3,"force":true}"#);
    assert_snapshot!(holds(&log), @r#"
    # 12 of 14 prompts would have been saved by 1 rule, none of which allows
    # anything that was ever denied. Look at each before you add it to a policy.
    # Passed over: 2, denied, lapsed, withdrawn or still waiting.

    # 12 prompts in 2 threads, 12 different, all allowed by user:ada, user:bob, none ever denied.
    # From 2026-01-31 to 2026-01-31.
    # It does not allow 2 other calls of this tool:
    #   {"to":"production","build":3} (denied by user:ada: not on a Friday)
    #   {"to":"staging","build":3,"force":true} (denied by user:ada: not on a Friday)
    [[rule]]
    name = "suggested: deploy, to \"staging\""
    tool = "deploy"
    principal = "agent:bot"
    args = { "" = { size = { eq = 2 } }, "/build" = { exists = true }, "/to" = { eq = "staging" } }
    verdict = "allow"
    "#);
}

#[test]
fn combinations_that_nobody_has_seen_are_not_allowed() {
    let mut log = under("");
    let seen = [r#"{"a":1,"b":1}"#, r#"{"a":2,"b":2}"#];
    allowed(&mut log, "set", (0..12).map(|n| seen[n % 2]));
    let toml = holds(&log);
    let policy = Policy::read(&toml).expect("it reads");
    assert_eq!(policy.rules(), 2, "{toml}");
    let mut other = under("");
    other.allows("t", "ada", "set", r#"{"a":1,"b":2}"#);
    assert_eq!(other.replayed(&toml).saved.allowed, 0, "{toml}");
}

#[test]
fn a_whole_tool_takes_many_different_calls_and_none_that_was_denied() {
    let of = |many: usize| {
        let mut log = under("");
        let shapes = (0..many).map(|n| format!("{{\"q{n}\":{n}}}"));
        allowed(&mut log, "search", shapes);
        log
    };
    assert_eq!(of(19).suggests().rules, []);
    let mut log = of(20);
    assert!(holds(&log).contains("tool = \"search\"\nprincipal = \"agent:bot\"\nverdict"));
    log.denies("t", "ada", "search", r#"{"q":"the salary of bob"}"#);
    assert_eq!(log.suggests().rules, []);
}

#[test]
fn a_tool_that_runs_commands_or_takes_long_texts_is_never_left_open() {
    let mut log = under("");
    allowed(&mut log, "bash", (0..30).map(|n| format!("{{\"command\":\"./job{n} | sh\"}}")));
    allowed(&mut log, "python", (0..30).map(|n| format!("{{\"code\":\"import os\\nprint({n})\"}}")));
    assert_eq!(log.suggests().rules, []);
}

#[test]
fn what_an_approver_changed_or_one_of_several_denied_counts_as_denied() {
    let mut log = under("");
    allowed(&mut log, "mail", (0..6).map(|_| r#"{"to":"bob"}"#));
    assert_eq!(log.suggests().saved, 6);
    let id = log.proposes("w", "mail", r#"{"to":"bob"}"#);
    let arguments = Some(HashedArguments::new(json(r#"{"to":"eve"}"#)).expect("admitted"));
    assert!(log.decides(
        "w",
        "ada",
        &id,
        RespondCommand { arguments, ..RespondCommand::plain(Decision::AllowOnce) }
    ));
    let suggestion = log.suggests();
    assert_eq!((suggestion.saved, suggestion.passed_over.denied), (0, 6));
}

#[test]
fn what_a_rule_or_the_tool_asks_on_purpose_no_allow_would_lift() {
    let policy = "[[rule]]\nname = \"mails\"\ntool = \"mail\"\nverdict = \"ask\"\n";
    let mut log = under(policy);
    allowed(&mut log, "mail", (0..6).map(|_| "{}"));
    let suggestion = log.suggests();
    assert_eq!((suggestion.rules.len(), suggestion.passed_over.asked_on_purpose), (0, 6));
    assert!(suggestion.toml().contains("# Passed over: 6, asked by a rule"));
}

#[test]
fn what_is_called_dangerous_is_suggested_only_if_that_is_wanted() {
    let destroys = |propose: ProposeCommand| ProposeCommand {
        annotations: Some(json(r#"{"destructiveHint":true}"#)),
        ..propose
    };
    let risky =
        |propose: ProposeCommand| ProposeCommand { impact: Some(json(r#"{"riskLevel":"high"}"#)), ..propose };
    let mut log = under("");
    for n in 0..6 {
        for (tool, risk) in [("drop-table", true), ("transfer", false), ("run-shell", true)] {
            let with = move |propose| match (tool, risk) {
                ("drop-table", _) => destroys(propose),
                ("transfer", _) => risky(propose),
                _ => propose,
            };
            let id = log.proposes_with("t", tool, r#"{"n":1}"#, with);
            assert!(log.decides("t", "ada", &id, RespondCommand::plain(Decision::AllowOnce)), "{n}");
            log.runs("t", &id, r#"{"n":1}"#);
        }
    }
    let suggestion = log.suggests();
    assert_eq!((suggestion.rules.len(), suggestion.passed_over.dangerous), (0, 18));
    let all = log.suggests_if(SuggestionOptions { even_dangerous: true, ..SuggestionOptions::default() });
    assert_eq!((all.rules.len(), all.saved), (3, 18), "{}", all.toml());
}

#[test]
fn how_much_has_to_speak_for_a_rule_can_be_said() {
    let mut log = under("");
    allowed(&mut log, "mail", (0..4).map(|_| "{}"));
    assert_eq!(log.suggests().rules.len(), 0);
    let wanted = SuggestionOptions { at_least: 4, ..SuggestionOptions::default() };
    assert_eq!(log.suggests_if(wanted).rules.len(), 1);
}

#[test]
fn names_and_values_cannot_break_out_of_what_is_written() {
    let mut log = under("");
    let odd = "@mail*]\"\u{202e}";
    for n in 0..6 {
        log.allows(
            if n % 2 == 0 { "t" } else { "u" },
            "ada",
            odd,
            r#"{"to\"]\n[x":"\u001b\"\"\"\nverdict"}"#,
        );
    }
    log.denies("t", "ada", odd, r#"{"to":"\nverdict = \"block\"\n"}"#);
    let toml = holds(&log);
    assert_eq!(Policy::read(&toml).expect("it reads").rules(), 1, "{toml}");
    assert!(
        !toml.contains('\u{202e}')
            || toml.lines().filter(|line| line.starts_with('#')).all(|line| !line.contains('\u{202e}'))
    );
}
