//! `countersign archive`, and checking an archive with `verify --archive` and `docs/verify_export.py`.

use crate::desk::{COUNTERSIGN, TerminalDesk, with_desk};
use insta::assert_snapshot;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/verify_export.py");
const LOG_SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/verify_log.py");

/// Two closed threads, of which one has a denied call, and an open one.
async fn write_history(desk: &TerminalDesk) {
    desk.propose("t1", "call_1", "bash", r#"{"command":"echo 'é😀'"}"#).await;
    desk.types("deny call_1 --as user:ada --comment no").await;
    desk.types("thread close t1 --as user:ada").await;
    desk.propose("t2", "call_2", "mail", r#"{"to":"zoe@example.org"}"#).await;
    desk.types("thread close t2 --as user:ada").await;
    desk.propose("t3", "call_3", "bash", "{}").await;
}

#[tokio::test]
async fn closed_threads_move_to_a_file() {
    with_desk(async |desk| {
        write_history(desk).await;
        assert_snapshot!(desk.types("archive --before 2000-01-01T00:00:00Z --dry-run").await, @"
        0 threads with 0 events would be archived.
        exit 0
        ");
        assert_snapshot!(desk.types("archive --before 2000-01-01T00:00:00Z old.ndjson --as user:zoe").await, @"
        No closed thread is old enough. No file was made.
        exit 0
        ");
        let plan = desk.types("archive --before 2100-01-01T00:00:00Z --thread t2 --dry-run --json").await.stdout;
        assert!(plan.contains(r#""threadId":"t2""#) && !plan.contains(r#""threadId":"t1""#), "{plan}");
        let archive = "archive --before 2100-01-01T00:00:00Z old.ndjson --as user:zoe";
        assert_snapshot!(desk.types(archive).await, @"
        The content of 2 threads (10 events) is in [here]/old.ndjson. Keep it: the log has only their hashes.
        digest [sha256]
        To give the space back to the system, run `countersign compact` (PostgreSQL: VACUUM FULL events, as the table's owner).
        exit 0
        ");
        assert_snapshot!(desk.types(archive).await, @"
        [here]/old.ndjson was there, so the command continued: the log had the content of 0 of its 2 threads.
        The content of 2 threads (10 events) is in [here]/old.ndjson. Keep it: the log has only their hashes.
        digest [sha256]
        To give the space back to the system, run `countersign compact` (PostgreSQL: VACUUM FULL events, as the table's owner).
        exit 0
        ");
        assert_snapshot!(desk.types("verify --archive old.ndjson").await, @"
        15 events, and the hash chain is intact.
        tip 15:[sha256]
        The archive old.ndjson is intact: 2 threads, 10 events, all of this log.
        digest [sha256]
        exit 0
        ");
        let digest = desk.run_program(COUNTERSIGN, &["verify", "--archive", "old.ndjson"]).await;
        let digest = digest.lines().find_map(|line| line.strip_prefix("digest ")).expect("a digest").to_owned();
        assert_snapshot!(desk.try_program("python3", &[SCRIPT, "old.ndjson", &digest]).await, @"
        10 events, and each has the hash of its line.
        digest [sha256]
        exit 0
        ");
        let other = "0".repeat(64);
        assert_snapshot!(desk.try_program("python3", &[SCRIPT, "old.ndjson", &other]).await, @"
        The archive has the digest [sha256], and another one was noted.
        exit 1
        ");
        assert_eq!(desk.try_program("python3", &[LOG_SCRIPT, "countersign.db"]).await.code, 0);
    })
    .await;
}

#[tokio::test]
async fn archived_call_is_erased_in_its_file() {
    with_desk(async |desk| {
        write_history(desk).await;
        desk.types("archive --before 2100-01-01T00:00:00Z old.ndjson --as user:zoe").await;
        let digest = desk.run_program("tail", &["-n", "1", "old.ndjson"]).await;
        let digest = digest.split("\"digest\":\"").nth(1).and_then(|rest| rest.get(..64)).expect("a digest").to_owned();
        assert_snapshot!(desk.types("show call_2").await, @"
        call_2  mail  cancelled
          thread     t2
          arguments  null
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
          expires    [time]
          decided    deny by user:ada at [time] (cancellation)
          archived   all content is in old.ndjson, by user:zoe at [time]
          outcome    It did not run: ada stopped it.
          ended      cancelled at [time]
          result     null
          policy     event 1, from shipped: countersign policy show --seq 1
        exit 0
        ");
        assert_snapshot!(desk.types("erase t2 call_2 --reason 'request 9' --as user:zoe").await, @"
        ! countersign: the content of this thread was moved to the archive old.ndjson: use it with the file, as in `countersign erase --archive FILE`
        exit 3
        ");
        let erase = "erase t2 call_2 --reason 'request 9' --as user:zoe --archive old.ndjson";
        assert_snapshot!(desk.types(erase).await, @"
        Erased the content of call_2. Its hashes and everything else stay in the log.
        Free parts of the database file may have remains until `countersign compact` (PostgreSQL: VACUUM FULL events, as the table's owner). Earlier backups, copies and exports still have them.
        exit 0
        ");
        assert_eq!(desk.types(erase).await.code, 0, "to repeat it is no error");
        let kept = std::fs::read_to_string(desk.path("old.ndjson")).expect("reads");
        assert!(!kept.contains("zoe@example.org") && kept.contains("echo"), "only one call is erased: {kept}");
        assert_snapshot!(desk.try_program("python3", &[SCRIPT, "old.ndjson", &digest]).await, @"
        10 events, and each has the hash of its line.
        digest [sha256]
        The texts of these events are erased, and no exported event says so: 7, 9, 10
        exit 0
        ");
        assert_eq!(desk.types("verify --archive old.ndjson").await.code, 0);
        let events = desk.types("log --type THREAD_ARCHIVED").await.stdout;
        assert!(events.contains("moves the content of 5 events of the thread to old.ndjson"), "{events}");
    })
    .await;
}

#[tokio::test]
async fn changed_archive_fails_verification() {
    with_desk(async |desk| {
        write_history(desk).await;
        desk.types("archive --before 2100-01-01T00:00:00Z old.ndjson --as user:zoe").await;
        let whole = std::fs::read_to_string(desk.path("old.ndjson")).expect("reads");
        desk.write_file("old.ndjson", &whole.replace("user:ada", "user:eve"));
        assert_snapshot!(desk.types("verify --archive old.ndjson").await, @"
        15 events, and the hash chain is intact.
        tip 15:[sha256]
        The archive old.ndjson does not hold: event 4: its hash is [sha256], but its line gives [sha256]: it was changed
        exit 1
        ");
        assert_snapshot!(desk.try_program("python3", &[SCRIPT, "old.ndjson"]).await, @"
        The export does not hold: event 4: its hash is [sha256], but its line gives [sha256]: it was changed
        exit 1
        ");
        assert_snapshot!(desk.types("verify --archive missing.ndjson").await, @"
        15 events, and the hash chain is intact.
        tip 15:[sha256]
        The archive missing.ndjson does not hold: there is no such file
        exit 1
        ");
        assert_eq!(
            desk.types("archive --before 2100-01-01T00:00:00Z old.ndjson --as user:zoe").await.code,
            1
        );
        desk.write_file("old.ndjson", &whole);
        assert_eq!(desk.types("verify --archive old.ndjson").await.code, 0);
    })
    .await;
}

#[tokio::test]
async fn agents_do_not_archive_or_restore() {
    with_desk(async |desk| {
        write_history(desk).await;
        desk.types("backup copy.db").await;
        desk.set_variable("CLAUDECODE", "1");
        assert_snapshot!(desk.types("archive --before 2100-01-01T00:00:00Z old.ndjson --as user:zoe").await, @"
        ! countersign: this command runs inside Claude Code (CLAUDECODE is set), and an agent may not archive threads; a person does it in a terminal of their own
        exit 3
        ");
        assert_snapshot!(desk.types("restore copy.db --replace").await, @"
        ! countersign: this command runs inside Claude Code (CLAUDECODE is set), and an agent may not restore a backup; a person does it in a terminal of their own
        exit 3
        ");
        assert_eq!(desk.types("archive --before 2100-01-01T00:00:00Z --dry-run").await.code, 0);
        assert!(!desk.path("old.ndjson").exists());
    })
    .await;
}
