//! `countersign verify`

use crate::desk::{COUNTERSIGN, TerminalDesk, with_desk};
use insta::assert_snapshot;

/// Writes a log with one allowed and finished call, and one pending call.
async fn write_history(desk: &TerminalDesk) {
    desk.propose_here("t1", "call_1", "bash", r#"{"command":"ls"}"#).await;
    desk.types("allow call_1 --session tool --any-agent --as user:ada").await;
    desk.types("run --thread t1 -- true").await;
    desk.propose("t2", "call_3", "bash", r#"{"command":"ls"}"#).await;
}

async fn run_sql_without_guards(desk: &TerminalDesk, statement: &str) {
    let triggers = "DROP TRIGGER rows_are_never_changed; DROP TRIGGER rows_are_never_deleted;";
    desk.run_program("sqlite3", &["countersign.db", &format!("{triggers} {statement}")]).await;
}

#[tokio::test]
async fn intact_log_is_confirmed() {
    with_desk(async |desk| {
        write_history(desk).await;
        assert_snapshot!(desk.types("verify").await, @"
        10 events, and the hash chain is intact.
        tip 10:[sha256]
        exit 0
        ");
        assert_snapshot!(desk.types("verify --repair").await, @"
        10 events, and the hash chain is intact.
        tip 10:[sha256]
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn changed_row_is_reported() {
    with_desk(async |desk| {
        write_history(desk).await;
        run_sql_without_guards(desk, "UPDATE events SET principal = 'user:eve' WHERE seq = 3").await;
        assert_snapshot!(desk.types("verify").await, @"
        The schema is not the one that Countersign makes. `countersign copy` copies the events into a new one:
          the trigger rows_are_never_changed is missing
          the trigger rows_are_never_deleted is missing
        The hash chain is intact for 2 events and then breaks.
        event 3: the stored hash is [sha256], but the row and the previous link give [sha256]: a row was changed
        exit 1
        ");
        assert_snapshot!(desk.types("verify --json").await, @r#"
        {"archives":[],"broken":"event 3: the stored hash is [sha256], but the row and the previous link give [sha256]: a row was changed","chainHolds":false,"checkpoint":null,"empty":false,"events":2,"holds":false,"inadmissible":[],"inadmissibleCount":0,"indexHolds":true,"integrity":{"problems":[],"skipped":null},"judgedOtherwise":0,"mismatches":0,"newerEvents":0,"proofs":{"proved":0,"unknownOrigin":0,"unproved":0},"repaired":false,"schema":{"notes":[],"problems":["the trigger rows_are_never_changed is missing","the trigger rows_are_never_deleted is missing"]},"tip":"[sha256]","unjudged":0,"unsealed":0}
        exit 1
        "#);
    })
    .await;
}

#[tokio::test]
async fn deleted_row_is_reported() {
    with_desk(async |desk| {
        write_history(desk).await;
        run_sql_without_guards(desk, "DELETE FROM events WHERE seq = 4").await;
        assert_snapshot!(desk.types("verify").await, @"
        The schema is not the one that Countersign makes. `countersign copy` copies the events into a new one:
          the trigger rows_are_never_changed is missing
          the trigger rows_are_never_deleted is missing
        The hash chain is intact for 3 events and then breaks.
        event 4 is missing: the next event in the log is 5
        The index of open requests does not match the events. Run: countersign verify --repair
        exit 1
        ");
    })
    .await;
}

#[tokio::test]
async fn unsealed_rows_are_counted_until_sealed() {
    with_desk(async |desk| {
        write_history(desk).await;
        let direct_insert = "INSERT INTO decisions VALUES ('t2', 'call_3', 'deny', 'user:ada', 'by hand')";
        desk.run_program("sqlite3", &["countersign.db", direct_insert]).await;
        assert_snapshot!(desk.types("verify").await, @"
        12 events, and the hash chain is intact.
        tip 12:[sha256]
        The last 2 events were inserted with SQL and have no hash yet. The next event that Countersign writes seals them.
        exit 0
        ");
        desk.propose("t2", "call_4", "bash", "{}").await;
        assert_snapshot!(desk.types("verify").await, @"
        14 events, and the hash chain is intact.
        tip 14:[sha256]
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn index_with_missing_rows_is_repaired() {
    with_desk(async |desk| {
        write_history(desk).await;
        desk.run_program("sqlite3", &["countersign.db", "DELETE FROM open_requests"]).await;
        assert_snapshot!(desk.types("verify").await, @"
        10 events, and the hash chain is intact.
        tip 10:[sha256]
        The index of open requests does not match the events. Run: countersign verify --repair
        exit 1
        ");
        let found = desk.types("verify --json").await.stdout;
        for part in
            [r#""holds":false"#, r#""chainHolds":true"#, r#""indexHolds":false"#, r#""repaired":false"#]
        {
            assert!(found.contains(part), "{part}: {found}");
        }
        assert_eq!(desk.types("pending").await.stdout, "No call is pending in [here]/countersign.db.\n");
        assert_snapshot!(desk.types("verify --repair").await, @"
        The index of open requests was wrong and has been rebuilt from the events.
        10 events, and the hash chain is intact.
        tip 10:[sha256]
        exit 0
        ");
        assert!(desk.types("pending").await.stdout.starts_with("call_3"));
    })
    .await;
}

#[tokio::test]
async fn forged_row_is_listed_with_its_reason() {
    with_desk(async |desk| {
        write_history(desk).await;
        // The last row gets another decider. It also loses its hash, so that the hash chain stays valid.
        desk.types("deny call_3 --as user:ada").await;
        let forged = "UPDATE events SET hash = NULL, principal = 'agent:bot' WHERE seq >= 11";
        run_sql_without_guards(desk, forged).await;
        assert_snapshot!(desk.types("verify").await, @"
        The schema is not the one that Countersign makes. `countersign copy` copies the events into a new one:
          the trigger rows_are_never_changed is missing
          the trigger rows_are_never_deleted is missing
        12 events, and the hash chain is intact.
        tip 12:[sha256]
        The last 2 events were inserted with SQL and have no hash yet. The next event that Countersign writes seals them.
        The rules would not have written 2 events:
        event 11: agent:bot is not a person, and only people decide
        event 12: a row without a hash must be a decision
        exit 1
        ");
        let found = desk.types("verify --json").await.stdout;
        let named = r#"{"reason":"agent:bot is not a person, and only people decide","seq":11}"#;
        for part in [r#""holds":false"#, r#""chainHolds":true"#, r#""inadmissibleCount":2"#, named] {
            assert!(found.contains(part), "{part}: {found}");
        }
    })
    .await;
}

#[tokio::test]
async fn dropped_trigger_and_unique_index_are_reported() {
    with_desk(async |desk| {
        write_history(desk).await;
        let guards = "DROP TRIGGER rows_are_never_deleted; DROP INDEX events_by_call; \
            CREATE INDEX mine ON events (principal);";
        desk.run_program("sqlite3", &["countersign.db", guards]).await;
        assert_snapshot!(desk.types("verify").await, @"
        The schema is not the one that Countersign makes. `countersign copy` copies the events into a new one:
          the index events_by_call is missing
          the trigger rows_are_never_deleted is missing
        Note: the index mine was added by another program, and is not checked.
        10 events, and the hash chain is intact.
        tip 10:[sha256]
        exit 1
        ");
        let found = desk.types("verify --json").await;
        assert!(found.stdout.contains(r#""holds":false"#) && found.code == 1, "{found}");
        let output = desk.types("doctor").await;
        let expected = "fail  schema       the index events_by_call is missing; \
            the trigger rows_are_never_deleted is missing";
        assert!(output.stdout.contains(expected) && output.code == 1, "{output}");
    })
    .await;
}

#[tokio::test]
async fn damaged_index_page_fails_verification() {
    with_desk(async |desk| {
        write_history(desk).await;
        let query = "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema \
            WHERE name = 'requests_by_call'";
        let found = desk.run_program("sqlite3", &["countersign.db", query]).await;
        let numbers: Vec<usize> = found.trim().split('|').map(|n| n.parse().expect("a number")).collect();
        let path = desk.path("countersign.db");
        let mut bytes = std::fs::read(&path).expect("reads");
        let end = numbers[0] * numbers[1];
        bytes[end - 64..end].fill(0xa5);
        std::fs::write(&path, bytes).expect("writes");
        let output = desk.types("verify").await;
        assert!(output.code != 0, "{output}");
        let output = desk.types("doctor").await;
        assert!(output.stdout.contains("fail  integrity"), "{output}");
    })
    .await;
}

#[tokio::test]
async fn noted_tip_is_compared_with_the_log() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        let found = desk.run_program(COUNTERSIGN, &["verify", "--json"]).await;
        let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
        let tip = found["checkpoint"].as_str().expect("a checkpoint").to_owned();
        desk.write_file("tips", &format!("2026-01-31 0:{}\n2026-02-01 tip {tip}\n\n", "0".repeat(64)));
        desk.types("deny call_1 --as user:ada").await;
        assert_snapshot!(desk.types("verify --from tips").await, @"
        The log contains the checkpoint 3:[sha256].
        2 events follow it, and their hash chain is intact.
        tip 5:[sha256]
        Not checked: the content of the events before the checkpoint, the rules, the index of open requests, and the integrity of the database. `countersign verify` checks them.
        exit 0
        ");
        assert_eq!(desk.types(&format!("verify --from {tip}")).await.code, 0);
        let other = tip.replace(|c: char| c.is_ascii_hexdigit() && c.is_alphabetic(), "0");
        assert_snapshot!(desk.types(&format!("verify --from {other}")).await, @"
        The log does not contain the checkpoint 3:[sha256].
        event 3 has the hash [sha256]: the log was replaced, or changed at or before this event
        exit 1
        ");
        assert_snapshot!(desk.types(&format!("verify --from 99{tip}")).await, @"
        The log does not contain the checkpoint 993:[sha256].
        the log ends at event 5, before the checkpoint: it was replaced, or its end was removed
        exit 1
        ");
        desk.write_file("tips", "tip 9:abc\n");
        assert_snapshot!(desk.types("verify --from tips").await, @"
        ! countersign: --from tips: the last line of the file does not end with a checkpoint; a checkpoint is SEQ:HASH, the number of an event and 64 hexadecimal digits, as `verify` prints it after `tip`
        exit 2
        ");
        assert_snapshot!(desk.types("verify --from 7").await, @"
        ! countersign: --from 7: it is neither a file nor a checkpoint; a checkpoint is SEQ:HASH, the number of an event and 64 hexadecimal digits, as `verify` prints it after `tip`
        exit 2
        ");
    })
    .await;
}
