//! What opening a file finds out, and that a file which is refused is left as it was.

use countersign_approvals::State;
use countersign_store::{Error, Options, Store};
use countersign_tests::{actor, by_hand, code, in_private_mounts, in_town, shell, within_the_limit};
use futures_util::future::join_all;
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};
use tempfile::{TempDir, tempdir};

const ACTOR: &str = env!("CARGO_BIN_EXE_countersign-actor");

fn place() -> (TempDir, PathBuf) {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("countersign.db");
    (folder, path)
}

/// Opens what must not open; gives the error's code, after a look that the file's bytes are the same.
async fn refused(path: &Path) -> Error {
    let before = fs::read(path).expect("reads");
    let Err(error) = Store::open(path, Options::default()).await else {
        panic!("{} opened", path.display());
    };
    assert!(fs::read(path).expect("reads") == before, "{error}: and yet it was changed");
    error
}

/// A log with some events, closed tidily, so that all of it is in the one file.
async fn a_log(path: &Path) {
    let said = actor(ACTOR, "077", &[Path::new("files"), path]).await;
    assert!(said.well);
    shell(path, "PRAGMA wal_checkpoint(TRUNCATE)").await.expect("the shell writes");
}

#[test]
fn a_missing_file_is_made_only_if_it_may_be() {
    within_the_limit(async {
        let (folder, path) = place();
        let options = Options { create: false, ..Options::default() };
        let error = Store::open(&path, options.clone()).await.err().expect("there is none");
        assert_eq!(error.reason(), Some("missing"));
        assert_eq!(fs::read_dir(folder.path()).expect("reads").count(), 0, "and none was made");
        Store::open(&path, Options::default()).await.expect("it is made").close().await;
        Store::open(&path, options).await.expect("it is there").close().await;
        let nowhere = Store::open(folder.path().join("no/folder.db"), Options::default()).await;
        assert_eq!(nowhere.err().expect("no folder").code(), "no_folder");
        let a_folder = Store::open(folder.path(), Options::default()).await;
        assert_eq!(a_folder.err().expect("no file").code(), "not_countersign");
    });
}

#[test]
fn a_text_file_is_not_ours() {
    within_the_limit(async {
        let (_folder, path) = place();
        fs::write(&path, "Dear diary,\n".repeat(1_000)).expect("writes");
        assert_eq!(refused(&path).await.code(), "not_countersign");
        fs::write(&path, "short").expect("writes");
        assert_eq!(refused(&path).await.code(), "not_countersign");
    });
}

#[test]
fn another_programs_database_is_not_ours() {
    within_the_limit(async {
        let (_folder, path) = place();
        shell(&path, "CREATE TABLE events (seq INTEGER PRIMARY KEY); INSERT INTO events VALUES (1)")
            .await
            .expect("the shell writes");
        assert_eq!(refused(&path).await.code(), "not_countersign");
        fs::remove_file(&path).expect("removes");
        shell(&path, "PRAGMA application_id = 252006674; PRAGMA user_version = 1")
            .await
            .expect("the shell writes");
        assert_eq!(refused(&path).await.code(), "not_countersign", "even with no table in it yet");
    });
}

#[test]
fn a_newer_file_is_refused_with_both_numbers() {
    within_the_limit(async {
        let (_folder, path) = place();
        a_log(&path).await;
        let newer = "INSERT INTO _sqlx_migrations VALUES (9000, 'the future', '2030-01-01', TRUE, x'00', 1);
            UPDATE layout SET oldest = 9000;
            PRAGMA wal_checkpoint(TRUNCATE)";
        by_hand(&path, newer).await.expect("writes");
        let error = refused(&path).await;
        assert_eq!(error.code(), "newer_database");
        let known = countersign_store::migrations(countersign_store::Kind::Sqlite).last().expect("some").0;
        assert!(
            matches!(error, Error::NewerDatabase { found: 9_000, known: k, .. } if k == known),
            "{error}"
        );
    });
}

#[test]
fn a_damaged_file_is_refused() {
    within_the_limit(async {
        let (_folder, path) = place();
        a_log(&path).await;
        let whole = fs::read(&path).expect("reads");
        for keep in [whole.len() / 2, 4_096, 2_000, 100] {
            fs::write(&path, &whole[..keep]).expect("writes");
            let code = refused(&path).await.code();
            assert!(["damaged", "not_countersign"].contains(&code), "{keep} bytes: {code}");
        }
        let mut scribbled = whole.clone();
        scribbled[100..4_096].fill(0x5a);
        fs::write(&path, &scribbled).expect("writes");
        assert_eq!(refused(&path).await.code(), "damaged");
        fs::write(&path, &whole).expect("writes");
        Store::open(&path, Options::default()).await.expect("whole again").close().await;
    });
}

/// Root writes where permissions say nobody may, so only a mount shows what a read-only disk does.
#[test]
fn a_read_only_file_is_refused() {
    within_the_limit(async {
        let (folder, path) = place();
        a_log(&path).await;
        let script =
            r#"mount --bind "$0" "$0"; mount -o remount,bind,ro "$0"; "$1" open "$0/countersign.db""#;
        let before = fs::read(&path).expect("reads");
        let said = in_private_mounts(script, folder.path(), ACTOR).await;
        assert_eq!((said.text.as_str(), said.well), ("read_only", true));
        assert!(fs::read(&path).expect("reads") == before);
        let script = r#"mount --bind "$0" "$0"; mount -o remount,bind,ro "$0"; "$1" open "$0/new.db""#;
        let said = in_private_mounts(script, folder.path(), ACTOR).await;
        assert_eq!((said.text.as_str(), said.well), ("read_only", true));
        Store::open(&path, Options::default()).await.expect("it was only the mount").close().await;
    });
}

/// The log holds what agents were told and what they wanted: it is its owner's alone, whatever the
/// umask is.
#[test]
fn nobody_else_can_read_the_files() {
    within_the_limit(async {
        let (folder, path) = place();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).expect("sets");
        let said = actor(ACTOR, "000", &[Path::new("files"), &path]).await;
        let expected =
            "600 countersign.db\n600 countersign.db-bell\n600 countersign.db-shm\n600 countersign.db-wal";
        assert_eq!((said.text.as_str(), said.well), (expected, true));
    });
}

#[test]
fn ten_processes_may_open_a_new_file_at_the_same_moment() {
    within_the_limit(async {
        let (_folder, path) = place();
        let arguments = [Path::new("open"), &path];
        let said = join_all((0..10).map(|_| actor(ACTOR, "077", &arguments))).await;
        assert!(said.iter().all(|said| said.text == "open"), "{said:?}");
    });
}

#[test]
fn a_link_to_the_file_leads_to_the_same_log() {
    in_town(async |town| {
        let link = town.folder().join("link.db");
        std::os::unix::fs::symlink(town.path(), &link).expect("links");
        let through = Store::open(&link, town.options()).await.expect("opens");
        assert_eq!(code(&town.agent("bot").at(&through).proposes("call_1").await), "done");
        assert_eq!(town.call("t", "call_1").await.state(town.store().clock().now()), State::Pending);
        assert!(!town.folder().join("link.db-bell").exists(), "its bell hangs beside the file itself");
    });
}
