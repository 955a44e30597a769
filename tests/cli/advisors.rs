//! `countersign advisor` and `countersign flag`, and advice where calls are shown.

use crate::desk::{TerminalDesk, with_desk};
use countersign_gate::{AdviceCommand, CallId, ThreadId, event::AdviceVerdict};
use insta::assert_snapshot;

const POLICY: &str = r#"
[[advisor]]
name = "judge"
protocol = "chat"
url = "https://models.example/v1"
model = "small"
promptFile = "judge.prompt"
mode = "decide"
outcomes = ["deny", "allow"]

[[rule]]
name = "routine"
tool = "bash"
command = "make **"
verdict = "advised"
advisor = "judge"
"#;

async fn apply_policy(desk: &TerminalDesk) {
    // The log exists with its first call.
    desk.propose("t0", "call_0", "bash", r#"{"command":"make"}"#).await;
    std::fs::create_dir_all(desk.path("etc/policy.d")).expect("a folder");
    desk.write_file("etc/policy.toml", POLICY);
    desk.write_file("etc/policy.d/judge.prompt", "You judge builds.\n");
    let applied = desk.types("policy apply etc/policy.toml --yes --as user:root").await;
    assert_eq!(applied.code, 0, "{applied}");
}

/// Records advice on a call, as the server does.
async fn advise(desk: &TerminalDesk, id: &str, advice: AdviceVerdict) {
    let gate = desk.gate().await;
    let policy = gate.policy_in_force().expect("readable");
    let (thread, id) = (ThreadId::new("t1").expect("valid"), CallId::new(id).expect("valid"));
    let call = countersign_api::ApprovalGate::call(&gate, &thread, &id).await.expect("known");
    let command = AdviceCommand {
        advisor: "judge".to_owned(),
        configuration: policy.advisor("judge").expect("an advisor").configuration,
        advice,
        reason: Some("a \u{1b}[2Jplain build".to_owned()),
        confidence: Some("0.9".parse().expect("valid")),
        labels: vec!["build".to_owned()],
        failure: None,
        elapsed_millis: 3,
        tokens: None,
        cached: false,
        arguments_hash: call.arguments_hash,
    };
    gate.record_advice(&thread, &id, &command).await.expect("recorded");
    countersign_api::ApprovalGate::shut_down(&gate).await;
}

#[tokio::test]
async fn unknown_advisor_is_refused() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", r#"{"command":"make"}"#).await;
        assert_snapshot!(desk.types("advisor list").await);
        assert_snapshot!(desk.types("advisor allow-decide judge --statement yes").await);
        assert_snapshot!(desk.types("advisor allow-decide judge").await);
    })
    .await;
}

#[tokio::test]
async fn statement_lets_an_advisor_decide() {
    with_desk(async |desk| {
        apply_policy(desk).await;
        assert_snapshot!(desk.types("advisor list").await);
        assert_snapshot!(desk.types("advisor allow-decide judge --statement watched").await);
        desk.propose("t1", "call_2", "bash", r#"{"command":"make test"}"#).await;
        advise(desk, "call_2", AdviceVerdict::Allow).await;
        assert_snapshot!(desk.types("show call_2").await);
        assert_snapshot!(desk.types("flag call_2 --comment it-deleted-data").await);
        assert_snapshot!(desk.types("advisor advise-only judge --reason flagged").await);
        assert_snapshot!(desk.types("log --thread t1").await);
    })
    .await;
}

#[tokio::test]
async fn advice_is_shown_beside_a_pending_call() {
    with_desk(async |desk| {
        apply_policy(desk).await;
        desk.propose("t1", "call_1", "bash", r#"{"command":"make all"}"#).await;
        advise(desk, "call_1", AdviceVerdict::Deny).await;
        assert_snapshot!(desk.types("show call_1").await);
        assert_snapshot!(desk.types("flag call_1").await);
    })
    .await;
}

#[tokio::test]
async fn policy_check_says_who_may_answer() {
    with_desk(async |desk| {
        apply_policy(desk).await;
        assert_snapshot!(desk.types("policy check etc/policy.toml -- make all").await);
        assert_snapshot!(desk.types("policy check etc/policy.toml -- 'make all; rm x'").await);
        assert_snapshot!(desk.types("policy fmt --check etc/policy.toml").await);
    })
    .await;
}
