//! `countersign watch --plain`: line by line, over pipes and on terminals that cannot draw.

use crate::{
    desk::{COUNTERSIGN, TerminalDesk, at_a_desk},
    tmux::TmuxTerminal,
};
use insta::assert_snapshot;

/// What a watch says to whoever types those lines.
pub(crate) async fn answers(desk: &TerminalDesk, lines: &str, options: &str) -> String {
    desk.writes("typed", lines);
    let line = format!("{COUNTERSIGN} watch {options} < typed");
    let said = desk.runs("sh", &["-c", &line]).await;
    crate::hide::hide(&desk.without_paths(&said))
}

#[tokio::test]
async fn programs_are_sent_elsewhere() {
    at_a_desk(async |desk| {
        assert_snapshot!(desk.types("watch --json").await, @r#"
        ! {"code":"usage","detail":"watch is interactive; programs use `countersign pending --json` or `countersign log --follow --json`"}
        exit 2
        "#);
        assert_snapshot!(desk.types("watch").await, @"
        ! countersign: there is no database at countersign.db; `countersign serve` or `countersign run` creates one, --database names another
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
async fn a_pipe_decides_on_one_after_the_other() {
    at_a_desk(async |desk| {
        let script = r#"{"command":"set -e\nmake deploy","cwd":"/srv/shop"}"#;
        desk.proposes("t1", "call_1", "bash", script).await;
        desk.proposes("t1", "call_2", "transfer", r#"{"to":"ada","amount":1.50}"#).await;
        desk.proposes("t2", "call_3", "notify", r#""everybody""#).await;
        let typed = "yes\nnext\ndeny because not today\nsession\nonce because fine\n";
        assert_snapshot!(answers(desk, typed, "--as user:ada").await, @r#"
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
async fn the_end_of_what_is_typed_decides_nothing() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(answers(desk, "", "--as user:ada").await, @"
        call_1  bash  pending
          thread     t1
          arguments  {}
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit:
        ");
        assert_snapshot!(answers(desk, "q\nonce\n", "--as user:ada --plain").await, @"
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
async fn who_may_not_decide_is_told_so() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(answers(desk, "once\n", "--as agent:other").await, @"
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
async fn a_terminal_that_cannot_draw_is_asked_line_by_line() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", "{}").await;
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types("clear; TERM=dumb countersign watch --as user:ada").await;
        terminal.shows("[d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit:").await;
        terminal.types("o").await;
        terminal.shows("No call is pending.").await;
        desk.proposes("t1", "call_2", "deploy", "{}").await;
        terminal.shows("call_2  deploy").await;
        terminal.types("deny because not today").await;
        terminal.shows("Denied call_2 (deploy).").await;
        terminal.types("q").await;
        terminal.is_back().await;
        assert!(desk.types("show call_2").await.stdout.contains("comment    not today"));
    })
    .await;
}

/// `o` and Enter pressed again while the decision is on its way were not meant for a call nobody saw yet.
#[tokio::test]
async fn a_line_that_is_typed_early_does_not_decide_the_next_call() {
    at_a_desk(async |desk| {
        for id in ["call_1", "call_2"] {
            desk.proposes("t1", id, "bash", "{}").await;
        }
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types("clear; countersign watch --plain --as user:ada").await;
        terminal.shows("[d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit:").await;
        terminal.writes("o\ro\ro\r").await;
        terminal.shows("call_2  bash").await;
        terminal.types("deny because not seen").await;
        terminal.shows("Denied call_2 (bash).").await;
        terminal.types("q").await;
        terminal.is_back().await;
        assert!(desk.types("show call_1").await.stdout.contains("allow_once by user:ada"));
    })
    .await;
}
