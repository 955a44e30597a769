//! Changing what a call is to run with before it is allowed.

use crate::{
    desk::{TerminalDesk, at_a_desk},
    tmux::TmuxTerminal,
    watch_plain,
};
use countersign_api::ApprovalGate;
use insta::assert_snapshot;

/// An editor that puts `to` wherever `from` stands.
fn edits(desk: &mut TerminalDesk, from: &str, to: &str) {
    desk.writes("editor.sh", &format!("sed -i 's/{from}/{to}/' \"$1\"\n"));
    let path = desk.path("editor.sh").display().to_string();
    desk.sets("EDITOR", &format!("sh {path}"));
}

#[tokio::test]
async fn what_an_editor_makes_of_it_runs_and_the_agent_is_told() {
    at_a_desk(async |desk| {
        edits(desk, "hello", "goodbye");
        let mut run = desk.starts("run --thread t1 --id call_1 -- echo hello");
        run.complains("is pending").await;
        assert_snapshot!(desk.types("allow call_1 --as user:ada --edit").await, @r#"
        call_1 (bash) would run with these changes:
          - /command "echo hello"
          + /command "echo goodbye"
        Allowed call_1 once, with changed arguments.
        exit 0
        "#);
        assert_snapshot!(run.ends().await, @r#"
        goodbye
        ! countersign: call_1 is pending; allow it with: /root/.cache/countersign/target/debug/countersign-under-test allow call_1
        ! countersign: user:ada changed what was run: /command from "echo hello" to "echo goodbye"
        exit 0
        "#);
        assert_snapshot!(desk.types("show call_1").await, @r#"
        call_1  bash  finished
          thread     t1
          arguments  command: echo goodbye
                     cwd: [here]
          sha256     [sha256]
          proposed   by agent:root at [time] ([ago])
          asked      no rule matches this call
          decided    allow_once by user:ada at [time] (approver)
          changed    - /command "echo hello"
                     + /command "echo goodbye"
          note       user:ada changed what was run: /command from "echo hello" to "echo goodbye"
          started    by [executor] at [time]
          ended      success at [time]
          result     exitCode: 0
                     output: goodbye
                     outputBytes: 8
        exit 0
        "#);
        assert!(desk.types("log --thread t1").await.stdout.contains("allows call_1 with changed arguments"));
    })
    .await;
}

#[tokio::test]
async fn an_editor_that_changes_nothing_or_fails_decides_nothing() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", r#"{"command":"ls","limit":1.50}"#).await;
        edits(desk, "no such text", "anything");
        assert_snapshot!(desk.types("allow call_1 --as user:ada --edit").await, @"
        ! countersign: the arguments are unchanged, so nothing was decided
        exit 2
        ");
        desk.sets("EDITOR", "false");
        let failed = desk.types("allow call_1 --as user:ada --edit").await;
        assert!(failed.stderr.contains("the editor false failed"), "{failed}");
        assert_eq!(failed.code, 1);
        assert!(desk.types("show call_1").await.stdout.starts_with("call_1  bash  pending"));
    })
    .await;
}

#[tokio::test]
async fn arguments_are_given_whole_from_anywhere() {
    at_a_desk(async |desk| {
        for id in ["call_1", "call_2", "call_3"] {
            desk.proposes("t1", id, "bash", r#"{"command":"ls","limit":1.50}"#).await;
        }
        assert_snapshot!(desk.types("allow call_1 --as user:ada --arguments '{\"command\":'").await, @"
        ! countersign: --arguments: it is not JSON: EOF while parsing a value at line 1 column 11
        exit 2
        ");
        assert_snapshot!(desk.types("allow call_1 call_2 --as user:ada --arguments '{}'").await, @"
        ! countersign: --edit and --arguments take one call at a time
        exit 2
        ");
        assert_snapshot!(desk.types("allow call_1 --as user:ada --arguments '{\"command\":\"ls -l\",\"limit\":1.50}'").await, @r#"
        call_1 (bash) would run with these changes:
          - /command "ls"
          + /command "ls -l"
        Allowed call_1 once, with changed arguments.
        exit 0
        "#);
        assert_snapshot!(desk.types("allow call_2 --as user:ada --arguments @none.json").await, @"
        ! countersign: --arguments: none.json: No such file or directory (os error 2)
        exit 2
        ");
        desk.writes("given.json", r#"{"command": "ls", "limit": 2}"#);
        assert_snapshot!(desk.types("allow call_2 --as user:ada --arguments @given.json").await, @"
        call_2 (bash) would run with these changes:
          - /limit 1.50
          + /limit 2
        Allowed call_2 once, with changed arguments.
        exit 0
        ");
        // Stdin is empty here.
        assert_eq!(desk.types("allow call_3 --as user:ada --arguments -").await.code, 2);
    })
    .await;
}

/// The tool says what it takes, and the policy what it blocks.
#[tokio::test]
async fn arguments_that_nobody_may_run_with_are_refused() {
    at_a_desk(async |desk| {
        let gate = desk.gate().await;
        let mut call = countersign_api::ProposeRequest::new("call_1", "resize", r#"{"size":1}"#).expect("valid");
        let schema = r#"{"type":"object","properties":{"size":{"type":"integer"}}}"#;
        call.definition = Some(countersign_api::ProposedDefinition {
            input_schema: Some(countersign_gate::Json::parse(schema).expect("valid")),
            ..Default::default()
        });
        gate.propose(&countersign_api::parse_thread_id("t1").expect("valid"), &call).await.expect("proposed");
        gate.shut_down().await;
        assert_snapshot!(desk.types("allow call_1 --as user:ada --arguments '{\"size\":\"big\"}'").await, @r#"
        call_1 (resize) would run with these changes:
          - /size 1
          + /size "big"
        ! countersign: arguments: the tool does not take them: "big" is not of type "integer" at "/size"
        exit 2
        "#);
        assert_snapshot!(desk.types("allow call_1 --as user:ada --arguments '{\"size\":1,\"password\":\"hunter22hunter\"}'").await, @r#"
        call_1 (resize) would run with these changes:
          + /password "hunter22hunter"
        ! countersign: arguments: what an approver writes runs as the log keeps it, so it can hold no secret; deny the call and let the agent propose another
        exit 2
        "#);
    })
    .await;
}

/// The log does not have what is behind the mask; the terminal that proposed the call does.
#[tokio::test]
async fn a_masked_place_is_said_to_be_one_and_the_command_runs_with_what_is_behind_it() {
    at_a_desk(async |desk| {
        let mut run = desk.starts("run --thread t1 --id call_1 -- echo --password=correct-horse-battery");
        run.complains("is pending").await;
        let shown = desk.types("show call_1").await;
        assert!(!shown.stdout.contains("correct-horse"), "{shown}");
        assert_snapshot!(shown, @"
        call_1  bash  pending
          thread     t1
          arguments  command: echo '--password=[redacted]'
                     cwd: [here]
          masked     /command is hidden here; the call runs with the real value
          sha256     [sha256]
          proposed   by agent:root at [time] ([ago])
          asked      no rule matches this call
        exit 0
        ");
        assert_eq!(desk.types("allow call_1 --as user:ada").await.code, 0);
        let ran = run.ends().await;
        assert_eq!((ran.stdout.as_str(), ran.code), ("--password=correct-horse-battery\n", 0));
    })
    .await;
}

#[tokio::test]
async fn line_by_line_an_edit_is_shown_before_it_is_allowed() {
    at_a_desk(async |desk| {
        edits(desk, "make", "make -n");
        desk.proposes("t1", "call_1", "bash", r#"{"command":"make"}"#).await;
        assert_snapshot!(watch_plain::answers(desk, "edit\nonce because dry\n", "--as user:ada").await, @r#"
        call_1  bash  pending
          thread     t1
          arguments  command: make
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit: edit
        o allows the edited call once. e edits it again.

        call_1  bash  pending
          thread     t1
          arguments  command: make
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
          changed    - /command "make"
                     + /command "make -n"
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit: once because dry
        Allowed call_1 once, with changed arguments.

        No call is pending. Waiting for new calls; q quits.
        "#);
        assert!(desk.types("show call_1").await.stdout.contains("allow_once by user:ada"));
    })
    .await;
}

#[tokio::test]
async fn in_the_inbox_an_edit_is_seen_and_sent() {
    at_a_desk(async |desk| {
        edits(desk, "make", "make -n");
        desk.proposes("t1", "call_1", "bash", r#"{"command":"make"}"#).await;
        let editor = desk.path("editor.sh").display().to_string();
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types(&format!("clear; EDITOR='sh {editor}' countersign watch --as user:ada")).await;
        terminal.has("1 of 1").await;
        terminal.writes("e").await;
        terminal.has("+ /command \"make -n\"").await;
        terminal.writes("o").await;
        terminal.has("Allowed call_1 once, with changed arguments.").await;
        terminal.writes("q").await;
        terminal.is_back().await;
    })
    .await;
}

#[tokio::test]
async fn on_a_terminal_a_change_is_agreed_to() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", r#"{"command":"make"}"#).await;
        let terminal = TmuxTerminal::open(desk).await;
        let line = r#"clear; countersign allow call_1 --as user:ada --arguments '{"command":"ls"}'"#;
        terminal.types(line).await;
        terminal.shows("Allow the changed call? [y/N]").await;
        terminal.types("").await;
        terminal.shows("Nothing was decided.").await;
        terminal.types(line).await;
        terminal.shows("Allow the changed call? [y/N]").await;
        terminal.types("y").await;
        terminal.shows("Allowed call_1 once, with changed arguments.").await;
    })
    .await;
}
