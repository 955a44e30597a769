//! `countersign run` at a real terminal: the command behind it may draw, ask and be interrupted.

use crate::{
    desk::{TerminalDesk, at_a_desk},
    tmux::TmuxTerminal,
};
use insta::assert_snapshot;

fn allow_all(desk: &mut TerminalDesk) {
    desk.writes("policy.toml", "default = \"allow\"");
    desk.sets("COUNTERSIGN_POLICY", "policy.toml");
}

#[tokio::test]
async fn a_command_that_asks_is_answered() {
    at_a_desk(async |desk| {
        allow_all(desk);
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types(r#"countersign run -- bash -c 'read -p "name? " n; echo hi $n; test -t 0 -a -t 1 && echo tty'"#).await;
        terminal.shows("name?").await;
        terminal.types("ada").await;
        terminal.is_back().await;
        terminal.types("echo status $?").await;
        assert_snapshot!(terminal.is_back().await, @r#"
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
async fn waiting_is_shown_and_goes_away_when_it_is_allowed() {
    at_a_desk(async |desk| {
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types("countersign run --id call_1 -- echo it runs").await;
        assert_snapshot!(terminal.shows("waiting for a decision").await, @"
        $ countersign run --id call_1 -- echo it runs
        countersign: call_1 is pending; allow it with: countersign allow call_1
        waiting for a decision on call_1; Ctrl-C cancels the call (0s)
        ");
        desk.types("allow call_1 --as user:ada").await;
        terminal.shows("it runs").await;
        assert_snapshot!(terminal.is_back().await, @"
        $ countersign run --id call_1 -- echo it runs
        countersign: call_1 is pending; allow it with: countersign allow call_1
        it runs
        $
        ");
    })
    .await;
}

#[tokio::test]
async fn ctrl_c_while_it_waits_withdraws_the_call() {
    at_a_desk(async |desk| {
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types("countersign run --id call_1 -- touch ran").await;
        terminal.shows("waiting for a decision").await;
        terminal.presses("C-c").await;
        terminal.is_back().await;
        terminal.types("echo status $?").await;
        assert_snapshot!(terminal.is_back().await, @"
        $ countersign run --id call_1 -- touch ran
        countersign: call_1 is pending; allow it with: countersign allow call_1
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
async fn ctrl_c_while_it_runs_reaches_the_command() {
    at_a_desk(async |desk| {
        allow_all(desk);
        let terminal = TmuxTerminal::open(desk).await;
        terminal
            .types(r#"countersign run -- bash -c 'trap "echo caught; exit 9" INT; echo ready; read x'"#)
            .await;
        terminal.shows("ready").await;
        terminal.presses("C-c").await;
        terminal.is_back().await;
        terminal.types("echo status $?").await;
        assert_snapshot!(terminal.is_back().await, @r#"
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
async fn the_command_sees_the_size_of_the_window_and_how_it_changes() {
    at_a_desk(async |desk| {
        allow_all(desk);
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types(r#"countersign run -- bash -c 'trap "stty size" WINCH; stty size; while ! read -t 1 x; do :; done'"#).await;
        terminal.shows("20 100").await;
        terminal.is_resized(90, 15).await;
        terminal.shows("15 90").await;
        terminal.presses("Enter").await;
        terminal.is_back().await;
        terminal.types("echo status $?").await;
        terminal.shows("status 0").await;
    })
    .await;
}

#[tokio::test]
async fn the_terminal_is_afterwards_as_it_was() {
    at_a_desk(async |desk| {
        allow_all(desk);
        let terminal = TmuxTerminal::open(desk).await;
        terminal
            .types("stty -a > before; countersign run -- stty raw -echo; stty -a > after; echo first $?")
            .await;
        terminal.shows("first 0").await;
        terminal.types("countersign run -- no-such-program; stty -a > failed; echo second $?").await;
        terminal.shows("second 0").await;
        let read = |name: &str| std::fs::read_to_string(desk.path(name)).expect("written");
        assert_eq!(read("after"), read("before"));
        assert_eq!(read("failed"), read("before"));
    })
    .await;
}

/// Whoever waited for a decision has heard of signals before, and must not swallow this one.
#[tokio::test]
async fn a_run_that_is_told_to_end_hands_that_on_to_the_command() {
    at_a_desk(async |desk| {
        desk.writes(
            "patient.sh",
            "trap 'echo told; kill $!; exit 7' TERM\nsleep 60 &\necho ready $PPID\nwait\n",
        );
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types("countersign run --id call_1 -- bash patient.sh").await;
        terminal.shows("waiting for a decision").await;
        desk.types("allow call_1 --as user:ada").await;
        let screen = terminal.shows("ready").await;
        let pid = screen.lines().find_map(|line| line.strip_prefix("ready ")).expect("its number");
        desk.runs("kill", &[pid]).await;
        terminal.is_back().await;
        terminal.types("echo status $?").await;
        terminal.shows("status 7").await;
        assert!(desk.types("show call_1").await.stdout.contains("exitCode: 7"));
    })
    .await;
}
