//! `countersign verify`

use crate::desk::{TerminalDesk, at_a_desk};
use insta::assert_snapshot;

/// A log of one call that was allowed and ran, and one that waits.
async fn some_history(desk: &TerminalDesk) {
    desk.proposes("t1", "call_1", "bash", r#"{"command":"ls"}"#).await;
    desk.types("allow call_1 --session --as user:ada").await;
    desk.types("run --thread t1 -- true").await;
    desk.proposes("t2", "call_3", "bash", r#"{"command":"ls"}"#).await;
}

async fn tampers(desk: &TerminalDesk, statement: &str) {
    let triggers = "DROP TRIGGER rows_are_never_changed; DROP TRIGGER rows_are_never_deleted;";
    desk.runs("sqlite3", &["countersign.db", &format!("{triggers} {statement}")]).await;
}

#[tokio::test]
async fn a_log_that_holds_is_said_to_hold() {
    at_a_desk(async |desk| {
        some_history(desk).await;
        assert_snapshot!(desk.types("verify").await, @"
        9 events, and the hash chain is intact.
        tip [sha256]
        exit 0
        ");
        assert_snapshot!(desk.types("verify --repair").await, @"
        9 events, and the hash chain is intact.
        tip [sha256]
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn a_row_that_was_changed_is_named() {
    at_a_desk(async |desk| {
        some_history(desk).await;
        tampers(desk, "UPDATE events SET principal = 'user:eve' WHERE seq = 3").await;
        assert_snapshot!(desk.types("verify").await, @"
        The hash chain is intact for 2 events and then breaks.
        event 3: the stored hash is [sha256], but the row and the previous link give [sha256]: a row was changed
        exit 1
        ");
        assert_snapshot!(desk.types("verify --json").await, @r#"
        {"broken":"event 3: the stored hash is [sha256], but the row and the previous link give [sha256]: a row was changed","chainHolds":false,"events":2,"holds":false,"indexHolds":true,"repaired":false,"tip":"[sha256]","unsealed":0,"wrongHashes":[]}
        exit 1
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_row_that_was_taken_out_is_named() {
    at_a_desk(async |desk| {
        some_history(desk).await;
        tampers(desk, "DELETE FROM events WHERE seq = 4").await;
        assert_snapshot!(desk.types("verify").await, @"
        The hash chain is intact for 3 events and then breaks.
        event 4 is missing: the next event in the log is 5
        exit 1
        ");
    })
    .await;
}

#[tokio::test]
async fn rows_that_were_inserted_by_hand_are_counted_until_they_are_sealed() {
    at_a_desk(async |desk| {
        some_history(desk).await;
        let by_hand = "INSERT INTO decisions VALUES ('t2', 'call_3', 'deny', 'user:ada', 'by hand')";
        desk.runs("sqlite3", &["countersign.db", by_hand]).await;
        assert_snapshot!(desk.types("verify").await, @"
        11 events, and the hash chain is intact.
        tip [sha256]
        The last 2 events were inserted with SQL and have no hash yet. The next event that Countersign writes seals them.
        exit 0
        ");
        desk.proposes("t2", "call_4", "bash", "{}").await;
        assert_snapshot!(desk.types("verify").await, @"
        13 events, and the hash chain is intact.
        tip [sha256]
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn an_index_that_lost_its_rows_is_repaired() {
    at_a_desk(async |desk| {
        some_history(desk).await;
        desk.runs("sqlite3", &["countersign.db", "DELETE FROM open_requests"]).await;
        assert_snapshot!(desk.types("verify").await, @"
        9 events, and the hash chain is intact.
        tip [sha256]
        The index of open requests does not match the events. Run: countersign verify --repair
        exit 1
        ");
        let found = desk.types("verify --json").await.stdout;
        for part in
            [r#""holds":false"#, r#""chainHolds":true"#, r#""indexHolds":false"#, r#""repaired":false"#]
        {
            assert!(found.contains(part), "{part}: {found}");
        }
        assert_eq!(desk.types("pending").await.stdout, "No call is pending.\n");
        assert_snapshot!(desk.types("verify --repair").await, @"
        The index of open requests was wrong and has been rebuilt from the events.
        9 events, and the hash chain is intact.
        tip [sha256]
        exit 0
        ");
        assert!(desk.types("pending").await.stdout.starts_with("call_3"));
    })
    .await;
}

#[tokio::test]
async fn forged_row_is_listed_with_its_reason() {
    at_a_desk(async |desk| {
        some_history(desk).await;
        // The last row loses its hash, so that the chain still holds, and names another decider.
        desk.types("deny call_3 --as user:ada").await;
        let forged = "UPDATE events SET hash = NULL, principal = 'agent:bot' WHERE seq >= 10";
        tampers(desk, forged).await;
        assert_snapshot!(desk.types("verify").await, @"
        11 events, and the chain holds.
        tip [sha256]
        The last 2 were inserted with SQL; the next event that Countersign writes seals them.
        The rules would not have written 2 events:
        event 10: agent:bot is no person, and only people decide
        event 11: a row without a hash must be a decision
        exit 1
        ");
        let found = desk.types("verify --json").await.stdout;
        let named = r#"{"reason":"agent:bot is no person, and only people decide","seq":10}"#;
        for part in [r#""holds":false"#, r#""chainHolds":true"#, r#""inadmissibleCount":2"#, named] {
            assert!(found.contains(part), "{part}: {found}");
        }
    })
    .await;
}
