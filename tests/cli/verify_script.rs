//! `docs/verify_log.py`: checking a log without any Countersign code.

use crate::desk::{DeskScreen, TerminalDesk, with_desk};
use countersign_events::Sha256;
use countersign_tests::{in_private_mounts, messages};
use insta::assert_snapshot;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/verify_log.py");

/// Writes a log of 14 events with the program, and its copy `whole.db`. Events 11 and 12 are a denial made with SQL.
async fn write_history(desk: &TerminalDesk) {
    desk.propose_here("t1", "call_1", "bash", r#"{"command":"echo 'é😀\\u0001\u007f'"}"#).await;
    desk.types("allow call_1 --session tool --any-agent --as user:ada").await;
    desk.propose("t2", "call_2", "bash", r#"{"command":"ls"}"#).await;
    desk.types("run --thread t1 -- true").await;
    desk.run_program("sqlite3", &["countersign.db", &deny("t2", "call_2")]).await;
    desk.propose("t2", "call_3", "bash", "{}").await;
    desk.types("backup whole.db").await;
}

fn deny(thread: &str, call: &str) -> String {
    format!("INSERT INTO decisions VALUES ('{thread}', '{call}', 'deny', 'user:ada', 'by hand')")
}

/// Runs the script on a log.
async fn check(desk: &TerminalDesk, log: &str, tips: &[&str]) -> DeskScreen {
    desk.try_program("python3", &[&[SCRIPT, log], tips].concat()).await
}

/// Checks a copy of the log after its owner has removed the triggers and run these statements.
async fn attack(desk: &TerminalDesk, statements: &str, tips: &[&str]) -> DeskScreen {
    desk.run_program("cp", &["whole.db", "attacked.db"]).await;
    let triggers = "SELECT 'DROP TRIGGER ' || name || ';' FROM sqlite_schema WHERE type = 'trigger'";
    let drops = desk.run_program("sqlite3", &["attacked.db", triggers]).await;
    desk.run_program("sqlite3", &["attacked.db", &format!("{drops} {statements}")]).await;
    check(desk, "attacked.db", tips).await
}

/// The log tip, as `verify` prints it, and the link of one of its events.
async fn note_tip(desk: &TerminalDesk) -> String {
    let found = desk.run_program(crate::desk::COUNTERSIGN, &["verify", "--json"]).await;
    let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
    found["checkpoint"].as_str().expect("a checkpoint").to_owned()
}

#[tokio::test]
async fn script_confirms_a_log_and_its_tips() {
    with_desk(async |desk| {
        write_history(desk).await;
        let tip = note_tip(desk).await;
        assert_snapshot!(check(desk, "countersign.db", &[&tip]).await, @"
        14 events, and the hash chain is intact.
        tip 14:[sha256]
        exit 0
        ");
        let printed = desk.run_program("python3", &[SCRIPT, "countersign.db"]).await;
        assert!(printed.ends_with(&format!("tip {tip}\n")), "{printed} is not the tip {tip}");
        desk.run_program("sqlite3", &["countersign.db", &deny("t2", "call_3")]).await;
        assert_snapshot!(check(desk, "countersign.db", &[&tip]).await, @"
        16 events, and the hash chain is intact.
        tip 16:[sha256]
        The last 2 events have no hash yet. The next event that Countersign writes seals them.
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn script_names_the_first_changed_event() {
    with_desk(async |desk| {
        write_history(desk).await;
        let change = "UPDATE events SET data = replace(data, 'ls', 'lt') WHERE seq = 5";
        assert_snapshot!(attack(desk, change, &[]).await, @"
        The log does not hold: event 5: its hash is [sha256], but its row and the link before give [sha256]: it was changed, inserted or moved, or the hash before was replaced
        exit 1
        ");
        let change_of_unsealed = "UPDATE events SET principal = 'user:eve' WHERE type = 'TOOL_RESULT' AND hash IS NULL";
        assert_snapshot!(attack(desk, change_of_unsealed, &[]).await, @"
        The log does not hold: event 13: its hash is [sha256], but its row and the link before give [sha256]: one of the events 11 to 13 was changed, inserted or moved, or the hash before was replaced
        exit 1
        ");
        let removed_hash = "UPDATE events SET hash = NULL, principal = 'agent:eve' WHERE seq = 5";
        assert_snapshot!(attack(desk, removed_hash, &[]).await, @"
        The log does not hold: event 5 has no hash, and is not a decision: it was inserted, or its hash removed
        exit 1
        ");
    })
    .await;
}

#[tokio::test]
async fn script_names_deleted_and_moved_events() {
    with_desk(async |desk| {
        write_history(desk).await;
        assert_snapshot!(attack(desk, "DELETE FROM events WHERE seq = 4", &[]).await, @"
        The log does not hold: event 4 is missing: the next event in the log is 5
        exit 1
        ");
        let renumbered = "DELETE FROM events WHERE seq = 4; \
            UPDATE events SET seq = seq + 1000 WHERE seq > 4; UPDATE events SET seq = seq - 1001 WHERE seq > 4";
        assert_snapshot!(attack(desk, renumbered, &[]).await, @"
        The log does not hold: event 4: its hash is [sha256], but its row and the link before give [sha256]: it was changed, inserted or moved, or the hash before was replaced
        exit 1
        ");
        let swapped = "UPDATE events SET seq = 1000 WHERE seq = 5; UPDATE events SET seq = 5 WHERE seq = 6; \
            UPDATE events SET seq = 6 WHERE seq = 1000";
        assert_snapshot!(attack(desk, swapped, &[]).await, @"
        The log does not hold: event 5: its hash is [sha256], but its row and the link before give [sha256]: it was changed, inserted or moved, or the hash before was replaced
        exit 1
        ");
    })
    .await;
}

#[tokio::test]
async fn script_names_an_inserted_event() {
    with_desk(async |desk| {
        write_history(desk).await;
        let room = "UPDATE events SET seq = seq + 1000 WHERE seq > 4; UPDATE events SET seq = seq - 999 WHERE seq > 4;";
        let without_hash = "INSERT INTO events (seq, thread_id, type, principal, data) \
            VALUES (5, 't1', 'USER_MESSAGE', 'user:ada', '{}')";
        assert_snapshot!(attack(desk, &format!("{room} {without_hash}"), &[]).await, @"
        The log does not hold: event 5 has no hash, and is not a decision: it was inserted, or its hash removed
        exit 1
        ");
        let result = without_hash.replace("USER_MESSAGE", "TOOL_RESULT");
        assert_snapshot!(attack(desk, &format!("{room} {result}"), &[]).await, @"
        The log does not hold: event 6: its hash is [sha256], but its row and the link before give [sha256]: one of the events 5 to 6 was changed, inserted or moved, or the hash before was replaced
        exit 1
        ");
        // A valid hash of its own moves the break to the event behind it.
        let hash = desk.run_program("sqlite3", &["whole.db", "SELECT hash FROM events WHERE seq = 4"]).await;
        let mut link = Sha256::from_hex(hash.trim()).expect("a hash");
        let sealed = messages(4, &mut link, 1);
        assert_snapshot!(attack(desk, &format!("{room} {sealed}"), &[]).await, @"
        The log does not hold: event 6: its hash is [sha256], but its row and the link before give [sha256]: it was changed, inserted or moved, or the hash before was replaced
        exit 1
        ");
    })
    .await;
}

#[tokio::test]
async fn script_names_the_first_removed_event() {
    with_desk(async |desk| {
        write_history(desk).await;
        let tip = note_tip(desk).await;
        let truncation = "DELETE FROM events WHERE seq > 11";
        assert_eq!(attack(desk, truncation, &[]).await.code, 0, "without a noted tip, the end proves nothing");
        assert_snapshot!(attack(desk, truncation, &[&tip]).await, @"
        The log does not hold: event 12 is missing, but event 14 was noted: the end of the log was removed
        exit 1
        ");
        // A log that was written again has other links.
        desk.write_file("countersign.db", "");
        desk.propose("t1", "call_1", "bash", "{}").await;
        let hash = tip.split_once(':').expect("SEQ:HASH").1;
        assert_snapshot!(check(desk, "countersign.db", &[&format!("2:{hash}")]).await, @"
        The log does not hold: event 2: its link is [sha256], but [sha256] was noted: the log was replaced, or changed at or before this event
        exit 1
        ");
    })
    .await;
}

#[tokio::test]
async fn script_without_readable_log_exits_with_two() {
    with_desk(async |desk| {
        assert_snapshot!(check(desk, "missing.db", &[]).await, @"
        ! missing.db cannot be read to its end: unable to open database file
        exit 2
        ");
        desk.write_file("text", "no database, but long enough to be read as one");
        assert_snapshot!(check(desk, "text", &[]).await, @"
        ! text cannot be read to its end: file is not a database
        exit 2
        ");
        let screen = check(desk, "countersign.db", &["7"]).await;
        assert!(screen.code == 2 && screen.stderr.contains("SEQ:HASH"), "{screen}");
    })
    .await;
}

#[tokio::test]
async fn script_reads_a_read_only_log() {
    with_desk(async |desk| {
        write_history(desk).await;
        desk.run_program("mkdir", &["archive"]).await;
        desk.run_program("mv", &["whole.db", "archive/log?#%20.db"]).await;
        let script = r#"mount --bind "$0" "$0"; mount -o remount,bind,ro "$0"; cd "$0"
            python3 "$1" "log?#%20.db" | head -n 1; ls -A"#;
        let output = in_private_mounts(script, &desk.path("archive"), SCRIPT).await;
        let expected = "14 events, and the hash chain is intact.\nlog?#%20.db";
        assert_eq!((output.text.as_str(), output.well), (expected, true));
    })
    .await;
}

#[tokio::test]
async fn script_confirms_an_erased_log() {
    with_desk(async |desk| {
        write_history(desk).await;
        let tip = note_tip(desk).await;
        desk.types("erase t2 call_2 --reason 'request 17' --as user:zoe").await;
        desk.run_program("rm", &["whole.db"]).await;
        desk.types("backup whole.db").await;
        assert_snapshot!(check(desk, "countersign.db", &[&tip]).await, @"
        15 events, and the hash chain is intact.
        tip 15:[sha256]
        exit 0
        ");
        let change = "UPDATE events SET data = replace(data, '\"deny\"', '\"allow_once\"') WHERE seq = 11";
        assert_snapshot!(attack(desk, change, &[]).await, @"
        The log does not hold: event 13: its hash is [sha256], but its row and the link before give [sha256]: one of the events 11 to 13 was changed, inserted or moved, or the hash before was replaced
        exit 1
        ");
        let hidden = "DELETE FROM events WHERE type = 'CALL_ERASED'";
        assert_snapshot!(attack(desk, hidden, &[]).await, @"
        The log does not hold: event 5: its content is erased, and no later event says so
        exit 1
        ");
        let restored = "UPDATE events SET data = '{\"id\":\"call_2\",\"name\":\"bash\",\"arguments\":{}}' WHERE seq = 5";
        assert_snapshot!(attack(desk, restored, &[]).await, @"
        The log does not hold: event 5: its hash is [sha256], but its row and the link before give [sha256]: it was changed, inserted or moved, or the hash before was replaced
        exit 1
        ");
    })
    .await;
}

#[tokio::test]
async fn script_refuses_a_member_that_was_inserted_twice() {
    with_desk(async |desk| {
        write_history(desk).await;
        // The link covers the real arguments hash, and SQLite's `->>` shows the first member with that name.
        for name in ["arguments", "\\u0061rguments", "name"] {
            let second = format!(
                "UPDATE events SET data = '{{\"{name}\":{{\"command\":\"id\"}},' || substr(data, 2) WHERE seq = 5"
            );
            let screen = attack(desk, &second, &[]).await;
            assert_eq!(screen.code, 1, "{name}: {screen}");
            assert!(screen.stdout.contains("event 5: its data has a member twice"), "{name}: {screen}");
            let verify = desk.types("verify --database attacked.db").await;
            assert_eq!(verify.code, 1, "{name}: {verify}");
        }
    })
    .await;
}

#[test]
fn script_has_less_than_100_lines() {
    let lines = std::fs::read_to_string(SCRIPT).expect("the script exists").lines().count();
    assert!(lines < 100, "{lines} lines");
}
