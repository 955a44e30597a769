//! Opening a file: the store refuses unsuitable files and leaves them unchanged.

use countersign_events::CallState;
use countersign_store::{Store, StoreError, StoreOptions};
use countersign_tests::{
    actor, code, in_private_mounts, in_world, run_sql_on, run_sqlite3, within_the_limit,
};
use futures_util::future::join_all;
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};
use tempfile::{TempDir, tempdir};

const ACTOR: &str = env!("CARGO_BIN_EXE_countersign-actor");

fn new_log_path() -> (TempDir, PathBuf) {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("log.db");
    (folder, path)
}

/// Opens a file that must be refused and must stay unchanged. Returns the error.
async fn refused(path: &Path) -> StoreError {
    let before = fs::read(path).expect("reads");
    let Err(error) = Store::open(path, StoreOptions::default()).await else {
        panic!("{} opened", path.display());
    };
    assert!(fs::read(path).expect("reads") == before, "{error}: the refused file was changed");
    error
}

/// Writes a log with some events, and moves its write-ahead log into the file.
async fn write_log(path: &Path) {
    let output = actor(ACTOR, "077", &[Path::new("files"), path]).await;
    assert!(output.well);
    run_sqlite3(path, "PRAGMA wal_checkpoint(TRUNCATE)").await.expect("the shell writes");
}

#[test]
fn missing_file_is_created_only_on_request() {
    within_the_limit(async {
        let (folder, path) = new_log_path();
        let options = StoreOptions { create: false, ..StoreOptions::default() };
        let error = Store::open(&path, options.clone()).await.err().expect("the file is missing");
        assert_eq!(error.reason(), Some("missing"));
        assert_eq!(fs::read_dir(folder.path()).expect("reads").count(), 0, "no file is created");
        Store::open(&path, StoreOptions::default()).await.expect("the file is created").close().await;
        Store::open(&path, options).await.expect("the log opens").close().await;
        let nowhere = Store::open(folder.path().join("no/folder.db"), StoreOptions::default()).await;
        assert_eq!(nowhere.err().expect("no folder").code(), "no_folder");
        let a_folder = Store::open(folder.path(), StoreOptions::default()).await;
        assert_eq!(a_folder.err().expect("no file").code(), "not_countersign");
    });
}

#[test]
fn text_file_is_refused() {
    within_the_limit(async {
        let (_folder, path) = new_log_path();
        fs::write(&path, "Dear diary,\n".repeat(1_000)).expect("writes");
        assert_eq!(refused(&path).await.code(), "not_countersign");
        fs::write(&path, "short").expect("writes");
        assert_eq!(refused(&path).await.code(), "not_countersign");
    });
}

#[test]
fn database_of_another_program_is_refused() {
    within_the_limit(async {
        let (_folder, path) = new_log_path();
        run_sqlite3(&path, "CREATE TABLE events (seq INTEGER PRIMARY KEY); INSERT INTO events VALUES (1)")
            .await
            .expect("the shell writes");
        assert_eq!(refused(&path).await.code(), "not_countersign");
        fs::remove_file(&path).expect("removes");
        run_sqlite3(&path, "PRAGMA application_id = 252006674; PRAGMA user_version = 1")
            .await
            .expect("the shell writes");
        assert_eq!(
            refused(&path).await.code(),
            "not_countersign",
            "the application id identifies a database without tables"
        );
    });
}

#[test]
fn newer_file_is_refused_with_both_versions() {
    within_the_limit(async {
        let (_folder, path) = new_log_path();
        write_log(&path).await;
        let newer = "INSERT INTO _sqlx_migrations VALUES (9000, 'the future', '2030-01-01', TRUE, x'00', 1);
            UPDATE layout SET oldest = 9000;
            PRAGMA wal_checkpoint(TRUNCATE)";
        run_sql_on(&path, newer).await.expect("writes");
        // A copy like this has no write-ahead log, and must not get one.
        let copy = path.with_extension("copy");
        run_sql_on(&path, &format!("VACUUM INTO '{}'", copy.display())).await.expect("copies");
        let before = fs::read(&copy).expect("reads");
        assert_eq!(refused(&copy).await.code(), "newer_database");
        assert!(fs::read(&copy).expect("reads") == before, "the copy has changed");
        let error = refused(&path).await;
        assert_eq!(error.code(), "newer_database");
        let known =
            countersign_store::migrations(countersign_store::DatabaseKind::Sqlite).last().expect("some").0;
        assert!(
            matches!(error, StoreError::NewerDatabase { found: 9_000, known: k, .. } if k == known),
            "{error}"
        );
    });
}

#[test]
fn damaged_file_is_refused() {
    within_the_limit(async {
        let (_folder, path) = new_log_path();
        write_log(&path).await;
        let whole = fs::read(&path).expect("reads");
        for keep in [whole.len() / 2, 4_096, 2_000, 100] {
            fs::write(&path, &whole[..keep]).expect("writes");
            let code = refused(&path).await.code();
            assert!(["damaged", "not_countersign"].contains(&code), "{keep} bytes: {code}");
        }
        let mut overwritten = whole.clone();
        overwritten[100..4_096].fill(0x5a);
        fs::write(&path, &overwritten).expect("writes");
        assert_eq!(refused(&path).await.code(), "damaged");
        fs::write(&path, &whole).expect("writes");
        Store::open(&path, StoreOptions::default()).await.expect("the restored file opens").close().await;
    });
}

/// The tests may run as root, for whom only a mount can make a file read-only.
#[test]
fn read_only_file_is_refused() {
    within_the_limit(async {
        let (folder, path) = new_log_path();
        write_log(&path).await;
        let script = r#"mount --bind "$0" "$0"; mount -o remount,bind,ro "$0"; "$1" open "$0/log.db""#;
        let before = fs::read(&path).expect("reads");
        let output = in_private_mounts(script, folder.path(), ACTOR).await;
        assert_eq!((output.text.as_str(), output.well), ("read_only", true));
        assert!(fs::read(&path).expect("reads") == before);
        let script = r#"mount --bind "$0" "$0"; mount -o remount,bind,ro "$0"; "$1" open "$0/new.db""#;
        let output = in_private_mounts(script, folder.path(), ACTOR).await;
        assert_eq!((output.text.as_str(), output.well), ("read_only", true));
        Store::open(&path, StoreOptions::default()).await.expect("only the mount is read-only").close().await;
    });
}

/// The log contains the words of agents and people, so only its owner may read it, under any umask.
#[test]
fn log_files_are_readable_by_their_owner_only() {
    within_the_limit(async {
        let (folder, path) = new_log_path();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).expect("sets");
        let output = actor(ACTOR, "000", &[Path::new("files"), &path]).await;
        let expected = "600 log.db\n600 log.db-bell\n600 log.db-lock\n600 log.db-shm\n600 log.db-wal";
        assert_eq!((output.text.as_str(), output.well), (expected, true));
    });
}

#[test]
fn ten_processes_open_a_new_file_at_once() {
    within_the_limit(async {
        let (_folder, path) = new_log_path();
        let arguments = [Path::new("open"), &path];
        let outputs = join_all((0..10).map(|_| actor(ACTOR, "077", &arguments))).await;
        assert!(outputs.iter().all(|output| output.text == "open"), "{outputs:?}");
    });
}

#[test]
fn link_to_the_file_opens_the_same_log() {
    in_world(async |world| {
        let link = world.folder().join("link.db");
        std::os::unix::fs::symlink(world.path(), &link).expect("links");
        let through = Store::open(&link, world.options()).await.expect("opens");
        assert_eq!(code(&world.agent("bot").at(&through).proposes("call_1").await), "done");
        assert_eq!(world.call("t", "call_1").await.state(world.now()), CallState::Pending);
        assert!(
            !world.folder().join("link.db-bell").exists(),
            "the doorbell is beside the file, not beside the link"
        );
    });
}
