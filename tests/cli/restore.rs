//! `countersign restore`.

use crate::desk::{COUNTERSIGN, TerminalDesk, with_desk};
use insta::assert_snapshot;

/// A log, its backup `copy.db`, and later events of the log.
async fn write_history(desk: &TerminalDesk) {
    desk.propose("t1", "call_1", "bash", "{}").await;
    assert_eq!(desk.types("backup copy.db").await.code, 0);
    desk.types("deny call_1 --as user:ada").await;
}

/// A log's tip, as SEQ:HASH.
async fn tip_of(desk: &TerminalDesk, log: &str) -> String {
    let found = desk.run_program(COUNTERSIGN, &["verify", "--json", "--database", log]).await;
    let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
    found["checkpoint"].as_str().expect("a checkpoint").to_owned()
}

#[tokio::test]
async fn backup_takes_the_place_of_the_log() {
    with_desk(async |desk| {
        write_history(desk).await;
        let before = tip_of(desk, "countersign.db").await;
        assert_snapshot!(desk.types("restore copy.db").await, @"
        ! countersign: there is a log at [here]/countersign.db; nothing was changed, use --replace to put the backup in its place
        exit 3
        ");
        assert_eq!(tip_of(desk, "countersign.db").await, before, "nothing was changed");
        assert_snapshot!(desk.types("restore copy.db --replace").await, @"
        Restored 3 events of [here]/copy.db to [here]/countersign.db. The hash chain is intact.
        tip 3:[sha256]
        The log that was there had 2 later events. It is kept as [here]/countersign.db.replaced.
        Calls that were claimed after the backup may have run: look for them before executors start.
        exit 0
        ");
        assert_eq!(tip_of(desk, "countersign.db").await, tip_of(desk, "copy.db").await);
        assert_eq!(tip_of(desk, "countersign.db.replaced").await, before, "the old log is kept");
        desk.propose("t1", "call_2", "bash", "{}").await;
        assert_eq!(desk.types("verify").await.code, 0, "the restored log accepts events");
        assert_snapshot!(desk.types("restore copy.db --replace").await, @"
        ! countersign: [here]/countersign.db.replaced is in the way; nothing was changed, move it to another folder
        exit 3
        ");
        let files = desk.run_program("ls", &["-l"]).await;
        assert!(!files.contains("partial"), "{files}");
        let mode = files.lines().find(|line| line.ends_with(" countersign.db")).expect("it is there");
        assert!(mode.starts_with("-rw-------"), "{files}");
    })
    .await;
}

#[tokio::test]
async fn log_in_use_is_not_replaced() {
    with_desk(async |desk| {
        write_history(desk).await;
        let mut server = desk.start("--json serve --listen 127.0.0.1:0");
        server.wait_for_stdout("listening").await;
        let before = tip_of(desk, "countersign.db").await;
        assert_snapshot!(desk.types("restore copy.db --replace").await, @"
        ! countersign: [here]/countersign.db is open in another process; nothing was changed, stop every process that uses it
        exit 3
        ");
        assert_eq!(tip_of(desk, "countersign.db").await, before, "nothing was changed");
        server.send_signal("TERM").await;
        assert_eq!(server.wait_for_exit().await.code, 0);
        assert_eq!(desk.types("restore copy.db --replace").await.code, 0);
    })
    .await;
}

#[tokio::test]
async fn backup_before_a_checkpoint_needs_consent() {
    with_desk(async |desk| {
        write_history(desk).await;
        let noted = tip_of(desk, "countersign.db").await;
        let old = tip_of(desk, "copy.db").await;
        assert_snapshot!(desk.types(&format!("restore copy.db --replace --checkpoint {noted}")).await, @"
        ! countersign: the backup [here]/copy.db ends at event 3, and the checkpoint is event 5: the events between them would be lost; nothing was changed, restore a later backup or use --accept-loss
        exit 3
        ");
        let foreign = old.replace(|c: char| c.is_ascii_hexdigit() && c.is_alphabetic(), "0");
        assert_snapshot!(desk.types(&format!("restore copy.db --replace --checkpoint {foreign}")).await, @"
        ! countersign: the backup [here]/copy.db is not restored: event 3 has the hash [sha256]: the log was replaced, or changed at or before this event; nothing was changed
        exit 1
        ");
        let accepted = format!("restore copy.db --replace --checkpoint {noted} --accept-loss");
        assert_snapshot!(desk.types(&accepted).await, @"
        Restored 3 events of [here]/copy.db to [here]/countersign.db. The hash chain is intact.
        tip 3:[sha256]
        The 2 events up to the checkpoint are lost.
        The log that was there had 2 later events. It is kept as [here]/countersign.db.replaced.
        Calls that were claimed after the backup may have run: look for them before executors start.
        exit 0
        ");
        assert_eq!(tip_of(desk, "countersign.db").await, old);
    })
    .await;
}

#[tokio::test]
async fn damaged_backup_is_not_restored() {
    with_desk(async |desk| {
        write_history(desk).await;
        let before = tip_of(desk, "countersign.db").await;
        let change =
            "DROP TRIGGER rows_are_never_changed; UPDATE events SET principal = 'user:eve' WHERE seq = 2";
        desk.run_program("sqlite3", &["copy.db", change]).await;
        assert_snapshot!(desk.types("restore copy.db --replace").await, @"
        ! countersign: the backup [here]/copy.db is not restored: event 2: the stored hash is [sha256], but the row and the previous link give [sha256]: a row was changed; nothing was changed
        exit 1
        ");
        desk.write_file("text", "no database, but long enough to be read as one");
        assert_snapshot!(desk.types("restore text --replace").await, @"
        ! countersign: [here]/text is not a Countersign database (it is not a SQLite database); nothing was changed, name another file
        exit 5
        ");
        assert_snapshot!(desk.types("restore missing.db --replace").await, @"
        ! countersign: the backup missing.db is not restored: there is no such file; nothing was changed
        exit 1
        ");
        assert_eq!(tip_of(desk, "countersign.db").await, before, "nothing was changed");
        let files = desk.run_program("ls", &["-A"]).await;
        assert!(!files.contains("partial") && !files.contains("replaced"), "{files}");
    })
    .await;
}

/// A log that SQLite cannot read is what a backup is for.
#[tokio::test]
async fn damaged_log_is_replaced() {
    with_desk(async |desk| {
        write_history(desk).await;
        desk.write_file("countersign.db", "this was a log");
        assert_snapshot!(desk.types("restore copy.db --replace").await, @"
        Restored 3 events of [here]/copy.db to [here]/countersign.db. The hash chain is intact.
        tip 3:[sha256]
        The log that was there could not be compared. It is kept as [here]/countersign.db.replaced.
        Calls that were claimed after the backup may have run: look for them before executors start.
        exit 0
        ");
        assert_eq!(desk.types("verify").await.code, 0);
    })
    .await;
}

/// The write-ahead log of a removed file would be written into the new one.
#[tokio::test]
async fn left_over_write_ahead_log_is_refused() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_eq!(desk.types("backup copy.db").await.code, 0);
        desk.run_program("rm", &["countersign.db"]).await;
        desk.write_file("countersign.db-wal", "pages");
        assert_snapshot!(desk.types("restore copy.db --database countersign.db").await, @"
        ! countersign: [here]/countersign.db-wal is in the way; nothing was changed, move it to another folder
        exit 3
        ");
        desk.run_program("rm", &["countersign.db-wal"]).await;
        assert_snapshot!(desk.types("restore copy.db --database countersign.db").await, @"
        Restored 3 events of [here]/copy.db to [here]/countersign.db. The hash chain is intact.
        tip 3:[sha256]
        Calls that were claimed after the backup may have run: look for them before executors start.
        exit 0
        ");
        assert_eq!(desk.types("show call_1").await.code, 0);
    })
    .await;
}

#[tokio::test]
async fn restore_of_other_logs_is_refused() {
    with_desk(async |desk| {
        assert_snapshot!(desk.types("restore copy.db --database postgres://ada@127.0.0.1:1/log").await, @"
        ! countersign: restore works on an SQLite file, and this log is on PostgreSQL; use pg_restore into an empty database, or `countersign copy --from BACKUP --to ADDRESS`
        exit 2
        ");
        assert_snapshot!(desk.types("restore copy.db --server http://127.0.0.1:1").await, @"
        ! countersign: restore works on a file: use --database instead of --server
        exit 2
        ");
    })
    .await;
}
