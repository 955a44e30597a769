//! Long operations print their progress on a terminal, but not to a pipe or a file.

use crate::{
    desk::{TerminalDesk, with_desk},
    tmux::TmuxTerminal,
};
use countersign_api::{self as api, ApprovalGate, CallGate};
use futures_util::future::try_join_all;

/// Fills the log with more than 5,000 events, so that operations print their progress.
async fn write_long_log(desk: &TerminalDesk) {
    desk.apply_policy("[limits]\npendingPerThread = 10000\npendingPerAgent = 10000\n").await;
    let gate = desk.gate().await;
    let thread = countersign_api::parse_thread_id("t1").expect("valid");
    let calls: Vec<_> = (0..2_600)
        .map(|number| api::ProposeRequest::new(&format!("call_{number}"), "bash", "{}").expect("valid"))
        .collect();
    try_join_all(calls.iter().map(|call| gate.propose(&thread, call))).await.expect("proposed");
    gate.shut_down().await;
}

#[tokio::test]
async fn progress_line_disappears_after_the_work() {
    with_desk(async |desk| {
        write_long_log(desk).await;
        let quiet = desk.types("verify").await;
        assert_eq!((quiet.stderr.as_str(), quiet.code), ("", 0));
        let counted = desk.types("stats --json").await.stdout;
        assert!(
            counted.contains("{\"calls\":2600,") && counted.ends_with("\"next\":null}\n"),
            "two pages: {counted}"
        );
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types("tmux pipe-pane 'cat > seen'; clear").await;
        terminal.wait_for_prompt().await;
        terminal.types("countersign verify; countersign stats; echo over").await;
        terminal.wait_for_line("over").await;
        let screen = terminal.wait_for_prompt().await;
        assert!(!screen.contains('%'), "the progress line is removed: {screen}");
        // `script` records the terminal output, and may write it a moment later.
        let seen = loop {
            let seen = std::fs::read(desk.path("seen")).unwrap_or_default();
            let seen = String::from_utf8_lossy(&seen).into_owned();
            if seen.contains("\nover") {
                break seen;
            }
        };
        assert!(seen.contains("2000 of 5202 events (38 %)"), "{seen}");
    })
    .await;
}
