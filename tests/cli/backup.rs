//! `countersign backup`, and the report of a log that a plain copy has emptied.

use crate::desk::with_desk;
use insta::assert_snapshot;

#[tokio::test]
async fn backup_of_log_in_use_is_complete() {
    with_desk(async |desk| {
        let mut run = desk.start("run --id call_1 -- true");
        run.wait_for_stderr("is pending").await;
        assert_snapshot!(desk.types("backup copy.db").await, @"");
        assert_eq!(
            desk.types("show call_1 --database copy.db").await.code,
            0,
            "the copy has the call that waits"
        );
        assert_snapshot!(desk.types("backup copy.db").await, @"");
        assert_snapshot!(desk.types("backup no/copy.db").await, @"");
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

#[tokio::test]
async fn backup_of_other_logs_is_refused() {
    with_desk(async |desk| {
        assert_snapshot!(desk.types("backup copy.db --database postgres://ada@127.0.0.1:1/log").await, @"");
        assert_snapshot!(desk.types("backup copy.db --server http://127.0.0.1:1").await, @"");
        assert_snapshot!(desk.types("backup copy.db --database none.db").await, @"");
        assert_eq!(desk.run_program("ls", &["-A"]).await, "countersign.db\n", "no file is created");
    })
    .await;
}

#[tokio::test]
async fn log_without_events_is_reported() {
    with_desk(async |desk| {
        assert_snapshot!(desk.types("verify").await, @"");
        assert_eq!(desk.types("migrate").await.code, 0);
        for command in ["calls", "stats", "verify"] {
            let output = desk.types(command).await;
            assert!(output.stdout.contains("This log has no events: [here]/countersign.db\nIf it should have some: a copy of a file in use lacks the events of its -wal file"), "{output}");
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
