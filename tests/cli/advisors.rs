//! `countersign advisor` and `countersign flag`, and advice where calls are shown.

use crate::desk::{TerminalDesk, with_desk};
use countersign_approvals::decide::AdviceCommand;
use countersign_events::{AdviceVerdict, CallId, ThreadId};
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
    let call = countersign_api::CallGate::call(&gate, &thread, &id).await.expect("known");
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
        assert_snapshot!(desk.types("advisor list").await, @"
    The active policy has no advisors.
    exit 0
    ");
        assert_snapshot!(desk.types("advisor allow-decide judge --statement yes").await, @r#"
    ! countersign: the active policy has no advisor "judge"; it has none
    exit 1
    "#);
        assert_snapshot!(desk.types("advisor allow-decide judge").await, @"
    ! error: the following required arguments were not provided:
    !   --statement <TEXT>
    ! 
    ! Usage: countersign advisor allow-decide --statement <TEXT> <NAME>
    ! 
    ! For more information, try '--help'.
    exit 2
    ");
    })
    .await;
}

#[tokio::test]
async fn statement_lets_an_advisor_decide() {
    with_desk(async |desk| {
        apply_policy(desk).await;
        assert_snapshot!(desk.types("advisor list").await, @"
    NAME   PROTOCOL  TARGET                  MODE    MAY ANSWER   BECAUSE                                                           REPORT  CONTRADICTED
    judge  chat      https://models.example  advise  deny, allow  no report about these settings exists; measure the advisor first  none    none
    exit 0
    ");
        assert_snapshot!(desk.types("advisor allow-decide judge --statement watched").await, @"
    The mode of judge is decide: user:root let it decide in event 5: watched.
    exit 0
    ");
        desk.propose("t1", "call_2", "bash", r#"{"command":"make test"}"#).await;
        advise(desk, "call_2", AdviceVerdict::Allow).await;
        assert_snapshot!(desk.types("show call_2").await, @r#"
    call_2  bash  allowed
      thread     t1
      arguments  command: make test
      sha256     [sha256]
      proposed   by agent:builder at [time] ([ago])
      asked      routine: the rule says so (the main file)
      advice     judge says allow, confidence 0.9 [build]: a \u{001b}[2Jplain build
      decided    allow_once by advisor:judge at [time] (advisor, rule routine)
      comment    a \u{001b}[2Jplain build
      policy     event 4, from [here]/etc/policy.toml: countersign policy show --seq 4
    exit 0
    "#);
        assert_snapshot!(desk.types("flag call_2 --comment it-deleted-data").await, @"
    Flagged call_2, which advisor:judge allowed.
    exit 0
    ");
        assert_snapshot!(desk.types("advisor advise-only judge --reason flagged").await, @"
    The mode of judge is advise: user:root let it only advise since event 11: flagged.
    exit 0
    ");
        assert_snapshot!(desk.types("log --thread t1").await, @r#"
        6  [moment]  t1  agent:builder proposes bash as call_2: make test
        7  [moment]  t1  people are asked about call_2 (routine: the rule says so (the main file))
        8  [moment]  t1  advisor:judge advises on call_2: allow (mode decide) (a \u{001b}[2Jplain build)
        9  [moment]  t1  advisor:judge allows call_2 (a \u{001b}[2Jplain build)
       10  [moment]  t1  user:root flags call_2: it should not have been allowed (it-deleted-data)
    exit 0
    "#);
    })
    .await;
}

#[tokio::test]
async fn unproven_advisors_are_in_json_of_apply() {
    with_desk(async |desk| {
        desk.propose("t0", "call_0", "bash", r#"{"command":"make"}"#).await;
        std::fs::create_dir_all(desk.path("etc/policy.d")).expect("a folder");
        desk.write_file("etc/policy.d/judge.prompt", "You judge builds.\n");
        let apply = async |text: &str| {
            desk.write_file("etc/policy.toml", text);
            let applied = desk.types("policy apply etc/policy.toml --yes --json --as user:root").await;
            assert_eq!(applied.code, 0, "{applied}");
            let applied: serde_json::Value = serde_json::from_str(&applied.stdout).expect("JSON");
            assert_eq!(applied["changed"], true);
            applied["unproven"].clone()
        };
        let why = "no report about these settings exists; measure the advisor first";
        assert_eq!(apply(POLICY).await, serde_json::json!([{"advisor": "judge", "why": why}]));
        assert_eq!(desk.types("advisor allow-decide judge --statement watched").await.code, 0);
        let other_rule = POLICY.replace("make **", "make *");
        assert_eq!(apply(&other_rule).await, serde_json::json!([]), "the statement belongs to the advisor");
        let other_model = POLICY.replace("small", "large");
        assert_eq!(apply(&other_model).await, serde_json::json!([{"advisor": "judge", "why": why}]));
        let advising = POLICY.replace("mode = \"decide\"", "mode = \"advise\"");
        assert_eq!(apply(&advising).await, serde_json::json!([]));
    })
    .await;
}

#[tokio::test]
async fn facts_are_measured_without_a_model() {
    with_desk(async |desk| {
        desk.propose("t0", "call_0", "translate", r#"{"to":"de"}"#).await;
        desk.write_file("facts.toml", "[[advisor]]\nname = \"facts\"\nprotocol = \"facts\"\n");
        let applied = desk.types("policy apply facts.toml --yes --as user:root").await;
        assert_eq!(applied.code, 0, "{applied}");
        assert_eq!(desk.types("allow call_0 --as user:ada").await.code, 0);
        for n in 1..5 {
            let id = format!("call_{n}");
            desk.propose(&format!("t{n}"), &id, "translate", r#"{"to":"de"}"#).await;
            assert_eq!(desk.types(&format!("allow {id} --as user:ada")).await.code, 0);
        }
        desk.propose("t9", "call_9", "translate", r#"{"to":"fr"}"#).await;
        assert_eq!(desk.types("deny call_9 --as user:ada").await.code, 0);
        let replayed = desk.types("advisor replay facts --dry-run --rate 1000/s --json").await;
        let replayed: serde_json::Value = serde_json::from_str(&replayed.stdout).expect("JSON");
        let measured = &replayed["measurement"];
        assert_eq!(
            (&measured["cases"], &measured["agreed"], &measured["asked"]),
            (&6.into(), &2.into(), &4.into())
        );
        assert_eq!((&measured["falseAllows"], &measured["failed"]), (&0.into(), &0.into()));
        assert_eq!(replayed["meetsThresholds"], false, "too few cases");
    })
    .await;
}

#[tokio::test]
async fn prompt_can_be_named_in_a_policy() {
    with_desk(async |desk| {
        let printed = desk.types("advisor prompt").await;
        assert_eq!((printed.code, printed.stderr.as_str()), (0, ""));
        assert!(printed.stdout.starts_with("You review tool calls of AI agents before people see them."));
        std::fs::create_dir_all(desk.path("etc/policy.d")).expect("a folder");
        desk.write_file("etc/policy.d/judge.prompt", &printed.stdout);
        desk.write_file("etc/policy.toml", POLICY);
        assert_eq!(desk.types("policy check etc/policy.toml").await.code, 0);
        let json = desk.types("advisor prompt --json").await;
        let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
        assert_eq!(json["prompt"], printed.stdout);
    })
    .await;
}

#[tokio::test]
async fn advisor_that_cannot_be_asked_is_refused() {
    with_desk(async |desk| {
        std::fs::create_dir_all(desk.path("etc")).expect("a folder");
        desk.write_file(
            "etc/policy.toml",
            "[[advisor]]\nname = \"judge\"\nurl = \"https://judge.example:x/\"\n",
        );
        assert_snapshot!(desk.types("policy check etc/policy.toml").await, @r#"
        ! countersign: etc/policy.toml: advisor "judge": the url: it is not an address of at most 2048 bytes, such as https://hooks.example.com/path
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        "#);
        assert_eq!(desk.types("policy apply etc/policy.toml --yes").await.code, 2);
        assert_eq!(desk.types("serve --policy etc/policy.toml --listen 127.0.0.1:0").await.code, 2);
    })
    .await;
}

#[tokio::test]
async fn advice_is_shown_beside_a_pending_call() {
    with_desk(async |desk| {
        apply_policy(desk).await;
        desk.propose("t1", "call_1", "bash", r#"{"command":"make all"}"#).await;
        advise(desk, "call_1", AdviceVerdict::Deny).await;
        assert_snapshot!(desk.types("show call_1").await, @r#"
    call_1  bash  pending
      thread     t1
      arguments  command: make all
      sha256     [sha256]
      proposed   by agent:builder at [time] ([ago])
      asked      routine: the rule says so (the main file)
      advice     judge says deny, confidence 0.9 [build]: a \u{001b}[2Jplain build
      policy     event 4, from [here]/etc/policy.toml: countersign policy show --seq 4
    exit 0
    "#);
        assert_snapshot!(desk.types("flag call_1").await, @"
    ! countersign: the call is pending, and only a call that was allowed can be flagged
    exit 3
    ");
    })
    .await;
}

#[tokio::test]
async fn policy_check_says_who_may_answer() {
    with_desk(async |desk| {
        apply_policy(desk).await;
        assert_snapshot!(desk.types("policy check etc/policy.toml -- make all").await, @"
    ask  the rule says so (the main file)
      by       rule routine
      terms    advisor judge may answer, if it decides; otherwise people do
      matched  advised routine: tool `bash` matches, command `make **` matches
      policy   etc/policy.toml with policy.d/judge.prompt
    exit 76
    ");
        assert_snapshot!(desk.types("policy check etc/policy.toml -- 'make all; rm x'").await, @"
    ask  the rule says so (the main file)
      by       rule routine
      does     deletes x
      matched  ask   routine: tool `bash` matches, command `make **` matches
      policy   etc/policy.toml with policy.d/judge.prompt
    exit 76
    ");
        assert_snapshot!(desk.types("policy fmt --check etc/policy.toml").await, @"
    ! etc/policy.toml is not in the standard layout: countersign policy fmt etc/policy.toml
    exit 1
    ");
    })
    .await;
}
