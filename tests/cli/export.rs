//! `countersign log --proof`, and its check by `docs/verify_export.py`.

use crate::desk::{COUNTERSIGN, DeskScreen, TerminalDesk, with_desk};
use insta::assert_snapshot;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/verify_export.py");

/// Writes a log of 10 events. Events 6 and 7 are a denial made with SQL.
async fn write_history(desk: &TerminalDesk) {
    desk.propose("t1", "call_1", "bash", "{\"command\":\n \"echo 'é😀\\u0001'\", \"n\": 1.50}").await;
    desk.propose("t2", "call_2", "mail", "{}").await;
    let deny = "INSERT INTO decisions VALUES ('t2', 'call_2', 'deny', 'user:ada', 'by hand')";
    desk.run_program("sqlite3", &["countersign.db", deny]).await;
    desk.types("deny call_1 --as user:ada").await;
    desk.types("thread close t1 --as user:ada").await;
}

/// Exports with these options into `export`. Returns the lines.
async fn export(desk: &TerminalDesk, options: &str) -> Vec<String> {
    let words: Vec<_> = ["log", "--json", "--proof"].into_iter().chain(options.split_whitespace()).collect();
    let text = desk.run_program(COUNTERSIGN, &words).await;
    desk.write_file("export", &text);
    text.lines().map(str::to_owned).collect()
}

async fn check(desk: &TerminalDesk, tips: &[&str]) -> DeskScreen {
    desk.try_program("python3", &[&[SCRIPT, "export"], tips].concat()).await
}

/// Checks these lines instead of the exported ones.
async fn check_lines(desk: &TerminalDesk, lines: &[String]) -> DeskScreen {
    desk.write_file("export", &(lines.join("\n") + "\n"));
    check(desk, &[]).await
}

/// An exported event's link, as `SEQ:HASH`.
fn tip_of(line: &str) -> String {
    let event: serde_json::Value = serde_json::from_str(line).expect("JSON");
    format!("{}:{}", event["seq"], event["hash"].as_str().expect("a hash"))
}

#[tokio::test]
async fn whole_export_is_proved_by_a_tip() {
    with_desk(async |desk| {
        write_history(desk).await;
        let lines = export(desk, "").await;
        assert_snapshot!(lines.last().expect("a last line").clone().replace(&tip_of(&lines[9])[3..], "[hash]"), @r#"
        {"proof":{"events":10,"first":1,"last":"10:[hash]","tip":"10:[hash]"}}
        "#);
        assert_snapshot!(check(desk, &[&tip_of(&lines[9])]).await, @"
        10 events, and each has the hash of its line.
        The events 1 to 10 are those of the log with the noted tip at event 10.
        exit 0
        ");
        let other = tip_of(&lines[9]).replace("10:", "9:");
        assert_snapshot!(check(desk, &[&other]).await, @"
        The export does not hold: event 9: its link is [sha256], but [sha256] was noted: it is of another log
        exit 1
        ");
    })
    .await;
}

#[tokio::test]
async fn filtered_export_proves_ranges_only() {
    with_desk(async |desk| {
        write_history(desk).await;
        let lines = export(desk, "--thread t1").await;
        assert_eq!(lines.len(), 6, "{lines:?}");
        // The events 2, 3 and 8 to 10 are of the thread; the row before event 8 has no hash.
        assert_snapshot!(check(desk, &[&tip_of(&lines[1]), &tip_of(&lines[4])]).await, @"
        5 events, and each has the hash of its line.
        The events 2 to 3 are those of the log with the noted tip at event 3.
        The events 8 to 10 are those of the log with the noted tip at event 10.
        exit 0
        ");
        assert_eq!(export(desk, "--decision allow_once").await.len(), 1);
        assert_snapshot!(check(desk, &[]).await, @"
        0 events, and each has the hash of its line.
        exit 0
        ");
        export(desk, "-n 2").await;
        assert_eq!(check(desk, &[]).await.code, 0);
    })
    .await;
}

#[tokio::test]
async fn changed_export_is_reported() {
    with_desk(async |desk| {
        write_history(desk).await;
        let whole = export(desk, "").await;
        let mut lines = whole.clone();
        lines[1] = lines[1].replace("agent:builder", "agent:other");
        assert_snapshot!(check_lines(desk, &lines).await, @"
        The export does not hold: event 2: its hash is [sha256], but its line gives [sha256]: it was changed
        exit 1
        ");
        lines[1] = whole[1].replace(r#""data":{"id":"call_1""#, r#""data":{"id":"call_9""#);
        assert_snapshot!(check_lines(desk, &lines).await, @"
        The export does not hold: event 2: its data is not that of its text
        exit 1
        ");
        lines = whole.clone();
        lines.swap(1, 2);
        assert_snapshot!(check_lines(desk, &lines).await, @"
        The export does not hold: event 2 follows event 3
        exit 1
        ");
        lines = whole.clone();
        lines.remove(4);
        assert_snapshot!(check_lines(desk, &lines).await, @"
        The export does not hold: the last line counts 10 events up to 10:[sha256]: some were removed or added
        exit 1
        ");
        assert_snapshot!(check_lines(desk, &whole[..5]).await, @"
        The export does not hold: the last line is missing: the export was interrupted or cut off
        exit 1
        ");
        // Without its hash, a changed event still does not lead to the next one.
        lines = whole.clone();
        lines[6] = lines[6].replace("\"principal\":\"", "\"principal\":\"user:eve, ");
        assert_snapshot!(check_lines(desk, &lines).await, @"
        The export does not hold: event 8 does not continue event 7: one of them was replaced
        exit 1
        ");
        // Some readers show the first of two members with the same name, others the last.
        for inserted in [r#"{"data":{"id":"call_9"},"#, r#"{"principal":"user:eve","#] {
            lines = whole.clone();
            lines[1] = lines[1].replacen('{', inserted, 1);
            let screen = check_lines(desk, &lines).await;
            assert!(screen.code == 1 && screen.stdout.contains("an object has a member twice"), "{screen}");
        }
        assert_eq!(check_lines(desk, &["text".to_owned()]).await.code, 2);
    })
    .await;
}

#[tokio::test]
async fn damaged_log_is_not_exported_with_proof() {
    with_desk(async |desk| {
        write_history(desk).await;
        let change =
            "DROP TRIGGER rows_are_never_changed; UPDATE events SET principal = 'user:eve' WHERE seq = 2";
        desk.run_program("sqlite3", &["countersign.db", change]).await;
        let screen = desk.types("log --json --proof").await;
        assert_eq!((screen.stdout.lines().count(), screen.code), (1, 1));
        assert_snapshot!(screen.stderr, @r#"
        {"code":"log_damaged","detail":"event 2 does not have the hash of its fields"}
        "#);
        assert_snapshot!(desk.types("log --proof").await, @"
        ! countersign: --proof needs --json
        exit 2
        ");
        assert_eq!(desk.types("log --json --proof --follow").await.code, 2);
    })
    .await;
}
