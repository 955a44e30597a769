//! Properties that hold for every log, tested with random logs.

use super::{SuggestionOptions, TestLog, json, log_under};
use countersign_approvals::{
    GrantScope,
    decide::{HashedArguments, RespondCommand},
};
use countersign_events::{Decision, Mode, ToolPolicy};
use countersign_policy::Policy;
use proptest::prelude::*;

const POLICY: &str =
    "[patterns]\n\"free\" = \"allow\"\n\"bash:rm*\" = \"block\"\n\"bash:git push*\" = \"ask\"\n";
const COMMANDS: [&str; 7] =
    ["git status", "git status -s", "git status; rm -rf /", "git log -1", "git push", "rm -rf /", "ls $(x)"];

#[derive(Debug, Clone)]
enum ReplayStep {
    /// A proposed call, and a human answer if the policy asks.
    Call {
        thread: usize,
        tool: usize,
        arguments: String,
        answer: ReplayAnswer,
    },
    SetMode(usize, usize),
    SetToolPolicy(usize, usize),
}

#[derive(Debug, Clone, Copy)]
enum ReplayAnswer {
    Once,
    Session,
    Deny,
    Edit,
    Nothing,
}

const TOOLS: [&str; 4] = ["bash", "mail", "free", "file-read"];
const THREADS: [&str; 3] = ["t", "u", "v"];

fn arguments() -> impl Strategy<Value = String> {
    let command = prop::sample::select(&COMMANDS[..]).prop_map(|text| format!("{{\"command\":\"{text}\"}}"));
    let path = (0..4_u8, 0..3_u8).prop_map(|(folder, file)| format!("{{\"path\":\"/d{folder}/f{file}\"}}"));
    let plain = (0..3_u8, 0..14_u8).prop_map(|(to, n)| format!("{{\"to\":{to},\"n\":\"{n}\"}}"));
    let secret = (0..3_u8).prop_map(|n| format!("{{\"to\":{n},\"password\":\"hunter{n}\"}}"));
    prop_oneof![4 => command, 2 => path, 3 => plain, 1 => secret, 1 => Just("{}".to_owned())]
}

fn step() -> impl Strategy<Value = ReplayStep> {
    let answer = prop_oneof![
        8 => Just(ReplayAnswer::Once),
        1 => Just(ReplayAnswer::Session),
        2 => Just(ReplayAnswer::Deny),
        1 => Just(ReplayAnswer::Edit),
        1 => Just(ReplayAnswer::Nothing)
    ];
    prop_oneof![
        30 => (0..3_usize, 0..4_usize, arguments(), answer)
            .prop_map(|(thread, tool, arguments, answer)| ReplayStep::Call { thread, tool, arguments, answer }),
        1 => (0..3_usize, 0..3_usize).prop_map(|(thread, mode)| ReplayStep::SetMode(thread, mode)),
        1 => (0..3_usize, 0..4_usize).prop_map(|(thread, own)| ReplayStep::SetToolPolicy(thread, own)),
    ]
}

fn record_log(steps: &[ReplayStep]) -> TestLog {
    let mut log = log_under(POLICY);
    for step in steps {
        match step {
            ReplayStep::Call { thread, tool, arguments, answer } => {
                record_call(&mut log, THREADS[*thread], TOOLS[*tool], arguments, *answer);
            }
            ReplayStep::SetMode(thread, mode) => log.set_mode(THREADS[*thread], Mode::ALL[*mode]),
            ReplayStep::SetToolPolicy(thread, own) => {
                log.set_policy(THREADS[*thread], "mail", ToolPolicy::ALL[*own]);
            }
        }
    }
    log
}

fn record_call(log: &mut TestLog, thread: &str, tool: &str, arguments: &str, answer: ReplayAnswer) {
    let id = log.propose(thread, tool, arguments);
    let edited = Some(HashedArguments::new(json("{\"n\":\"edited\"}")).expect("admitted"));
    let respond = match answer {
        ReplayAnswer::Once => RespondCommand::plain(Decision::AllowOnce),
        ReplayAnswer::Session => RespondCommand::for_session(GrantScope::Tool),
        ReplayAnswer::Deny => RespondCommand::plain(Decision::Deny),
        ReplayAnswer::Edit => {
            RespondCommand { arguments: edited, ..RespondCommand::plain(Decision::AllowOnce) }
        }
        ReplayAnswer::Nothing => return,
    };
    log.decide(thread, "ada", &id, respond);
    log.run(thread, &id, arguments);
}

fn logs() -> impl Strategy<Value = Vec<ReplayStep>> {
    prop::collection::vec(step(), 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn suggestion_parses_and_allows_no_denied_call(steps in logs(), at_least in 1..6_u64) {
        let log = record_log(&steps);
        let suggestion = log.suggest_with(SuggestionOptions { at_least, even_dangerous: true, all: true });
        let toml = suggestion.toml();
        let policy = Policy::read(&toml).expect(&toml);
        prop_assert_eq!(policy.rules(), suggestion.rules.len());
        let report = log.replay_policy(policy);
        prop_assert_eq!(report.allowed_though_denied.count, 0, "{}", toml);
        prop_assert!(report.saved.allowed >= suggestion.saved, "{}", toml);
        for rule in &suggestion.rules {
            prop_assert!(rule.saves >= at_least && rule.prompts >= rule.saves);
        }
    }

    #[test]
    fn recording_policy_replay_has_no_differences(steps in logs()) {
        let report = record_log(&steps).replay(POLICY);
        prop_assert!(!report.has_differences(), "{:#?}", report);
        prop_assert_eq!(report.then, report.now);
        prop_assert_eq!(report.allowed_though_denied.count, 0);
        prop_assert_eq!(report.asked_though_run.count, 0);
    }

    #[test]
    fn report_counts_add_up(steps in logs()) {
        let log = record_log(&steps);
        let report = log.replay("[patterns]\n\"bash:git*\" = \"allow\"\n\"mail\" = \"allow\"\n\"free\" = \"ask\"\n");
        let total = |counts: crate::AnswerCounts| counts.asked + counts.allowed + counts.blocked + counts.answered;
        prop_assert_eq!(total(report.then), report.calls);
        prop_assert_eq!(total(report.now), report.calls);
        prop_assert_eq!(report.then.asked + report.added - report.saved.allowed - report.saved.blocked, report.now.asked);
        prop_assert_eq!(log.calls().len() as u64, report.calls + report.masked + report.unsettled);
        prop_assert_eq!(report.rules.iter().map(|row| row.calls).sum::<u64>(), report.calls);
    }
}
