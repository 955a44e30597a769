//! `countersign watch` at a real terminal.

use crate::{
    desk::{TerminalDesk, at_a_desk},
    tmux::TmuxTerminal,
};
use countersign_api::{self as api, ApprovalGate};
use countersign_gate::event::RiskLevel;
use insta::assert_snapshot;

/// A call that somebody should think about.
pub(crate) async fn proposes_something_risky(desk: &TerminalDesk) {
    let gate = desk.gate().await;
    let mut call =
        api::ProposeRequest::new("call_1", "bash", r#"{"command":"rm -r build","cwd":"/srv/shop"}"#)
            .expect("a valid call");
    call.description = Some("Tidy up before the release".to_owned());
    call.impact = Some(api::ProposedImpact {
        message: Some("Deletes the build folder and all that is in it".to_owned()),
        risk_level: Some(RiskLevel::High),
        reversible: Some(false),
        affected_resources: vec!["build/app.o".to_owned(), "build/lib.o".to_owned()],
        estimated_impact: Some("2 files".to_owned()),
    });
    let thread = countersign_api::parse_thread_id("conversation-7").expect("a valid name");
    gate.propose(&thread, &call).await.expect("proposed");
    gate.shut_down().await;
}

/// A terminal of that size with a watch in it, which shows `text`.
async fn watches<'a>(desk: &'a TerminalDesk, (columns, lines): (u16, u16), text: &str) -> TmuxTerminal<'a> {
    let terminal = TmuxTerminal::open(desk).await;
    terminal.is_resized(columns, lines).await;
    terminal.types("clear; countersign watch --as user:ada").await;
    terminal.has(text).await;
    terminal
}

#[tokio::test]
async fn a_call_at_sixty_columns() {
    at_a_desk(async |desk| {
        proposes_something_risky(desk).await;
        desk.proposes("conversation-8", "call_2", "deploy", r#"{"to":"production"}"#).await;
        let terminal = watches(desk, (60, 20), "1 of 2").await;
        assert_snapshot!(terminal.has("HIGH RISK").await, @"
         Countersign · 2 pending                           user:ada
         bash                                                1 of 2
         by agent:builder · in conversation-7 · [ago]
         HIGH RISK · cannot be undone
        ────────────────────────────────────────────────────────────
         Purpose  Tidy up before the release
         Impact   Deletes the build folder and all that is in it
         Touches  build/app.o
                  build/lib.o
         Extent   2 files
         Arguments ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
         command  rm -r build
         cwd      /srv/shop
         Request ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
         Asked    no rule matches this call
         Call     call_1
        ───────────────────────────────────────── line 1–11 of 13 ──

         d deny   o allow once   s session   e edit   c comment
         n p others   ? help   q quit
        ");
    })
    .await;
}

#[tokio::test]
async fn a_call_at_eighty_columns() {
    at_a_desk(async |desk| {
        proposes_something_risky(desk).await;
        let terminal = watches(desk, (80, 24), "1 of 1").await;
        assert_snapshot!(terminal.has("HIGH RISK").await, @"
         Countersign · 1 pending                                               user:ada
         bash                                                                    1 of 1
         by agent:builder · in conversation-7 · [ago]
         HIGH RISK · cannot be undone
        ────────────────────────────────────────────────────────────────────────────────
         Purpose  Tidy up before the release
         Impact   Deletes the build folder and all that is in it
         Touches  build/app.o
                  build/lib.o
         Extent   2 files
         Arguments ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
         command  rm -r build
         cwd      /srv/shop
         Request ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
         Asked    no rule matches this call
         Call     call_1
         sha256   [sha256]




        ────────────────────────────────────────────────────────────────────────────────

         d deny   o allow once   s session   e edit   c comment   ? help   q quit
        ");
    })
    .await;
}

#[tokio::test]
async fn a_call_at_two_hundred_columns() {
    at_a_desk(async |desk| {
        proposes_something_risky(desk).await;
        desk.proposes("conversation-8", "call_2", "deploy", r#"{"to":"production"}"#).await;
        let terminal = watches(desk, (200, 22), "1 of 2").await;
        assert_snapshot!(terminal.has("HIGH RISK").await, @"
        Countersign · 2 pending                                                                                                                                                                       user:ada
        ▸ bash  HIGH                                │ bash                                                                                                                                              1 of 2
          conversation-7 · [ago]  │ by agent:builder · in conversation-7 · [ago]
          deploy                                    │ HIGH RISK · cannot be undone
          conversation-8 · [ago]  │──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
                                                    │ Purpose  Tidy up before the release
                                                    │ Impact   Deletes the build folder and all that is in it
                                                    │ Touches  build/app.o
                                                    │          build/lib.o
                                                    │ Extent   2 files
                                                    │ Arguments ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
                                                    │ command  rm -r build
                                                    │ cwd      /srv/shop
                                                    │ Request ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
                                                    │ Asked    no rule matches this call
                                                    │ Call     call_1
                                                    │ sha256   [sha256]
                                                    │
                                                    │
                                                    │──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

        d deny   o allow once   s session   e edit   c comment   n p others   ? help   q quit
        ");
    })
    .await;
}

#[tokio::test]
async fn a_denial_and_its_comment_reach_the_log() {
    at_a_desk(async |desk| {
        proposes_something_risky(desk).await;
        let terminal = watches(desk, (80, 24), "1 of 1").await;
        terminal.writes("d").await;
        terminal.has("Deny bash, because:").await;
        terminal.types("the build is needed").await;
        assert_snapshot!(terminal.has("Denied call_1").await, @"
         Countersign · 0 pending                                               user:ada








                                      No call is pending.

                                  You allowed 0 and denied 1.









        ────────────────────────────────────────────────────────────────────────────────
         Denied call_1 (bash).
         ? help   q quit
        ");
        terminal.writes("q").await;
        terminal.is_back().await;
        let shown = desk.types("show call_1").await.stdout;
        assert!(shown.contains("deny by user:ada"), "{shown}");
        assert!(shown.contains("comment    the build is needed"), "{shown}");
    })
    .await;
}

#[tokio::test]
async fn allowing_for_the_session_says_how_wide_it_is() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", r#"{"command":"ls"}"#).await;
        let terminal = watches(desk, (80, 24), "1 of 1").await;
        terminal.writes("s").await;
        terminal.has("Allow this call, and which later calls of bash in thread t1?").await;
        terminal.has("3 the whole tool: no other calls yet").await;
        terminal.writes("3").await;
        terminal.has("Allowed call_1, and later calls of bash in thread t1.").await;
        assert_snapshot!(desk.types("run --thread t1 -- echo hi").await, @"
        hi
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn nothing_is_allowed_before_its_end_was_seen() {
    at_a_desk(async |desk| {
        let script: Vec<_> = (1..=60).map(|line| format!("echo {line}")).collect();
        let arguments = serde_json::json!({"command": script.join("\n")});
        desk.proposes("t1", "call_1", "bash", &arguments.to_string()).await;
        let terminal = watches(desk, (80, 24), "line 1–").await;
        terminal.writes("o").await;
        terminal.has("Read to the end first").await;
        terminal.writes("G").await;
        terminal.has("echo 60").await;
        terminal.writes("o").await;
        terminal.has("Allowed call_1 (bash) once.").await;
    })
    .await;
}

/// The other one decides line by line.
#[tokio::test]
async fn of_two_who_watch_one_wins_and_the_other_is_told() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", "{}").await;
        let terminal = watches(desk, (80, 24), "1 of 1").await;
        terminal.writes("d").await;
        terminal.has("Deny bash, because:").await;
        terminal.writes("not so").await;
        let told = crate::watch_plain::answers(desk, "once because I know it\n", "--as user:ben").await;
        assert!(told.contains("Allowed call_1 (bash) once."), "{told}");
        terminal.has("This call was allowed by user:ben meanwhile.").await;
        terminal.types(" fast, no odd s").await;
        // Enter ended the comment, and the keys mean something again.
        assert_snapshot!(terminal.has("n p others").await, @"
         Countersign · 0 pending                                               user:ada
         bash                                                                   decided
         by agent:builder · in t1 · [ago]
         No longer pending: allowed by user:ben
        ────────────────────────────────────────────────────────────────────────────────
         Arguments ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
                 {}
         Request ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
         Asked   no rule matches this call
         Call    call_1
         sha256  [sha256]










        ────────────────────────────────────────────────────────────────────────────────

         n p others   ? help   q quit
        ");
        terminal.writes("n").await;
        terminal.has("No call is pending.").await;
        assert!(desk.types("show call_1").await.stdout.contains("allow_once by user:ben"));
    })
    .await;
}

#[tokio::test]
async fn what_arrives_while_somebody_decides_changes_nothing_under_their_fingers() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", "{}").await;
        let terminal = watches(desk, (80, 24), "1 of 1").await;
        terminal.is_called("(1) Countersign").await;
        terminal.writes("d").await;
        terminal.has("Deny bash, because:").await;
        desk.proposes("t1", "call_2", "deploy", "{}").await;
        terminal.has("1 of 2").await;
        terminal.is_called("(2) Countersign").await;
        terminal.types("no").await;
        terminal.has("Denied call_1 (bash).").await;
        terminal.has("1 of 1").await;
        assert!(desk.types("show call_2").await.stdout.starts_with("call_2  deploy  pending"));
    })
    .await;
}
