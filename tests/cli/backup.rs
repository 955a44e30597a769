//! `countersign backup`, and the report about a log that a plain copy has emptied.

use crate::desk::with_desk;
use insta::assert_snapshot;

#[tokio::test]
async fn backup_of_log_in_use_is_complete() {
    with_desk(async |desk| {
        let mut run = desk.start("run --id call_1 -- true");
        run.wait_for_stderr("is pending").await;
        assert_snapshot!(desk.types("backup copy.db").await, @"
        Backed up 3 events of [here]/countersign.db to [here]/copy.db.
        The hash chain is intact. Keep this tip in another place:
        tip 3:[sha256]
        exit 0
        ");
        assert_eq!(
            desk.types("show call_1 --database copy.db").await.code,
            0,
            "the copy has the call that waits"
        );
        assert_snapshot!(desk.types("backup copy.db").await, @"
        ! countersign: [here]/copy.db exists already; nothing was changed, name a new file
        exit 3
        ");
        assert_snapshot!(desk.types("backup no/copy.db").await, @"
        ! countersign: the database [here]/no/copy.db cannot be created: No such file or directory (os error 2)
        exit 5
        ");
        assert_eq!(desk.types("deny call_1").await.code, 0);
        assert_eq!(run.wait_for_exit().await.code, 77);
        let files = desk.run_program("ls", &["-l"]).await;
        assert!(!files.contains("partial"), "{files}");
        assert!(
            files.lines().any(|line| line.starts_with("-rw-------") && line.ends_with(" copy.db")),
            "{files}"
        );
    })
    .await;
}

/// A plain copy of a file is complete only if the last process has moved the write-ahead log into it.
#[tokio::test]
async fn stopped_server_leaves_no_write_ahead_log() {
    with_desk(async |desk| {
        let mut server = desk.start("--json serve --listen 127.0.0.1:0");
        server.wait_for_stdout("listening").await;
        desk.propose("t1", "call_1", "bash", "{}").await;
        server.send_signal("TERM").await;
        assert_eq!(server.wait_for_exit().await.code, 0);
        let files = desk.run_program("ls", &[]).await;
        assert!(!files.contains("-wal"), "{files}");
        desk.run_program("cp", &["countersign.db", "copy.db"]).await;
        assert_eq!(desk.types("show call_1 --database copy.db").await.code, 0);
    })
    .await;
}

#[tokio::test]
async fn backup_of_other_logs_is_refused() {
    with_desk(async |desk| {
        assert_snapshot!(desk.types("backup copy.db --database postgres://ada@127.0.0.1:1/log").await, @"
        ! countersign: backup copies an SQLite file, and this log is on PostgreSQL; use pg_dump, or copy the log into a file with `countersign copy --from ADDRESS --to copy.db`
        exit 2
        ");
        assert_snapshot!(desk.types("backup copy.db --server http://127.0.0.1:1").await, @"
        ! countersign: backup works on a file: use --database instead of --server
        exit 2
        ");
        assert_snapshot!(desk.types("backup copy.db --database none.db").await, @"
        ! countersign: there is no database at none.db; `countersign serve` or `countersign run` creates one, --database names another
        exit 5
        ");
        assert_eq!(desk.run_program("ls", &["-A"]).await, "countersign.db\n", "no file is created");
    })
    .await;
}

#[tokio::test]
async fn log_without_events_is_reported() {
    with_desk(async |desk| {
        assert_snapshot!(desk.types("verify").await, @"
        ! countersign: [here]/countersign.db has no log: the file is empty; if it was copied from a file in use, its events are in the -wal file of the original, so copy it with `countersign backup`
        exit 5
        ");
        assert_eq!(desk.types("migrate").await.code, 0);
        for command in ["calls", "stats", "verify"] {
            let output = desk.types(command).await;
            assert!(output.stdout.contains("This log has no events but policies: [here]/countersign.db\nIf it should have some: a copy of a live file lacks the events of its -wal file"), "{output}");
        }
        assert!(desk.types("verify --json").await.stdout.contains(r#""empty":true"#));
        let doctor = desk.types("doctor").await.stdout;
        assert!(doctor.contains("warn  events       this log has no events"), "{doctor}");
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert!(desk.types("verify --json").await.stdout.contains(r#""empty":false"#));
        let elsewhere = desk.types("calls --thread t2").await.stdout;
        assert_eq!(elsewhere, "No calls found.\n");
    })
    .await;
}
