//! `countersign log`

use crate::desk::{COUNTERSIGN, TerminalDesk, with_desk};
use countersign_api::ApprovalGate;
use countersign_events::EventType;
use countersign_store::{Store, StoreOptions};
use countersign_tests::{SqlConnection, append_sealed, open_file};
use insta::assert_snapshot;

/// Writes a log with two threads and three calls, each with a decision.
async fn write_history(desk: &TerminalDesk) {
    desk.propose_here("t1", "call_1", "bash", r#"{"command":"ls","cwd":"/srv"}"#).await;
    desk.types("allow call_1 --session tool --any-agent --as user:ada --comment 'go on'").await;
    desk.types("run --thread t1 --as agent:ben --id call_2 -- false").await;
    desk.propose("t2", "call_3", "mail", r#"{"to":"ada","text":"a\nb"}"#).await;
    desk.types("deny call_3 --as user:ada --comment 'no \u{1b}[31mmail'").await;
    desk.types("thread mode t2 auto_deny --as user:ada").await;
    desk.types("thread policy t2 bash=allow --as user:ada").await;
    desk.types("grant revoke t1 3 --as user:ada").await;
    desk.types("thread close t2 --as user:ada").await;
}

#[tokio::test]
async fn missing_log_and_invalid_filters_are_refused() {
    with_desk(async |desk| {
        assert_eq!(desk.types("log").await.code, 5);
        desk.gate().await.shut_down().await;
        assert_snapshot!(desk.types("log --type NOTHING").await, @"
        ! error: invalid value 'NOTHING' for '--type <TYPE>': use one of TOOL_CALL, TOOL_APPROVAL_REQUEST, TOOL_APPROVAL_VOTE, TOOL_APPROVAL_REMINDER, TOOL_APPROVAL_ESCALATED, TOOL_APPROVAL_ADVICE, TOOL_APPROVAL_RESPONSE, TOOL_APPROVAL_TAKEN_BACK, TOOL_EXECUTION_STARTED, TOOL_EXECUTION_RENEWED, TOOL_EXECUTION_RELEASED, TOOL_EXECUTION_TAKEN_OVER, TOOL_EXECUTION_MISMATCH, TOOL_RESULT, CALL_FLAGGED, CALL_ERASED, POLICY_SET, TOOL_POLICY_SET, GRANT_REVOKED, GRANT_USED, GRANT_ENDED, GRANT_PROLONGED, THREAD_MODE_SET, THREAD_CLOSED, THREAD_ARCHIVED, TOKEN_CREATED, TOKEN_USED, TOKEN_REVOKED, APPROVER_KEY_ADDED, APPROVER_KEY_REMOVED, PUSH_DEVICE_SET, PUSH_DEVICE_REMOVED, CHAT_ACCOUNT_LINKED, CHAT_ACCOUNT_UNLINKED, DELEGATION_SET, DELEGATION_ENDED, WEBHOOK_ADDED, WEBHOOK_REMOVED, WEBHOOK_DELIVERED, WEBHOOK_PARKED, WEBHOOK_RETRIED, WEBHOOK_SECRET_SET, DEFINITION_SEEN, DEFINITION_CHANGED, DEFINITION_ACCEPTED, ADVISOR_REPORTED, ADVISOR_MODE_SET, USER_MESSAGE, AGENT_MESSAGE, SYSTEM_PROMPT, USER_SYSTEM_PROMPT, LOCAL_SYSTEM_MESSAGE, COMPACTION
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
        assert_snapshot!(desk.types("log --since yesterday").await, @"
        ! error: invalid value 'yesterday' for '--since <WHEN>': expected a time such as 2026-01-31T12:00:00Z, or an age such as 90s, 15m, 2h or 1d
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
        assert_snapshot!(desk.types("log --by ada").await, @r#"
        ! error: invalid value 'ada' for '--by <PRINCIPAL>': "ada" does not begin with user:, agent:, policy:, advisor: or system:
        ! 
        ! For more information, try '--help'.
        exit 2
        "#);
        assert_snapshot!(desk.types("log --since 2026-02-01T00:00:00Z --until 2026-01-01T00:00:00Z").await, @"
        ! countersign: --until must be later than --since
        exit 2
        ");
        assert_snapshot!(desk.types("log --follow --until 1h").await, @"
        ! error: the argument '--follow' cannot be used with '--until <WHEN>'
        ! 
        ! Usage: countersign log --follow
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
        assert_snapshot!(desk.types("log").await, @"
            1  [moment]    system:countersign applies a policy: 4fe94dccc9b1 (shipped)
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn each_event_is_one_line() {
    with_desk(async |desk| {
        write_history(desk).await;
        assert_snapshot!(desk.types("log").await, @r#"
            1  [moment]    system:countersign applies a policy: 4fe94dccc9b1 (shipped)
            2  [moment]  t1  agent:builder proposes bash as call_1: ls
            3  [moment]  t1  people are asked about call_1 (no rule matches this call), until [time]
            4  [moment]  t1  user:ada allows call_1 for the session, for the whole tool and every agent, until [time] (go on)
            5  [moment]  t1  agent:ben proposes bash as call_2: false
            6  [moment]  t1  policy:grant allows call_2 by grant 4 of user:ada for the whole tool
            7  [moment]  t1  agent:ben runs call_2 as [executor]
            8  [moment]  t1  call_2 failed: exit code 1
            9  [moment]  t2  agent:builder proposes mail as call_3: {"to":"ada","text":"a\nb"}
           10  [moment]  t2  people are asked about call_3 (no rule matches this call), until [time]
           11  [moment]  t2  user:ada denies call_3 (no \u{001b}[31mmail)
           12  [moment]  t2  call_3 did not run: denied
           13  [moment]  t2  user:ada sets the mode to auto_deny
           14  [moment]  t2  user:ada sets the thread policy for bash to allow
           15  [moment]  t2  user:ada closes the thread
        exit 0
        "#);
    })
    .await;
}

#[tokio::test]
async fn events_are_filtered() {
    with_desk(async |desk| {
        write_history(desk).await;
        assert_snapshot!(desk.types("log --thread t1 --type tool-call --type grant-revoked").await, @"
            2  [moment]  t1  agent:builder proposes bash as call_1: ls
            5  [moment]  t1  agent:ben proposes bash as call_2: false
        exit 0
        ");
        assert_snapshot!(desk.types("log --tool mail").await, @r#"
            9  [moment]  t2  agent:builder proposes mail as call_3: {"to":"ada","text":"a\nb"}
           10  [moment]  t2  people are asked about call_3 (no rule matches this call), until [time]
           11  [moment]  t2  user:ada denies call_3 (no \u{001b}[31mmail)
           12  [moment]  t2  call_3 did not run: denied
        exit 0
        "#);
        assert_snapshot!(desk.types("log --by user:ada -n 2").await, @"
           14  [moment]  t2  user:ada sets the thread policy for bash to allow
           15  [moment]  t2  user:ada closes the thread
        exit 0
        ");
        assert_snapshot!(desk.types("log --until 1h").await, @"exit 0");
        assert_eq!(desk.types("log --since 1h").await.stdout, desk.types("log").await.stdout);
        let json = desk.types("log -n 1 --json").await.stdout;
        assert_snapshot!(json, @r#"{"seq":15,"threadId":"t2","type":"THREAD_CLOSED","timestamp":"[time]","principal":"user:ada","data":{},"hash":"[sha256]"}"#);
    })
    .await;
}

/// A newer version has written about the call. Hidden characters of its data are shown.
#[tokio::test]
async fn newer_event_is_shown_by_its_name() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", r#"{"command":"ls"}"#).await;
        let path = desk.path("countersign.db");
        let store = Store::open(path.as_path(), StoreOptions::default()).await.expect("opens");
        let mut connection = SqlConnection::Sqlite(open_file(&path).await);
        let kind = EventType::of_event("TOOL_APPROVAL_DELEGATED").expect("a name");
        let data = r#"{"toolCallId":"call_1","to":"\u001b[31mgrace"}"#;
        append_sealed(&store, &mut connection, "t1", (kind, "user:grace", data)).await.expect("appended");
        connection.close().await;
        store.close().await;
        assert_snapshot!(desk.types("log -n 1").await, @r#"
            4  [moment]  t1  user:grace writes TOOL_APPROVAL_DELEGATED, which only a newer version knows, so this version decides nothing that it concerns: {"toolCallId":"call_1","to":"\u001b[31mgrace"}
        exit 0
        "#);
        let refused = desk.types("allow call_1 --as user:ada").await;
        let why = "event 4 is a TOOL_APPROVAL_DELEGATED, which this version of Countersign does not know";
        assert!(refused.code == 3 && refused.stderr.contains(why), "{refused}");
        let verified = desk.types("verify").await;
        let unjudged = "1 event of types that only a newer version knows";
        assert!(verified.code == 0 && verified.stdout.contains(unjudged), "{verified}");
        assert_eq!(desk.types("show call_1").await.code, 0);
    })
    .await;
}

/// Arguments may contain line breaks, but each event must be one line for programs that read line by line.
#[tokio::test]
async fn multiline_arguments_stay_on_one_json_line() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "mail", "{\n  \"text\": \"a\\nb\",\r\n  \"to\": \"ada\"\n}").await;
        let output = desk.types("log --json").await.stdout;
        let types: Vec<_> = output
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("one event per line"))
            .map(|event| event["type"].clone())
            .collect();
        assert_eq!(types, ["POLICY_SET", "TOOL_CALL", "TOOL_APPROVAL_REQUEST"]);
        assert!(output.contains(r#""text": "a\nb",    "to": "ada""#), "{output}");
    })
    .await;
}

#[tokio::test]
async fn follow_prints_later_events() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        let mut log = desk.start("log --follow --thread t1");
        log.wait_for_stdout("people are asked about call_1").await;
        desk.propose("t2", "call_2", "bash", "{}").await;
        desk.types("deny call_1 --as user:ada").await;
        let output = log.wait_for_stdout("did not run").await;
        assert!(!output.contains("call_2"), "{output}");
        assert_eq!(output.lines().count(), 4);
    })
    .await;
}

#[tokio::test]
async fn response_by_grant_names_its_giver() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", r#"{"command":"ls"}"#).await;
        desk.types("allow call_1 --session tool --as user:ada").await;
        desk.propose("t1", "call_2", "bash", r#"{"command":"pwd"}"#).await;
        let log = desk.types("log --by policy:grant").await.stdout;
        assert!(log.contains("policy:grant allows call_2 by grant "), "{log}");
        assert!(log.contains(" of user:ada for the whole tool"), "{log}");
        let shown = desk.types("show call_2").await.stdout;
        let granted =
            shown.lines().find(|line| line.trim_start().starts_with("granted ")).unwrap_or_default();
        assert!(
            granted.contains("by user:ada at ") && granted.contains("on call_1, for the whole tool"),
            "{shown}"
        );
        let calls = desk.types("calls").await.stdout;
        assert!(calls.contains("user:ada, grant "), "{calls}");
    })
    .await;
}

#[tokio::test]
async fn times_of_events_show_their_zone() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        // The snapshot text hides a time only if it shows its zone.
        let line = desk.types("log -n 1").await.stdout;
        assert!(line.contains("  [moment]  t1  "), "{line}");
    })
    .await;
}

#[tokio::test]
async fn decisions_are_filtered_by_outcome() {
    with_desk(async |desk| {
        write_history(desk).await;
        assert_snapshot!(desk.types("log --decision deny").await, @r#"
           11  [moment]  t2  user:ada denies call_3 (no \u{001b}[31mmail)
        exit 0
        "#);
        assert_snapshot!(desk.types("log --decision allow_session -n 1").await, @"
            4  [moment]  t1  user:ada allows call_1 for the session, for the whole tool and every agent, until [time] (go on)
        exit 0
        ");
        assert_eq!(desk.types("log --decision allow_once --thread t2").await.stdout, "");
        assert_eq!(desk.types("log --decision deny --type TOOL_CALL").await.code, 2);
        assert_snapshot!(desk.types("log --csv --json").await, @r#"
        ! {"code":"usage","detail":"use --csv or --json, not both"}
        exit 2
        "#);
    })
    .await;
}

#[tokio::test]
async fn csv_is_complete_and_never_a_formula() {
    with_desk(async |desk| {
        desk.propose("=1+1", "-call", "@bash", "{\"text\": \"a,\\\"b\\\"\",\n \"n\": 1}").await;
        desk.types("deny --as user:ada -- -call").await;
        let csv = desk.run_program(COUNTERSIGN, &["log", "--csv"]).await;
        desk.write_file("events.csv", &csv);
        let log = "SELECT json_group_array(json_array(seq, thread_id, type, principal, data, hash)) FROM events";
        desk.write_file("log.json", &desk.run_program("sqlite3", &["countersign.db", log]).await);
        // The rows are those of the log, once the apostrophes are removed.
        let script = r#"
import csv, json
rows = list(csv.DictReader(open("events.csv", newline="")))
plain = lambda cell: cell[1:] if cell[:2] in ("'=", "'-", "'@") else cell
read = [[int(row["seq"])] + [plain(row[name]) for name in ("thread_id", "type", "principal", "data", "hash")] for row in rows]
assert read == json.load(open("log.json")), read
for row in rows:
    print(*(row[name] for name in ("seq", "thread_id", "type", "tool_call_id", "tool", "decision")), sep="|")
"#;
        assert_snapshot!(desk.run_program("python3", &["-c", script]).await, @"
        1||POLICY_SET|||
        2|'=1+1|TOOL_CALL|'-call|'@bash|
        3|'=1+1|TOOL_APPROVAL_REQUEST|'-call||
        4|'=1+1|TOOL_APPROVAL_RESPONSE|'-call||deny
        5|'=1+1|TOOL_RESULT|'-call||
        ");
    })
    .await;
}
