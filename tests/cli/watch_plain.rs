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

/// Asserts that the denial of `call_2` shows who denied it and why.
async fn assert_denial_is_shown(desk: &TerminalDesk) {
    assert_snapshot!(desk.types("show call_2").await, @r#"
    call_2  transfer  denied by user:ada
      thread     t1
      arguments  to: ada
                 amount: 1.50
      sha256     [sha256]
      proposed   by agent:builder at [time] ([ago])
      asked      no rule matches this call
      expires    [time]
      decided    deny by user:ada at [time] (approver)
      comment    not today
      outcome    It did not run: ada denied it.
      ended      denied at [time]
      result     "Denied by user:ada: not today (do not retry this call unchanged)"
      policy     event 1, from shipped: countersign policy show --seq 1
    exit 0
    "#);
}

#[tokio::test]
async fn piped_answers_decide_calls_in_order() {
    with_desk(async |desk| {
        let script = r#"{"command":"set -e\nmake deploy","cwd":"/srv/shop"}"#;
        desk.propose("t1", "call_1", "bash", script).await;
        desk.propose("t1", "call_2", "transfer", r#"{"to":"ada","amount":1.50}"#).await;
        desk.propose("t2", "call_3", "notify", r#""everybody""#).await;
        let typed = "yes\nnext\ndeny because not today\nsession\nt\nyes\nonce because fine\n";
        assert_snapshot!(run_watch_plain(desk, typed, "--as user:ada").await, @r#"
        Calls in [here]/countersign.db, decided as user:ada
        call_1  bash  pending (2 more pending)
          thread     t1
          arguments  command: set -e
                              make deploy
                     cwd: /srv/shop
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
          expires    [time], then the call is denied
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit: yes
        Nothing was decided. Type exactly one of the words or its first letter: deny, once, session, edit, next, undo, quit. A comment follows the word because: deny because …. A scope follows deny or session: session exact, session pattern, session tool, session {"command": "git status **"}. How long a session is remembered follows for: session exact for 30m; 1h, which is usual, 8h, 3 (calls within 1h) or thread
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit: next
        call_2  transfer  pending (2 more pending)
          thread     t1
          arguments  to: ada
                     amount: 1.50
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
          expires    [time], then the call is denied
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit: deny because not today
        Denied call_2 (transfer).

        call_3  notify  pending (1 more pending)
          thread     t2
          arguments  "everybody"
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
          expires    [time], then the call is denied
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit: session
        Which later calls?
          x this exact call
          p is not available: no pattern describes this call
          t the whole tool
        e[x]act / [p]attern / whole [t]ool / [n]othing: t
        No pattern describes this call, and this allows every later call of notify, whatever its arguments.
        the whole tool
        Type yes to allow the whole tool; anything else decides nothing: yes
        It is remembered for 1 hour.
        Allowed call_3, and later calls of notify in thread t2, until [time].

        call_1  bash  pending
          thread     t1
          arguments  command: set -e
                              make deploy
                     cwd: /srv/shop
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
          expires    [time], then the call is denied
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [u]ndo / [q]uit: once because fine
        Allowed call_1 (bash) once.

        No call is pending. Waiting for new calls; u takes the last approval back, q quits.
        "#);
        assert_denial_is_shown(desk).await;
    })
    .await;
}

#[tokio::test]
async fn word_with_other_text_decides_nothing() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        let typed = "o not so fast\nd never mind\nsession now\n";
        let output = run_watch_plain(desk, typed, "--as user:ada").await;
        assert_eq!(
            output.matches("Nothing was decided. Type exactly one of the words").count(),
            3,
            "{output}"
        );
        assert!(desk.types("show call_1").await.stdout.starts_with("call_1  bash  pending"));
    })
    .await;
}

#[tokio::test]
async fn undo_takes_the_last_approval_back() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", r#"{"command":"ls"}"#).await;
        desk.propose("t1", "call_2", "bash", r#"{"command":"pwd"}"#).await;
        let output = run_watch_plain(desk, "undo\nonce\nundo\nonce\nu\nu\n", "--as user:ada").await;
        for part in [
            "[n]ext / [q]uit: undo\nNothing to take back here.",
            "[n]ext / [u]ndo / [q]uit: undo\nTook the approval of call_1 back: it does not run.\n\ncall_2  bash  pending",
            "Waiting for new calls; u takes the last approval back, q quits.\nTook the approval of call_2 back: it does not run.\n\nNothing to take back here.",
        ] {
            assert!(output.contains(part), "{part}\n\n{output}");
        }
        for id in ["call_1", "call_2"] {
            let shown = desk.types(&format!("show {id}")).await.stdout;
            assert!(shown.starts_with(&format!("{id}  bash  cancelled")), "{shown}");
        }
    })
    .await;
}

/// `session` alone asks for the scope, with letters that mean the same for every call.
#[tokio::test]
async fn session_in_plain_mode_asks_for_scope() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", r#"{"command":"ls"}"#).await;
        desk.propose("t1", "call_2", "bash", r#"{"command":"rm -rf $(cat list)"}"#).await;
        let typed = "session\nt please\nx\ns p\nsession tool\nno\ndeny exact because dangerous\nyes\n";
        assert_snapshot!(run_watch_plain(desk, typed, "--as user:ada").await, @r#"
        Calls in [here]/countersign.db, decided as user:ada
        call_1  bash  pending (1 more pending)
          thread     t1
          arguments  command: ls
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
          expires    [time], then the call is denied
          similar    1 other call of this tool in this thread
          scope      command `ls **`
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit: session
        Which later calls?
          x this exact call
          p command `ls **`
          t the whole tool; 1 more call waits
        e[x]act / [p]attern / whole [t]ool / [n]othing: t please
        Type exactly x, p, t or n, or exact, pattern, tool or nothing.
        e[x]act / [p]attern / whole [t]ool / [n]othing: x
        It is remembered for 1 hour.
        Allowed call_1, and later calls of bash in thread t1, for this exact call, until [time].

        call_2  bash  pending
          thread     t1
          arguments  command: rm -rf $(cat list)
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      agents do not open the log: a path in command `rm -rf $(cat list)` may match `**/countersign.db{,-wal,-shm}` or `**/countersign/credentials.toml`; a block rule then asks: rule "agents do not open the log" might block it
          does       reads list
                     deletes files in $(cat list)
          expires    [time], then the call is denied
          similar    1 other call of this tool in this thread
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [u]ndo / [q]uit: s p
        The scope is not available: no pattern describes this call.
        Nothing was decided.
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [u]ndo / [q]uit: session tool
        No pattern describes this call, and this allows every later call of bash, whatever its arguments.
        the whole tool: would have allowed 1 of 1 earlier call
        Type yes to allow the whole tool; anything else decides nothing: no
        Nothing was decided.
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [u]ndo / [q]uit: deny exact because dangerous
        Later calls of bash in thread t1 are denied too, without a question: this exact call: would have denied 0 of 1 earlier call.
        To see and revoke it later: countersign grant list t1
        Type yes to deny them; anything else decides nothing: yes
        Denied call_2, and later calls of bash in thread t1, for this exact call.

        No call is pending. Waiting for new calls; u takes the last approval back, q quits.
        "#);
        let grants = desk.types("grant list t1").await.stdout;
        assert!(!grants.contains("the whole tool"), "{grants}");
    })
    .await;
}

#[tokio::test]
async fn watch_lists_only_calls_of_named_agents() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        let none = run_watch_plain(desk, "", "--by agent:other --by agent:third").await;
        assert!(none.contains("\nNo call is pending."), "{none}");
        let found = run_watch_plain(desk, "", "--by agent:other --by agent:builder --sort risk").await;
        assert!(found.contains("\ncall_1  bash  pending"), "{found}");
        assert_eq!(desk.types("watch --by builder").await.code, 2);
        let order = desk.types("watch --sort newest").await;
        assert!(order.stderr.contains("expected oldest, risk, time-left"), "{order}");
    })
    .await;
}

#[tokio::test]
async fn end_of_input_decides_nothing() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(run_watch_plain(desk, "", "--as user:ada").await, @"
        Calls in [here]/countersign.db, decided as user:ada
        call_1  bash  pending
          thread     t1
          arguments  {}
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
          expires    [time], then the call is denied
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit:
        ");
        assert_snapshot!(run_watch_plain(desk, "q\nonce\n", "--as user:ada --plain").await, @"
        Calls in [here]/countersign.db, decided as user:ada
        call_1  bash  pending
          thread     t1
          arguments  {}
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
          expires    [time], then the call is denied
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
        Calls in [here]/countersign.db, decided as agent:other
        call_1  bash  pending
          thread     t1
          arguments  {}
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
          expires    [time], then the call is denied
        [d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit: once
        Nothing changed: agent:other is not a person, and only people decide.

        call_1  bash  pending
          thread     t1
          arguments  {}
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
          expires    [time], then the call is denied
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

/// Records when the agent of `call_1` was last seen, as the agent's process does.
async fn note_last_seen(desk: &TerminalDesk, at: &str) {
    let seen = format!("INSERT OR REPLACE INTO proposer_presence VALUES ('t1', 'call_1', '{at}')");
    desk.run_program("sqlite3", &["countersign.db", &seen]).await;
}

#[tokio::test]
async fn plain_prompt_warns_of_a_lost_agent() {
    with_desk(async |desk| {
        desk.propose_earlier("t1", "call_1", "bash", "{}").await;
        note_last_seen(desk, "2026-01-31T12:00:00.000Z").await;
        let shown = run_watch_plain(desk, "once\n", "--as user:ada").await;
        let (before, after) = shown.split_once("[d]eny").expect("a prompt");
        assert!(before.starts_with("Calls in [here]/countersign.db, decided as user:ada\n"), "{before}");
        assert!(before.contains("may be gone\n"), "{before}");
        assert!(
            before.contains("If you allow the call, it may not run until the agent returns."),
            "{before}"
        );
        assert!(after.contains("Allowed call_1 (bash) once. agent:builder was last seen"), "{after}");
    })
    .await;
}

/// The agent leaves while the person reads.
#[tokio::test]
async fn agent_lost_after_the_prompt_requires_another_answer() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types("clear; countersign watch --plain --as user:ada").await;
        terminal.wait_for_line("[d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit:").await;
        note_last_seen(desk, "2026-01-31T12:00:00.000Z").await;
        terminal.types("o").await;
        terminal.wait_for_line("Nothing was decided yet. agent:builder was last seen").await;
        assert!(desk.types("show call_1").await.stdout.starts_with("call_1  bash  pending"));
        terminal.types("o").await;
        terminal.wait_for_line("Allowed call_1 (bash) once.").await;
    })
    .await;
}
