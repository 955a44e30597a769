//! `countersign run` without a terminal: execution, the recorded result, and the exit code.

use crate::desk::{TerminalDesk, with_desk};
use countersign_api::{ApprovalGate, SendOperation, operations};
use insta::assert_snapshot;

/// Sets a policy that allows every call.
async fn allow_all(desk: &TerminalDesk) {
    desk.apply_policy("default = \"allow\"").await;
}

/// Returns the last result in the log.
async fn last_result(desk: &TerminalDesk) -> String {
    let query = "SELECT data ->> 'status' || ' ' || (data -> 'content') FROM events
                 WHERE type = 'TOOL_RESULT' ORDER BY seq DESC LIMIT 1";
    desk.run_program("sqlite3", &["countersign.db", query]).await
}

#[tokio::test]
async fn allowed_command_runs_without_approval() {
    with_desk(async |desk| {
        allow_all(desk).await;
        assert_snapshot!(desk.types("run -- echo 'two  spaces' '$HOME'").await, @"
        two  spaces $HOME
        exit 0
        ");
        assert_snapshot!(last_result(desk).await, @r#"success {"exitCode":0,"output":"two  spaces $HOME\n","outputBytes":18}"#);
    })
    .await;
}

#[tokio::test]
async fn run_keeps_streams_separate_and_exit_code() {
    with_desk(async |desk| {
        allow_all(desk).await;
        assert_snapshot!(desk.types("run -- bash -c 'echo out; echo err >&2; exit 3'").await, @"
        out
        ! err
        exit 3
        ");
        assert!(last_result(desk).await.starts_with(r#"error {"exitCode":3,"#));
    })
    .await;
}

#[tokio::test]
async fn command_killed_by_signal_exits_like_a_shell() {
    with_desk(async |desk| {
        allow_all(desk).await;
        assert_snapshot!(desk.types("run -- bash -c 'kill -KILL $$'").await, @"exit 137");
        assert_snapshot!(last_result(desk).await, @r#"error {"signal":9,"output":"","outputBytes":0}"#);
    })
    .await;
}

/// Returns the number of events in the log.
async fn event_count(desk: &TerminalDesk) -> String {
    desk.run_program("sqlite3", &["countersign.db", "SELECT count(*) FROM events WHERE type <> 'POLICY_SET'"])
        .await
}

#[tokio::test]
async fn missing_program_is_reported_before_the_proposal() {
    with_desk(async |desk| {
        allow_all(desk).await;
        desk.types("run -- true").await;
        let before = event_count(desk).await;
        assert_snapshot!(desk.types("run -- no-such-program --flag").await, @"
        ! countersign: no-such-program is not in PATH, so nothing was proposed
        exit 127
        ");
        assert_snapshot!(desk.types("run -- ./no-such-file").await, @"
        ! countersign: ./no-such-file does not exist, so nothing was proposed
        exit 127
        ");
        assert_snapshot!(desk.types("run -- 'echo one | cat'").await, @"
        ! countersign: echo one | cat is not in PATH, so nothing was proposed; run a shell for a line of shell: countersign run -- sh -c 'echo one | cat'
        exit 127
        ");
        assert_snapshot!(desk.types("run -- cd /tmp").await, @"
        ! countersign: cd is not in PATH, so nothing was proposed; run a shell for a line of shell: countersign run -- sh -c 'cd /tmp'
        exit 127
        ");
        assert_snapshot!(desk.types("--json run -- no-such-program").await, @r#"
        ! {"code":"program_not_found","detail":"no-such-program is not in PATH, so nothing was proposed"}
        exit 127
        "#);
        assert_eq!(event_count(desk).await, before, "nothing was proposed");
    })
    .await;
}

#[tokio::test]
async fn unexecutable_program_is_reported_before_the_proposal() {
    with_desk(async |desk| {
        allow_all(desk).await;
        desk.types("run -- true").await;
        let before = event_count(desk).await;
        desk.write_file("notes.txt", "no program");
        assert_snapshot!(desk.types("run -- ./notes.txt").await, @"
        ! countersign: ./notes.txt is not executable, so nothing was proposed
        exit 126
        ");
        assert_snapshot!(desk.types("run -- ./").await, @"
        ! countersign: ./ is a folder, so nothing was proposed
        exit 126
        ");
        assert_eq!(event_count(desk).await, before, "nothing was proposed");
    })
    .await;
}

#[tokio::test]
async fn program_removed_while_waiting_reports_the_reason() {
    with_desk(async |desk| {
        desk.write_file("tool.sh", "#!/bin/sh\necho ran\n");
        desk.run_program("chmod", &["+x", "tool.sh"]).await;
        let mut run = desk.start("run --id call_1 -- ./tool.sh");
        run.wait_for_stderr("is pending").await;
        desk.run_program("rm", &["tool.sh"]).await;
        desk.types("allow call_1 --as user:ada").await;
        let ran = run.wait_for_exit().await;
        assert_eq!(ran.code, 127);
        assert!(
            ran.stderr.contains("./tool.sh cannot be started: No such file or directory"),
            "{}",
            ran.stderr
        );
        assert!(last_result(desk).await.starts_with(r#"error {"error":"./tool.sh cannot be started"#));
    })
    .await;
}

#[tokio::test]
async fn end_of_long_output_is_recorded() {
    with_desk(async |desk| {
        allow_all(desk).await;
        let ran = desk.types("run -- seq 100000").await;
        assert_eq!((ran.code, ran.stdout.len()), (0, 588_895));
        let query = "SELECT length(data ->> '$.content.output'), data ->> '$.content.outputBytes',
                     substr(data ->> '$.content.output', -7) FROM events WHERE type = 'TOOL_RESULT'";
        let found = desk.run_program("sqlite3", &["countersign.db", query]).await;
        assert_eq!(found, "16384|588895|100000\n\n");
    })
    .await;
}

#[tokio::test]
async fn blocked_command_does_not_run() {
    with_desk(async |desk| {
        desk.apply_policy(
            "[[rule]]\nname = \"no shells\"\ntool = \"bash\"\nverdict = \"block\"\nreason = \"they bite\"",
        )
        .await;
        assert_snapshot!(desk.types("run -- touch ran").await, @"
        ! countersign: Blocked by policy:no shells: they bite. This is a rule, which no approval lifts: do not retry it.
        exit 77
        ");
        assert!(!desk.path("ran").exists());
    })
    .await;
}

#[tokio::test]
async fn pending_command_runs_once_allowed() {
    with_desk(async |desk| {
        let mut run = desk.start("run --as agent:builder -- echo hi");
        run.wait_for_stderr("is pending").await;
        desk.types("allow call_ --as user:ada").await;
        assert_snapshot!(run.wait_for_exit().await, @"
        hi
        ! countersign: [call 1] is pending in [here]/countersign.db; allow it with: countersign allow [call 1]
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn denied_command_does_not_run_and_says_why() {
    with_desk(async |desk| {
        let mut run = desk.start("run --id call_1 -- touch ran");
        run.wait_for_stderr("is pending").await;
        desk.types("deny call_1 --as user:ada --comment 'use the other folder'").await;
        assert_snapshot!(run.wait_for_exit().await, @"
        ! countersign: call_1 is pending in [here]/countersign.db; allow it with: countersign allow call_1
        ! countersign: Denied by user:ada: use the other folder (do not retry this call unchanged)
        exit 77
        ");
        assert!(!desk.path("ran").exists());
    })
    .await;
}

#[tokio::test]
async fn expired_command_does_not_run() {
    with_desk(async |desk| {
        let ran = desk.types("run --id call_1 --expires 1s -- touch ran").await;
        assert_snapshot!(ran, @"
        ! countersign: call_1 is pending in [here]/countersign.db; allow it with: countersign allow call_1
        ! countersign: Nobody decided before [time], so this call was not run.
        exit 78
        ");
        assert!(!desk.path("ran").exists());
    })
    .await;
}

#[tokio::test]
async fn interrupted_waiting_run_cancels_its_call() {
    with_desk(async |desk| {
        let mut run = desk.start("run --id call_1 -- touch ran");
        run.wait_for_stderr("is pending").await;
        run.send_signal("INT").await;
        assert_snapshot!(run.wait_for_exit().await, @"
        ! countersign: call_1 is pending in [here]/countersign.db; allow it with: countersign allow call_1
        ! countersign: cancelled call_1
        exit 130
        ");
        let mut run = desk.start("run --id call_2 -- touch ran");
        run.wait_for_stderr("is pending").await;
        run.send_signal("TERM").await;
        assert_eq!(run.wait_for_exit().await.code, 130);
        assert!(!desk.path("ran").exists());
        assert!(desk.types("show call_2").await.stdout.starts_with("call_2  bash  cancelled"));
    })
    .await;
}

#[tokio::test]
async fn hangup_while_waiting_cancels_the_call() {
    with_desk(async |desk| {
        let mut run = desk.start("run --id call_1 -- touch ran");
        run.wait_for_stderr("is pending").await;
        run.send_signal("HUP").await;
        assert_eq!(run.wait_for_exit().await.code, 130);
        assert!(!desk.path("ran").exists());
        assert!(desk.types("show call_1").await.stdout.starts_with("call_1  bash  cancelled"));
    })
    .await;
}

#[tokio::test]
async fn hangup_reaches_the_command_and_is_recorded() {
    with_desk(async |desk| {
        allow_all(desk).await;
        let mut run = desk.start("run -- bash -c 'echo ready; sleep 60'");
        run.wait_for_stdout("ready").await;
        run.send_signal("HUP").await;
        assert_eq!(run.wait_for_exit().await.code, 129);
        assert!(last_result(desk).await.starts_with(r#"error {"signal":1,"#));
    })
    .await;
}

#[tokio::test]
async fn sigterm_is_forwarded_to_the_command() {
    with_desk(async |desk| {
        allow_all(desk).await;
        desk.write_file(
            "patient.sh",
            "trap 'echo stopped; kill $!; exit 7' TERM\nsleep 60 &\necho ready\nwait\n",
        );
        let mut run = desk.start("run -- bash patient.sh");
        run.wait_for_stdout("ready").await;
        run.send_signal("TERM").await;
        let ran = run.wait_for_exit().await;
        assert_eq!((ran.stdout.as_str(), ran.code), ("ready\nstopped\n", 7));
    })
    .await;
}

#[tokio::test]
async fn same_id_does_not_run_twice() {
    with_desk(async |desk| {
        allow_all(desk).await;
        desk.types("run --id call_1 -- echo hi").await;
        assert_snapshot!(desk.types("run --id call_1 -- echo hi").await, @"
        ! countersign: call_1 is already finished and does not run again; `countersign show call_1` shows it
        ! hint: `countersign show ID` shows the call and its events
        exit 3
        ");
        assert_snapshot!(desk.types("run --id call_1 -- echo ho").await, @"
        ! countersign: call call_1 was proposed before with another tool or other arguments, or in another place; a new call needs a new id
        exit 3
        ");
    })
    .await;
}

/// Another caller closes the thread, which cancels the call.
#[tokio::test]
async fn call_cancelled_by_another_does_not_run() {
    with_desk(async |desk| {
        let mut run = desk.start("run --id call_1 --thread t1 -- touch ran");
        run.wait_for_stderr("is pending").await;
        let gate = desk.gate().await;
        gate.send(operations::CloseThread { thread: countersign_api::parse_thread_id("t1").expect("valid") })
            .await
            .expect("closed");
        gate.shut_down().await;
        assert_snapshot!(run.wait_for_exit().await, @"
        ! countersign: call_1 is pending in [here]/countersign.db; allow it with: countersign allow call_1
        ! countersign: Cancelled by agent:builder: the thread was closed
        exit 79
        ");
    })
    .await;
}
