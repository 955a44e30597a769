//! An approver edits a call's arguments before allowing it.

use crate::{
    desk::{TerminalDesk, with_desk},
    tmux::TmuxTerminal,
    watch_plain,
};
use countersign_api::{ApprovalGate, CallGate};
use insta::assert_snapshot;

/// Sets an `$EDITOR` that replaces `from` by `to`.
fn set_editor(desk: &mut TerminalDesk, from: &str, to: &str) {
    desk.write_file("editor.sh", &format!("sed -i 's/{from}/{to}/' \"$1\"\n"));
    let path = desk.path("editor.sh").display().to_string();
    desk.set_variable("EDITOR", &format!("sh {path}"));
}

#[tokio::test]
async fn edited_arguments_run_and_reach_the_agent() {
    with_desk(async |desk| {
        set_editor(desk, "hello", "goodbye");
        let mut run = desk.start("run --thread t1 --id call_1 -- echo hello");
        run.wait_for_stderr("is pending").await;
        assert_snapshot!(desk.types("allow call_1 --as user:ada --edit").await, @r#"
        call_1 (bash) would run with these changes:
          - /command "echo hello"
          + /command "echo goodbye"
        Allowed call_1 once, with changed arguments.
        exit 0
        "#);
        assert_snapshot!(run.wait_for_exit().await, @r#"
        goodbye
        ! countersign: call_1 is pending in [here]/countersign.db; allow it with: countersign allow call_1
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
          expires    [time]
          decided    allow_once by user:ada at [time] (approver)
          changed    - /command "echo hello"
                     + /command "echo goodbye"
          note       user:ada changed what was run: /command from "echo hello" to "echo goodbye"
          started    by [executor] at [time]
          outcome    The tool succeeded.
          ended      success at [time]
          result     exitCode: 0
                     output: goodbye
                     outputBytes: 8
          policy     event 1, from shipped: countersign policy show --seq 1
        exit 0
        "#);
        assert!(desk.types("log --thread t1").await.stdout.contains("allows call_1 with changed arguments"));
    })
    .await;
}

#[tokio::test]
async fn unchanged_or_failed_edit_decides_nothing() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", r#"{"command":"ls","limit":1.50}"#).await;
        set_editor(desk, "no such text", "anything");
        assert_snapshot!(desk.types("allow call_1 --as user:ada --edit").await, @"
        ! countersign: the arguments are unchanged, so nothing was decided
        exit 2
        ");
        desk.set_variable("EDITOR", "false");
        let failed = desk.types("allow call_1 --as user:ada --edit").await;
        assert!(failed.stderr.contains("the editor false failed"), "{failed}");
        assert_eq!(failed.code, 1);
        assert!(desk.types("show call_1").await.stdout.starts_with("call_1  bash  pending"));
    })
    .await;
}

#[tokio::test]
async fn arguments_are_read_from_option_file_or_stdin() {
    with_desk(async |desk| {
        for id in ["call_1", "call_2", "call_3"] {
            desk.propose("t1", id, "bash", r#"{"command":"ls","limit":1.50}"#).await;
        }
        assert_snapshot!(desk.types("allow call_1 --as user:ada --arguments '{\"command\":'").await, @"
        ! countersign: --arguments: it is not JSON: EOF while parsing a value at line 1 column 11
        exit 2
        ");
        assert_snapshot!(desk.types("allow call_1 call_2 --as user:ada --arguments '{}'").await, @"
        ! countersign: --edit, --arguments and --answer take one call at a time
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
        desk.write_file("given.json", r#"{"command": "ls", "limit": 2}"#);
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

/// The tool's schema and the policy both limit the edited arguments.
#[tokio::test]
async fn invalid_or_blocked_arguments_are_refused() {
    with_desk(async |desk| {
        let gate = desk.gate().await;
        let mut call = countersign_api::ProposeRequest::new("call_1", "resize", r#"{"size":1}"#).expect("valid");
        let schema = r#"{"type":"object","properties":{"size":{"type":"integer"}}}"#;
        call.definition = Some(countersign_api::ProposedDefinition {
            input_schema: Some(countersign_events::Json::parse(schema).expect("valid")),
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
        ! countersign: arguments: edited arguments run exactly as the log stores them, so they must not contain a secret; deny the call and let the agent propose another
        exit 2
        "#);
    })
    .await;
}

/// The log does not contain the masked value. Only the process that proposed the call knows it.
#[tokio::test]
async fn masked_value_is_kept_when_arguments_are_edited() {
    with_desk(async |desk| {
        let mut run = desk.start("run --thread t1 --id call_1 -- echo --password=correct-horse-battery");
        run.wait_for_stderr("is pending").await;
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
          does       may do more: an argument cannot be read
          expires    [time], then the call is denied
          policy     event 1, from shipped: countersign policy show --seq 1
        exit 0
        ");
        assert_eq!(desk.types("allow call_1 --as user:ada").await.code, 0);
        let ran = run.wait_for_exit().await;
        assert_eq!((ran.stdout.as_str(), ran.code), ("--password=correct-horse-battery\n", 0));
    })
    .await;
}

#[tokio::test]
async fn plain_mode_shows_the_edit_before_allowing() {
    with_desk(async |desk| {
        set_editor(desk, "make", "make -n");
        desk.propose("t1", "call_1", "bash", r#"{"command":"make"}"#).await;
        assert_snapshot!(watch_plain::run_watch_plain(desk, "edit\nonce because dry\n", "--as user:ada").await, @r#"
        Calls in [here]/countersign.db, decided as user:ada
        call_1  bash  pending
          thread     t1
          arguments  command: make
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
          expires    [time], then the call is denied
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit: edit
        o allows the edited call once. e edits it again.

        call_1  bash  pending
          thread     t1
          arguments  command: make
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
          expires    [time], then the call is denied
          changed    - /command "make"
                     + /command "make -n"
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit: once because dry
        Allowed call_1 once, with changed arguments.

        No call is pending. Waiting for new calls; u takes the last approval back, q quits.
        "#);
        assert!(desk.types("show call_1").await.stdout.contains("allow_once by user:ada"));
    })
    .await;
}

#[tokio::test]
async fn inbox_shows_and_sends_an_edit() {
    with_desk(async |desk| {
        set_editor(desk, "make", "make -n");
        desk.propose("t1", "call_1", "bash", r#"{"command":"make"}"#).await;
        let editor = desk.path("editor.sh").display().to_string();
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types(&format!("clear; EDITOR='sh {editor}' countersign watch --as user:ada")).await;
        terminal.wait_for_text("1 of 1").await;
        terminal.type_text("e").await;
        terminal.wait_for_text("+ /command \"make -n\"").await;
        // A movement key ends the pause after the editor.
        terminal.type_text("go").await;
        terminal.wait_for_text("Allowed call_1 once, with changed arguments.").await;
        terminal.type_text("q").await;
        terminal.wait_for_prompt().await;
    })
    .await;
}

#[tokio::test]
async fn terminal_asks_to_confirm_an_edit() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", r#"{"command":"make"}"#).await;
        let terminal = TmuxTerminal::open(desk).await;
        let line = r#"countersign allow call_1 --as user:ada --arguments '{"command":"ls"}'"#;
        terminal.types(line).await;
        terminal.wait_for_line("Allow the changed call? [y/N]").await;
        terminal.types("").await;
        terminal.wait_for_line("Nothing was decided.").await;
        terminal.clear().await;
        terminal.types(line).await;
        terminal.wait_for_line("Allow the changed call? [y/N]").await;
        terminal.types("y").await;
        terminal.wait_for_line("Allowed call_1 once, with changed arguments.").await;
    })
    .await;
}
