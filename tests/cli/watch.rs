//! `countersign watch` in a real terminal.

use crate::{
    desk::{TerminalDesk, with_desk},
    tmux::TmuxTerminal,
};
use countersign_api::{self as api, ApprovalGate, CallGate};
use countersign_events::RiskLevel;
use insta::assert_snapshot;

/// Proposes a call with dangerous arguments.
pub(crate) async fn propose_dangerous_call(desk: &TerminalDesk) {
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

/// Opens a terminal of this size that runs `watch`, and waits for `text`.
async fn watches<'a>(desk: &'a TerminalDesk, (columns, lines): (u16, u16), text: &str) -> TmuxTerminal<'a> {
    let terminal = TmuxTerminal::open(desk).await;
    terminal.resize(columns, lines).await;
    terminal.types("clear; countersign watch --as user:ada").await;
    terminal.wait_for_text(text).await;
    terminal
}

#[tokio::test]
async fn call_at_60_columns() {
    with_desk(async |desk| {
        propose_dangerous_call(desk).await;
        desk.propose("conversation-8", "call_2", "deploy", r#"{"to":"production"}"#).await;
        let terminal = watches(desk, (60, 20), "1 of 2").await;
        assert_snapshot!(terminal.wait_for_text("HIGH RISK").await, @"
         Countersign · 2 pending · [log]  user:ada
         ▸ bash rm -r build  HIGH                      23h 59m left
           deploy production                           23h 59m left
        ────────────────────────────────────────────────────────────
         bash                                                1 of 2
         by agent:builder · in conversation-7 · [ago]
         HIGH RISK · cannot be undone · 23h 59m left
        ────────────────────────────────────────────────────────────
         Purpose  Tidy up before the release
         Impact   Deletes the build folder and all that is in it
         Touches  build/app.o
                  build/lib.o
         Extent   2 files
         Arguments ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
         command  rm -r build
         cwd      /srv/shop
        ────────────────────────────────────────── line 1–8 of 15 ──

         d deny   o allow once   s session   e edit   c comment
         n p others   ? help   q quit
        ");
    })
    .await;
}

#[tokio::test]
async fn call_at_80_columns() {
    with_desk(async |desk| {
        propose_dangerous_call(desk).await;
        let terminal = watches(desk, (80, 24), "1 of 1").await;
        assert_snapshot!(terminal.wait_for_text("HIGH RISK").await, @"
         Countersign · 1 pending · [log]  user:ada
         bash                                                                    1 of 1
         by agent:builder · in conversation-7 · [ago]
         HIGH RISK · cannot be undone · 23h 59m left
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
         Does     deletes files in build
         Expires  [time], then the call is denied
         Call     call_1
         sha256   [sha256]


        ────────────────────────────────────────────────────────────────────────────────

         d deny   o allow once   s session   e edit   c comment   ? help   q quit
        ");
    })
    .await;
}

#[tokio::test]
async fn call_at_200_columns() {
    with_desk(async |desk| {
        propose_dangerous_call(desk).await;
        desk.propose("conversation-8", "call_2", "deploy", r#"{"to":"production"}"#).await;
        let terminal = watches(desk, (200, 22), "1 of 2").await;
        assert_snapshot!(terminal.wait_for_text("HIGH RISK").await, @"
        Countersign · 2 pending · [log]  user:ada
        ▸ bash rm -r build  HIGH                                        │ bash                                                                                                                          1 of 2
          [ago] · 23h 59m left · conversation-7                        │ by agent:builder · in conversation-7 · [ago]
          deploy production                                             │ HIGH RISK · cannot be undone · 23h 59m left
          [ago] · 23h 59m left · conversation-8                        │──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
                                                                        │ Purpose  Tidy up before the release
                                                                        │ Impact   Deletes the build folder and all that is in it
                                                                        │ Touches  build/app.o
                                                                        │          build/lib.o
                                                                        │ Extent   2 files
                                                                        │ Arguments ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
                                                                        │ command  rm -r build
                                                                        │ cwd      /srv/shop
                                                                        │ Request ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
                                                                        │ Asked    no rule matches this call
                                                                        │ Does     deletes files in build
                                                                        │ Expires  [time], then the call is denied
                                                                        │ Call     call_1
                                                                        │ sha256   [sha256]
                                                                        │──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

        d deny   o allow once   s session   e edit   c comment   n p others   ? help   q quit
        ");
    })
    .await;
}

#[tokio::test]
async fn denial_and_comment_reach_the_log() {
    with_desk(async |desk| {
        propose_dangerous_call(desk).await;
        let terminal = watches(desk, (80, 24), "1 of 1").await;
        terminal.type_text("d").await;
        terminal.wait_for_text("Deny bash, because:").await;
        terminal.types("the build is needed").await;
        assert_snapshot!(terminal.wait_for_text("Denied call_1").await, @"
         Countersign · 0 pending · [log]  user:ada







                                      No call is pending.

                                  You allowed 0 and denied 1.

                              denied by user:ada: bash rm -r build








        ────────────────────────────────────────────────────────────────────────────────
         Denied call_1 (bash).
         ? help   q quit
        ");
        terminal.type_text("q").await;
        terminal.wait_for_prompt().await;
        let shown = desk.types("show call_1").await.stdout;
        assert!(shown.contains("deny by user:ada"), "{shown}");
        assert!(shown.contains("comment    the build is needed"), "{shown}");
    })
    .await;
}

#[tokio::test]
async fn session_allowance_shows_its_scope() {
    with_desk(async |desk| {
        desk.propose("t1", "call_0", "bash", r#"{"command":"ls -l"}"#).await;
        desk.types("deny call_0 --as user:ben").await;
        desk.propose("t1", "call_1", "bash", r#"{"command":"ls"}"#).await;
        let terminal = watches(desk, (80, 24), "1 of 1").await;
        terminal.type_text("s").await;
        terminal.wait_for_text("Allow this call, and which later calls of bash in thread t1?").await;
        terminal.wait_for_text("t the whole tool: would have allowed 1 of 1 earlier call").await;
        terminal.type_text("t").await;
        terminal.wait_for_text("Allowed call_1, and later calls of bash in thread t1").await;
        let grants = desk.types("grant list t1").await.stdout;
        assert!(grants.contains("the whole tool"), "{grants}");
    })
    .await;
}

/// A session grant alone does not release calls that wait already.
#[tokio::test]
async fn session_allowance_releases_waiting_calls_if_chosen() {
    with_desk(async |desk| {
        for id in ["call_1", "call_2", "call_3"] {
            desk.propose("t1", id, "bash", r#"{"command":"ls"}"#).await;
        }
        let terminal = watches(desk, (80, 24), "1 of 3").await;
        terminal.type_text("s").await;
        terminal.wait_for_text("x this exact call; 2 more calls wait").await;
        terminal.type_text("x").await;
        terminal.wait_for_text("2 more calls wait with this scope. Also allow them now?").await;
        terminal.type_text("w").await;
        terminal.wait_for_text("calls that waited were decided too.").await;
        terminal.type_text("q").await;
        terminal.wait_for_prompt().await;
        let pending = desk.types("pending").await.stdout;
        assert!(pending.starts_with("No call is pending"), "{pending}");
    })
    .await;
}

#[tokio::test]
async fn held_key_allows_only_one_call() {
    with_desk(async |desk| {
        for id in ["call_1", "call_2", "call_3"] {
            desk.propose("t1", id, "bash", "{}").await;
        }
        let terminal = watches(desk, (80, 24), "1 of 3").await;
        terminal.type_text(&"o".repeat(200)).await;
        terminal.wait_for_text("1 of 2").await;
        // The keys before this one were handled, while the decision was sent or after it.
        terminal.type_text("q").await;
        terminal.wait_for_prompt().await;
        let pending = desk.types("pending").await.stdout;
        assert!(pending.contains("call_2  bash") && pending.contains("call_3  bash"), "{pending}");
    })
    .await;
}

#[tokio::test]
async fn call_is_allowed_only_after_reading_its_end() {
    with_desk(async |desk| {
        let script: Vec<_> = (1..=60).map(|line| format!("echo {line}")).collect();
        let arguments = serde_json::json!({"command": script.join("\n")});
        desk.propose("t1", "call_1", "bash", &arguments.to_string()).await;
        let terminal = watches(desk, (80, 24), "line 1–").await;
        terminal.type_text("o").await;
        terminal.wait_for_text("Read to the end first").await;
        terminal.type_text("G").await;
        terminal.wait_for_text("echo 60").await;
        terminal.type_text("o").await;
        terminal.wait_for_text("Allowed call_1 (bash) once.").await;
    })
    .await;
}

/// The other approver uses `watch --plain`.
#[tokio::test]
async fn second_of_two_approvers_learns_the_decision() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        let terminal = watches(desk, (80, 24), "1 of 1").await;
        terminal.type_text("d").await;
        terminal.wait_for_text("Deny bash, because:").await;
        terminal.type_text("not so").await;
        let output =
            crate::watch_plain::run_watch_plain(desk, "once because I know it\n", "--as user:ben").await;
        assert!(output.contains("Allowed call_1 (bash) once."), "{output}");
        terminal.wait_for_text("This call was allowed by user:ben meanwhile.").await;
        terminal.types(" fast, no odd s").await;
        // Enter has completed the comment, so keys are commands again.
        assert_snapshot!(terminal.wait_for_text("n p others").await, @"
         Countersign · 0 pending · [log]  user:ada
         bash                                                                   decided
         by agent:builder · in t1 · [ago]
         No longer pending: allowed by user:ben
        ────────────────────────────────────────────────────────────────────────────────
         Arguments ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
                  {}
         Request ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
         Asked    no rule matches this call
         Expires  [time], then the call is denied
         Call     call_1
         sha256   [sha256]








        ────────────────────────────────────────────────────────────────────────────────
         allowed by user:ben: bash

         n p others   ? help   q quit
        ");
        terminal.type_text("n").await;
        terminal.wait_for_text("No call is pending.").await;
        assert!(desk.types("show call_1").await.stdout.contains("allow_once by user:ben"));
    })
    .await;
}

#[tokio::test]
async fn arriving_call_does_not_replace_the_shown_call() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        let terminal = watches(desk, (80, 24), "1 of 1").await;
        terminal.wait_for_title("(1) Countersign").await;
        terminal.type_text("d").await;
        terminal.wait_for_text("Deny bash, because:").await;
        desk.propose("t1", "call_2", "deploy", "{}").await;
        terminal.wait_for_text("1 of 2").await;
        terminal.wait_for_title("(2) Countersign").await;
        terminal.types("no").await;
        terminal.wait_for_text("Denied call_1 (bash).").await;
        terminal.wait_for_text("1 of 1").await;
        assert!(desk.types("show call_2").await.stdout.starts_with("call_2  deploy  pending"));
    })
    .await;
}
