//! `countersign run` without a terminal: what runs, what is recorded, and what it exits with.

use crate::desk::{TerminalDesk, at_a_desk};
use countersign_api::ApprovalGate;
use insta::assert_snapshot;

/// A policy that lets everything run.
fn allow_all(desk: &mut TerminalDesk) {
    desk.writes("policy.toml", "default = \"allow\"");
    desk.sets("COUNTERSIGN_POLICY", "policy.toml");
}

/// What the log says of the last result.
async fn recorded(desk: &TerminalDesk) -> String {
    let query = "SELECT data ->> 'status' || ' ' || (data -> 'content') FROM events
                 WHERE type = 'TOOL_RESULT' ORDER BY seq DESC LIMIT 1";
    desk.runs("sqlite3", &["countersign.db", query]).await
}

#[tokio::test]
async fn what_the_policy_allows_runs_without_a_question() {
    at_a_desk(async |desk| {
        allow_all(desk);
        assert_snapshot!(desk.types("run -- echo 'two  spaces' '$HOME'").await, @"
        two  spaces $HOME
        exit 0
        ");
        assert_snapshot!(recorded(desk).await, @r#"success {"exitCode":0,"output":"two  spaces $HOME\n","outputBytes":18}"#);
    })
    .await;
}

#[tokio::test]
async fn stdout_and_stderr_stay_apart_and_the_exit_code_is_the_commands() {
    at_a_desk(async |desk| {
        allow_all(desk);
        assert_snapshot!(desk.types("run -- bash -c 'echo out; echo err >&2; exit 3'").await, @"
        out
        ! err
        exit 3
        ");
        assert!(recorded(desk).await.starts_with(r#"error {"exitCode":3,"#));
    })
    .await;
}

#[tokio::test]
async fn a_command_that_a_signal_ended_exits_as_a_shell_would_say() {
    at_a_desk(async |desk| {
        allow_all(desk);
        assert_snapshot!(desk.types("run -- bash -c 'kill -KILL $$'").await, @"exit 137");
        assert_snapshot!(recorded(desk).await, @r#"error {"signal":9,"output":"","outputBytes":0}"#);
    })
    .await;
}

#[tokio::test]
async fn a_command_that_cannot_be_started_says_why() {
    at_a_desk(async |desk| {
        allow_all(desk);
        assert_snapshot!(desk.types("run -- no-such-program --flag").await, @"
        ! countersign: no-such-program cannot be started: No such file or directory (os error 2)
        exit 127
        ");
        assert_snapshot!(recorded(desk).await, @r#"error {"error":"no-such-program cannot be started: No such file or directory (os error 2)","output":"","outputBytes":0}"#);
        desk.writes("notes.txt", "no program");
        assert_snapshot!(desk.types("run -- ./notes.txt").await, @"
        ! countersign: ./notes.txt cannot be started: Permission denied (os error 13)
        exit 126
        ");
        assert_snapshot!(recorded(desk).await, @r#"error {"error":"./notes.txt cannot be started: Permission denied (os error 13)","output":"","outputBytes":0}"#);
    })
    .await;
}

#[tokio::test]
async fn the_end_of_a_long_output_is_recorded() {
    at_a_desk(async |desk| {
        allow_all(desk);
        let ran = desk.types("run -- seq 100000").await;
        assert_eq!((ran.code, ran.stdout.len()), (0, 588_895));
        let query = "SELECT length(data ->> '$.content.output'), data ->> '$.content.outputBytes',
                     substr(data ->> '$.content.output', -7) FROM events WHERE type = 'TOOL_RESULT'";
        let found = desk.runs("sqlite3", &["countersign.db", query]).await;
        assert_eq!(found, "16384|588895|100000\n\n");
    })
    .await;
}

#[tokio::test]
async fn what_is_blocked_does_not_run() {
    at_a_desk(async |desk| {
        desk.writes(
            "policy.toml",
            "[[rule]]\nname = \"no shells\"\ntool = \"bash\"\nverdict = \"block\"\nreason = \"they bite\"",
        );
        assert_snapshot!(desk.types("run --policy policy.toml -- touch ran").await, @"
        ! countersign: Blocked by policy:no shells: they bite. This is a rule, which no approval lifts: do not retry it.
        exit 77
        ");
        assert!(!desk.path("ran").exists());
    })
    .await;
}

#[tokio::test]
async fn what_is_asked_about_waits_and_runs_once_it_is_allowed() {
    at_a_desk(async |desk| {
        let mut run = desk.starts("run --as agent:builder -- echo hi");
        run.complains("is pending").await;
        desk.types("allow call_ --as user:ada").await;
        assert_snapshot!(run.ends().await, @"
        hi
        ! countersign: [call 1] is pending; allow it with: /root/.cache/countersign/target/debug/countersign-under-test allow [call 1]
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn what_is_denied_does_not_run_and_the_reason_is_handed_on() {
    at_a_desk(async |desk| {
        let mut run = desk.starts("run --id call_1 -- touch ran");
        run.complains("is pending").await;
        desk.types("deny call_1 --as user:ada --comment 'use the other folder'").await;
        assert_snapshot!(run.ends().await, @"
        ! countersign: call_1 is pending; allow it with: /root/.cache/countersign/target/debug/countersign-under-test allow call_1
        ! countersign: Denied by user:ada: use the other folder (do not retry this call unchanged)
        exit 77
        ");
        assert!(!desk.path("ran").exists());
    })
    .await;
}

#[tokio::test]
async fn what_nobody_decides_in_time_does_not_run() {
    at_a_desk(async |desk| {
        let ran = desk.types("run --id call_1 --expires 1s -- touch ran").await;
        assert_snapshot!(ran, @"
        ! countersign: call_1 is pending; allow it with: /root/.cache/countersign/target/debug/countersign-under-test allow call_1
        ! countersign: Nobody decided before [time], so this call was not run.
        exit 78
        ");
        assert!(!desk.path("ran").exists());
    })
    .await;
}

#[tokio::test]
async fn a_run_that_is_interrupted_while_it_waits_withdraws_its_call() {
    at_a_desk(async |desk| {
        let mut run = desk.starts("run --id call_1 -- touch ran");
        run.complains("is pending").await;
        run.is_sent("INT").await;
        assert_snapshot!(run.ends().await, @"
        ! countersign: call_1 is pending; allow it with: /root/.cache/countersign/target/debug/countersign-under-test allow call_1
        ! countersign: cancelled call_1
        exit 130
        ");
        let mut run = desk.starts("run --id call_2 -- touch ran");
        run.complains("is pending").await;
        run.is_sent("TERM").await;
        assert_eq!(run.ends().await.code, 130);
        assert!(!desk.path("ran").exists());
        assert!(desk.types("show call_2").await.stdout.starts_with("call_2  bash  cancelled"));
    })
    .await;
}

#[tokio::test]
async fn a_run_that_is_told_to_end_hands_that_on_to_the_command() {
    at_a_desk(async |desk| {
        allow_all(desk);
        desk.writes(
            "patient.sh",
            "trap 'echo stopped; kill $!; exit 7' TERM\nsleep 60 &\necho ready\nwait\n",
        );
        let mut run = desk.starts("run -- bash patient.sh");
        run.says("ready").await;
        run.is_sent("TERM").await;
        let ran = run.ends().await;
        assert_eq!((ran.stdout.as_str(), ran.code), ("ready\nstopped\n", 7));
    })
    .await;
}

#[tokio::test]
async fn the_same_id_does_not_run_twice() {
    at_a_desk(async |desk| {
        allow_all(desk);
        desk.types("run --id call_1 -- echo hi").await;
        assert_snapshot!(desk.types("run --id call_1 -- echo hi").await, @"
        ! countersign: call_1 is already finished and does not run again; `countersign show call_1` shows it
        ! hint: `countersign show ID` shows the call and its events
        exit 3
        ");
        assert_snapshot!(desk.types("run --id call_1 -- echo ho").await, @"
        ! countersign: call call_1 was proposed before with another tool or other arguments; a new call needs a new id
        exit 3
        ");
    })
    .await;
}

/// Somebody else withdraws the call, as closing its thread does.
#[tokio::test]
async fn a_call_that_somebody_cancelled_does_not_run() {
    at_a_desk(async |desk| {
        let mut run = desk.starts("run --id call_1 --thread t1 -- touch ran");
        run.complains("is pending").await;
        let gate = desk.gate().await;
        gate.close(&countersign_api::parse_thread_id("t1").expect("valid")).await.expect("closed");
        gate.shut_down().await;
        assert_snapshot!(run.ends().await, @"
        ! countersign: call_1 is pending; allow it with: /root/.cache/countersign/target/debug/countersign-under-test allow call_1
        ! countersign: Cancelled by agent:builder: the thread was closed
        exit 79
        ");
    })
    .await;
}
