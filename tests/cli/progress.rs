//! Long work shows how far it has come: on a terminal, and nowhere else.

use crate::{
    desk::{TerminalDesk, at_a_desk},
    tmux::TmuxTerminal,
};
use countersign_api::{self as api, ApprovalGate};
use futures_util::future::try_join_all;

/// A log of more than 5,000 events, which is when it is worth a line.
async fn a_long_log(desk: &TerminalDesk) {
    let gate = desk.gate().await;
    let thread = countersign_api::parse_thread_id("t1").expect("valid");
    let calls: Vec<_> = (0..2_600)
        .map(|number| api::ProposeRequest::new(&format!("call_{number}"), "bash", "{}").expect("valid"))
        .collect();
    try_join_all(calls.iter().map(|call| gate.propose(&thread, call))).await.expect("proposed");
    gate.shut_down().await;
}

#[tokio::test]
async fn progress_is_shown_on_a_terminal_and_taken_away() {
    at_a_desk(async |desk| {
        a_long_log(desk).await;
        let quiet = desk.types("verify").await;
        assert_eq!((quiet.stderr.as_str(), quiet.code), ("", 0));
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types("tmux pipe-pane 'cat > seen'; clear").await;
        terminal.is_back().await;
        terminal.types("countersign verify; countersign stats; echo over").await;
        terminal.shows("over").await;
        let screen = terminal.is_back().await;
        assert!(!screen.contains('%'), "nothing of it is left: {screen}");
        // What went to the terminal is written down beside it, and may come a moment later.
        let seen = loop {
            let seen = std::fs::read(desk.path("seen")).unwrap_or_default();
            let seen = String::from_utf8_lossy(&seen).into_owned();
            if seen.contains("\nover") {
                break seen;
            }
        };
        assert!(seen.contains("2000 of 5200 events (38 %)"), "{seen}");
    })
    .await;
}
