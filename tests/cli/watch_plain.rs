//! `countersign watch --plain`: line by line, for pipes and for terminals that cannot draw.

use crate::{
    desk::{COUNTERSIGN, TerminalDesk, with_desk, with_empty_desk},
    tmux::TmuxTerminal,
};
use insta::assert_snapshot;

/// Runs `watch --plain` with these input lines. Returns its output.
pub(crate) async fn run_watch_plain(desk: &TerminalDesk, lines: &str, options: &str) -> String {
    desk.write_file("typed", lines);
    let line = format!("{COUNTERSIGN} watch {options} < typed");
    let output = desk.run_program("sh", &["-c", &line]).await;
    crate::snapshot_text::hide(&desk.without_paths(&output))
}

#[tokio::test]
async fn watch_refuses_json_output() {
    with_empty_desk(async |desk| {
        assert_snapshot!(desk.types("watch --json").await, @r#"
        ! {"code":"usage","detail":"watch is interactive; programs use `countersign pending --json` or `countersign log --follow --json`"}
        exit 2
        "#);
        assert_snapshot!(desk.types("watch").await, @"
        ! countersign: there is no database at [here]/.local/share/countersign/countersign.db; `countersign serve` or `countersign run` creates one, --database names another
        exit 5
        ");
        assert_snapshot!(desk.types("watch --server http://127.0.0.1:1").await, @"
        ! countersign: no answer from http://127.0.0.1:1/: Connection refused (os error 111); start it with `countersign serve`, or name another with --server
        exit 5
        ");
    })
    .await;
}

#[tokio::test]
async fn piped_answers_decide_calls_in_order() {
    with_desk(async |desk| {
        let script = r#"{"command":"set -e\nmake deploy","cwd":"/srv/shop"}"#;
        desk.propose("t1", "call_1", "bash", script).await;
        desk.propose("t1", "call_2", "transfer", r#"{"to":"ada","amount":1.50}"#).await;
        desk.propose("t2", "call_3", "notify", r#""everybody""#).await;
        let typed = "yes\nnext\ndeny because not today\nsession\nonce because fine\n";
        assert_snapshot!(run_watch_plain(desk, typed, "--as user:ada").await, @r#"
        call_1  bash  pending (2 more pending)
          thread     t1
          arguments  command: set -e
                              make deploy
                     cwd: /srv/shop
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit: yes
        Type d, o, s, e, n or q, or the word. With a comment: deny because …, once because …. With a scope: session exact, session {"command": "git status **"}
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit: next
        call_2  transfer  pending (2 more pending)
          thread     t1
          arguments  to: ada
                     amount: 1.50
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit: deny because not today
        Denied call_2 (transfer).

        call_3  notify  pending (1 more pending)
          thread     t2
          arguments  "everybody"
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit: session
        Allowed call_3, and later calls of notify in thread t2.

        call_1  bash  pending
          thread     t1
          arguments  command: set -e
                              make deploy
                     cwd: /srv/shop
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit: once because fine
        Allowed call_1 (bash) once.

        No call is pending. Waiting for new calls; q quits.
        "#);
        assert_snapshot!(desk.types("show call_2").await, @r#"
        call_2  transfer  denied by user:ada
          thread     t1
          arguments  to: ada
                     amount: 1.50
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
          decided    deny by user:ada at [time] (approver)
          comment    not today
          ended      denied at [time]
          result     "Denied by user:ada: not today (do not retry this call unchanged)"
        exit 0
        "#);
    })
    .await;
}

#[tokio::test]
async fn end_of_input_decides_nothing() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(run_watch_plain(desk, "", "--as user:ada").await, @"
        call_1  bash  pending
          thread     t1
          arguments  {}
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit:
        ");
        assert_snapshot!(run_watch_plain(desk, "q\nonce\n", "--as user:ada --plain").await, @"
        call_1  bash  pending
          thread     t1
          arguments  {}
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit: q
        ");
        assert!(desk.types("show call_1").await.stdout.starts_with("call_1  bash  pending"));
    })
    .await;
}

#[tokio::test]
async fn decision_without_permission_is_refused() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(run_watch_plain(desk, "once\n", "--as agent:other").await, @"
        call_1  bash  pending
          thread     t1
          arguments  {}
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit: once
        Nothing changed: agent:other is not a person, and only people decide.

        call_1  bash  pending
          thread     t1
          arguments  {}
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit:
        ");
    })
    .await;
}

#[tokio::test]
async fn dumb_terminal_uses_plain_mode() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types("clear; TERM=dumb countersign watch --as user:ada").await;
        terminal.wait_for_line("[d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit:").await;
        terminal.types("o").await;
        terminal.wait_for_line("No call is pending.").await;
        desk.propose("t1", "call_2", "deploy", "{}").await;
        terminal.wait_for_line("call_2  deploy").await;
        terminal.types("deny because not today").await;
        terminal.wait_for_line("Denied call_2 (deploy).").await;
        terminal.types("q").await;
        terminal.wait_for_prompt().await;
        assert!(desk.types("show call_2").await.stdout.contains("comment    not today"));
    })
    .await;
}

/// If `o` and Enter are pressed again during a decision, they must not decide the next call, which is not shown yet.
#[tokio::test]
async fn line_typed_early_does_not_decide_next_call() {
    with_desk(async |desk| {
        for id in ["call_1", "call_2"] {
            desk.propose("t1", id, "bash", "{}").await;
        }
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types("clear; countersign watch --plain --as user:ada").await;
        terminal.wait_for_line("[d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit:").await;
        terminal.type_text("o\ro\ro\r").await;
        terminal.wait_for_line("call_2  bash").await;
        terminal.types("deny because not seen").await;
        terminal.wait_for_line("Denied call_2 (bash).").await;
        terminal.types("q").await;
        terminal.wait_for_prompt().await;
        assert!(desk.types("show call_1").await.stdout.contains("allow_once by user:ada"));
    })
    .await;
}
