//! `countersign copy`

use crate::desk::{with_desk, with_empty_desk};
use countersign_store::{DatabaseKind, migrations};
use countersign_tests::{Process, SqlConnection, open_file};
use insta::assert_snapshot;
use tokio::process::Command;

#[tokio::test]
async fn invalid_source_or_target_is_refused() {
    with_empty_desk(async |desk| {
        assert_snapshot!(desk.types("copy --from countersign.db").await, @"
        ! error: the following required arguments were not provided:
        !   --to <ADDRESS>
        ! 
        ! Usage: countersign copy --from <ADDRESS> --to <ADDRESS>
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
        assert_snapshot!(desk.types("copy --from countersign.db --to other.db").await, @"
        ! countersign: there is no database at countersign.db; `countersign serve` or `countersign run` creates one, --database names another
        exit 5
        ");
        assert_snapshot!(desk.types("copy --from a.db --to b.db --database c.db").await, @"
        ! countersign: copy uses --from and --to instead of --database or --server
        exit 2
        ");
        assert_snapshot!(desk.types("copy --from a.db --to 'mysql://ada:s3cret@db/log'").await, @"
        ! countersign: --to: mysql:// is not supported; give a path, sqlite://… or postgres://…
        ! hint: see docs/postgresql.md for the format of an address
        exit 2
        ");
        desk.write_file("secret", "postgres://ada:s3cret@127.0.0.1:1/log\n");
        assert_snapshot!(desk.types("copy --from-file secret --to b.db").await, @"
        ! countersign: secret is not used, because every user of this machine can access it and it may contain a password; run chmod 600 (or 640 if another user owns it)
        ! hint: see docs/configuration.md for the settings
        exit 2
        ");
        desk.run_program("chmod", &["600", "secret"]).await;
        assert_snapshot!(desk.types("copy --from-file secret --to b.db").await, @"
        ! countersign: postgres://ada@127.0.0.1:1/log does not answer: Connection refused (os error 111); nothing was written, try again when it does
        exit 5
        ");
        assert_eq!(desk.run_program("ls", &["-A"]).await, "secret\n", "no file is created");
    })
    .await;
}

#[tokio::test]
async fn repeated_copy_adds_only_new_events() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(desk.types("copy --from countersign.db --to sqlite://copy.db").await, @"
        Copied 3 events from [here]/countersign.db to [here]/copy.db. The hash chain is intact.
        tip 3:[sha256], the same in both
        exit 0
        ");
        assert_snapshot!(desk.types("copy --from countersign.db --to copy.db").await, @"
        ! countersign: [here]/copy.db has 3 events already; name an empty database, or use --continue if they are an earlier copy
        exit 3
        ");
        assert_snapshot!(desk.types("copy --from countersign.db --to ./countersign.db").await, @"
        ! countersign: ./countersign.db is the source itself; nothing was copied
        exit 2
        ");
        assert_eq!(desk.types("deny call_1 --as user:ada").await.code, 0);
        assert_snapshot!(desk.types("copy --from countersign.db --to copy.db --continue --json").await, @r#"
        {"broken":null,"checkpoint":"5:[sha256]","copied":2,"events":5,"from":"[here]/countersign.db","holds":true,"inadmissible":[],"inadmissibleCount":0,"indexHolds":true,"since":0,"tip":"[sha256]","to":"[here]/copy.db"}
        exit 0
        "#);
        assert_snapshot!(desk.types("copy --from copy.db --to countersign.db --continue").await, @"
        Continued after event 5.
        Copied 5 events from [here]/copy.db to [here]/countersign.db. The hash chain is intact.
        tip 5:[sha256], the same in both
        exit 0
        ");
        let [here, there] =
            [desk.types("log --json").await.stdout, desk.types("log --json --database copy.db").await.stdout];
        assert_eq!(here, there);
        assert_eq!(desk.types("allow call_1 --as user:bo --database copy.db").await.code, 3, "the copy opens as a log");
    })
    .await;
}

/// A partial log would list calls as pending whose decisions are not copied yet.
#[tokio::test]
async fn partial_copy_cannot_be_opened() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_eq!(desk.types("copy --from countersign.db --to copy.db").await.code, 0);
        let mark = "CREATE TABLE copying (source text NOT NULL); INSERT INTO copying VALUES ('/srv/log.db')";
        desk.run_program("sqlite3", &["copy.db", mark]).await;
        assert_snapshot!(desk.types("pending --database copy.db").await, @"
        ! countersign: [here]/copy.db holds half a copy of /srv/log.db; run the same `countersign copy` again, which resumes it
        exit 5
        ");
        assert_eq!(desk.types("serve --database copy.db --listen 127.0.0.1:0").await.code, 5);
        let output = desk.types("doctor --database copy.db").await;
        assert!(output.stdout.contains("fail  copy         [here]/copy.db holds half a copy"), "{output}");
        assert_eq!(desk.types("copy --from countersign.db --to copy.db").await.code, 0);
        assert_eq!(desk.types("pending --database copy.db").await.code, 0);
    })
    .await;
}

#[tokio::test]
async fn copy_of_a_damaged_log_stays_closed() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        let tampered =
            "DROP TRIGGER rows_are_never_changed; UPDATE events SET principal = 'user:eve' WHERE seq = 1";
        desk.run_program("sqlite3", &["countersign.db", tampered]).await;
        let output = desk.types("copy --from countersign.db --to copy.db").await;
        assert!(output.stdout.contains("event 1: the stored hash is"), "{output}");
        assert_eq!(output.code, 1);
        assert_eq!(desk.types("pending --database copy.db").await.code, 5);
    })
    .await;
}

#[tokio::test]
async fn migrate_updates_a_log_by_itself() {
    with_desk(async |desk| {
        assert_snapshot!(desk.types("migrate").await, @"
        countersign.db: created a new log.
        exit 0
        ");
        assert_snapshot!(desk.types("migrate --json").await, @r#"
        {"bytes":null,"copy":null,"database":"countersign.db","done":"nothing","seconds":null,"users":[]}
        exit 0
        "#);
        desk.write_file("older.db", "");
        let mut connection = SqlConnection::Sqlite(open_file(&desk.path("older.db")).await);
        connection.migrate(&migrations(DatabaseKind::Sqlite)[..2]).await;
        connection.close().await;
        // The size differs between versions of SQLite.
        let size = std::fs::metadata(desk.path("older.db")).expect("the file exists").len().to_string();
        let checked = desk.types("migrate --check --database older.db").await.to_string().replace(&size, "[size]");
        assert_snapshot!(checked, @r#"
        older.db: must be upgraded to the schema of this version.
        `countersign migrate` copies the file ([size] bytes) beside it, and changes it in one transaction: about 1 s at most, while nobody can write.
        Another copy, also while the log is in use: sqlite3 'older.db' ".backup 'COPY'"
        exit 1
        "#);
        let checked = desk.types("--json migrate --check --database older.db").await.to_string().replace(&size, "0");
        assert_snapshot!(checked, @r#"
        {"bytes":0,"copy":null,"database":"older.db","done":"needed","seconds":1,"users":[]}
        exit 1
        "#);
        let bell = desk.path("older.db-bell");
        let mut user =
            Process::start(Command::new("flock").args(["--shared", "--no-fork"]).arg(bell).arg("cat"));
        user.tell("marked").await;
        assert_eq!(user.line().await.as_deref(), Some("marked"));
        let refused = desk.types("pending --database older.db").await;
        assert!(refused.stderr.contains(&format!("process {} (cat)", user.pid())), "{refused}");
        user.kill().await;
        assert_snapshot!(desk.types("migrate --database older.db").await, @"
        older.db: upgraded to the schema of this version.
        A copy from before: [here]/older.db.layout-2
        exit 0
        ");
        assert_snapshot!(desk.types("migrate --check --database older.db").await, @"
        older.db: the schema is up to date.
        exit 0
        ");
        assert_snapshot!(desk.types("migrate --server http://127.0.0.1:1").await, @"
        ! countersign: migrate works on a database: use --database instead of --server
        exit 2
        ");
    })
    .await;
}
