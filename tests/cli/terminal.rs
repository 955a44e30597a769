//! `countersign run` in a real terminal: its command may draw, read input and be interrupted.

use crate::{
    desk::{TerminalDesk, with_desk},
    tmux::TmuxTerminal,
};
use insta::assert_snapshot;

async fn allow_all(desk: &TerminalDesk) {
    desk.apply_policy("default = \"allow\"").await;
}

#[tokio::test]
async fn command_reads_input_from_the_terminal() {
    with_desk(async |desk| {
        allow_all(desk).await;
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types(r#"countersign run -- bash -c 'read -p "name? " n; echo hi $n; test -t 0 -a -t 1 && echo tty'"#).await;
        terminal.wait_for_line("name?").await;
        terminal.types("ada").await;
        terminal.wait_for_prompt().await;
        terminal.types("echo status $?").await;
        terminal.wait_for_line("status ").await;
        assert_snapshot!(terminal.wait_for_prompt().await, @r#"
        $ countersign run -- bash -c 'read -p "name? " n; echo hi $n; test -t 0 -a -t 1 && echo tty'
        name? ada
        hi ada
        tty
        $ echo status $?
        status 0
        $
        "#);
    })
    .await;
}

#[tokio::test]
async fn waiting_line_disappears_once_allowed() {
    with_desk(async |desk| {
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types("countersign run --id call_1 -- echo it runs").await;
        assert_snapshot!(terminal.wait_for_line("waiting for a decision").await, @"
        $ countersign run --id call_1 -- echo it runs
        countersign: call_1 is pending in [here]/countersign.db; allow it with: countersign allow c
        all_1
        waiting for a decision on call_1; Ctrl-C cancels the call (0s)
        ");
        desk.types("allow call_1 --as user:ada").await;
        terminal.wait_for_line("it runs").await;
        assert_snapshot!(terminal.wait_for_prompt().await, @"
        $ countersign run --id call_1 -- echo it runs
        countersign: call_1 is pending in [here]/countersign.db; allow it with: countersign allow c
        all_1
        it runs
        $
        ");
    })
    .await;
}

#[tokio::test]
async fn ctrl_c_during_the_wait_cancels_the_call() {
    with_desk(async |desk| {
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types("countersign run --id call_1 -- touch ran").await;
        terminal.wait_for_line("waiting for a decision").await;
        terminal.presses("C-c").await;
        terminal.wait_for_prompt().await;
        terminal.types("echo status $?").await;
        terminal.wait_for_line("status ").await;
        assert_snapshot!(terminal.wait_for_prompt().await, @"
        $ countersign run --id call_1 -- touch ran
        countersign: call_1 is pending in [here]/countersign.db; allow it with: countersign allow c
        all_1
        countersign: cancelled call_1
        $ echo status $?
        status 130
        $
        ");
        assert!(desk.types("show call_1").await.stdout.starts_with("call_1  bash  cancelled"));
        assert!(!desk.path("ran").exists());
    })
    .await;
}

#[tokio::test]
async fn ctrl_c_during_the_run_reaches_the_command() {
    with_desk(async |desk| {
        allow_all(desk).await;
        let terminal = TmuxTerminal::open(desk).await;
        terminal
            .types(r#"countersign run -- bash -c 'trap "echo caught; exit 9" INT; echo ready; read x'"#)
            .await;
        terminal.wait_for_line("ready").await;
        terminal.presses("C-c").await;
        terminal.wait_for_prompt().await;
        terminal.types("echo status $?").await;
        terminal.wait_for_line("status ").await;
        assert_snapshot!(terminal.wait_for_prompt().await, @r#"
        $ countersign run -- bash -c 'trap "echo caught; exit 9" INT; echo ready; read x'
        ready
        ^Ccaught
        $ echo status $?
        status 9
        $
        "#);
    })
    .await;
}

#[tokio::test]
async fn command_sees_window_size_and_resizes() {
    with_desk(async |desk| {
        allow_all(desk).await;
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types(r#"countersign run -- bash -c 'trap "stty size" WINCH; stty size; while ! read -t 1 x; do :; done'"#).await;
        terminal.wait_for_line("20 100").await;
        terminal.resize(90, 15).await;
        terminal.wait_for_line("15 90").await;
        terminal.presses("Enter").await;
        terminal.wait_for_prompt().await;
        terminal.types("echo status $?").await;
        terminal.wait_for_line("status ").await;
        terminal.wait_for_line("status 0").await;
    })
    .await;
}

#[tokio::test]
async fn terminal_is_restored_after_the_run() {
    with_desk(async |desk| {
        allow_all(desk).await;
        let terminal = TmuxTerminal::open(desk).await;
        terminal
            .types("stty -a > before; countersign run -- stty raw -echo; stty -a > after; echo first $?")
            .await;
        terminal.wait_for_line("first 0").await;
        terminal.types("countersign run -- no-such-program; stty -a > failed; echo second $?").await;
        terminal.wait_for_line("second 0").await;
        let read = |name: &str| std::fs::read_to_string(desk.path(name)).expect("written");
        assert_eq!(read("after"), read("before"));
        assert_eq!(read("failed"), read("before"));
    })
    .await;
}

/// `run` handles signals itself while it waits for the decision. Afterwards it must forward them to its command.
#[tokio::test]
async fn sigterm_is_forwarded_to_the_command() {
    with_desk(async |desk| {
        desk.write_file(
            "patient.sh",
            "trap 'echo told; kill $!; exit 7' TERM\nsleep 60 &\necho ready $PPID\nwait\n",
        );
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types("countersign run --id call_1 -- bash patient.sh").await;
        terminal.wait_for_line("waiting for a decision").await;
        desk.types("allow call_1 --as user:ada").await;
        let screen = terminal.wait_for_line("ready").await;
        let pid = screen.lines().find_map(|line| line.strip_prefix("ready ")).expect("a process id");
        desk.run_program("kill", &[pid]).await;
        terminal.wait_for_prompt().await;
        terminal.types("echo status $?").await;
        terminal.wait_for_line("status ").await;
        terminal.wait_for_line("status 7").await;
        assert!(desk.types("show call_1").await.stdout.contains("exitCode: 7"));
    })
    .await;
}
