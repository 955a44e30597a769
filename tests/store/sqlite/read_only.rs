//! Opening a file to read only, and the checkpoints that make a plain copy of the file complete.

use countersign_events::EventType;
use countersign_store::{EventFilter, Store, StoreAccess, StoreError, StoreOptions};
use countersign_tests::{code, in_private_mounts, in_world, run_sql_on};
use std::{fs, path::Path, time::Duration};

const ACTOR: &str = env!("CARGO_BIN_EXE_countersign-actor");

/// Much longer than any test.
const NEVER: Duration = Duration::from_hours(24);

fn reading() -> StoreOptions {
    StoreOptions { access: StoreAccess::Read, ..StoreOptions::for_reading() }
}

async fn open_to_read(path: &Path) -> Result<Store, StoreError> {
    Store::open(path, reading()).await
}

fn files_of(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).expect("reads").map(|file| file.expect("reads").file_name());
    let mut files: Vec<_> = files.map(|name| name.to_string_lossy().into_owned()).collect();
    files.sort();
    files
}

#[test]
fn read_only_log_refuses_writes_and_creates_nothing() {
    in_world(async |world| {
        world.agent("bot").proposes("call_1").await.expect("asked");
        let folder = world.folder().join("copy");
        fs::create_dir(&folder).expect("creates");
        let copy = folder.join("copy.db");
        countersign_store::backup(&world.path(), &copy, |_| {}).await.expect("a backup");
        let before = fs::read(&copy).expect("reads");
        let store = open_to_read(&copy).await.expect("opens");
        assert!(store.is_read_only());
        assert_eq!(store.tip().await.expect("reads"), 2);
        assert_eq!(code(&world.agent("bot").at(&store).proposes("call_2").await), "read_only");
        assert_eq!(store.rebuild_index().await.expect_err("cannot write").reason(), Some("read_only"));
        store.close().await;
        assert_eq!(files_of(&folder), ["copy.db"]);
        assert!(fs::read(&copy).expect("reads") == before);
    });
}

/// Another user's reader must see the events of a writing process.
#[test]
fn reader_sees_events_of_the_running_writer() {
    in_world(async |world| {
        let bot = world.agent("bot");
        bot.proposes("call_1").await.expect("asked");
        let store = open_to_read(&world.path()).await.expect("opens");
        let mut follower = store.follow(EventFilter::default(), 2);
        bot.proposes("call_2").await.expect("asked");
        assert_eq!(follower.next().await.expect("reads").kind, EventType::ToolCall);
        store.close().await;
    });
}

#[test]
fn older_or_empty_file_is_not_migrated() {
    in_world(async |world| {
        let older = world.folder().join("older.db");
        countersign_store::backup(&world.path(), &older, |_| {}).await.expect("a backup");
        run_sql_on(&older, "DELETE FROM _sqlx_migrations WHERE version > 1").await.expect("writes");
        assert_eq!(open_to_read(&older).await.err().map(|error| error.code()), Some("older_database"));
        let empty = world.folder().join("empty.db");
        fs::write(&empty, "").expect("writes");
        for options in [reading(), StoreOptions::for_reading()] {
            let error = Store::open(&empty, options).await.err();
            assert_eq!(error.map(|error| error.code()), Some("empty_file"));
        }
        assert_eq!(fs::read(&empty).expect("reads"), b"", "no log is created in it");
    });
}

/// A running process's events stay in the write-ahead log for a while.
#[test]
fn plain_copy_of_live_file_is_reported() {
    in_world(async |world| {
        let path = world.folder().join("live.db");
        let options = StoreOptions { idle: NEVER, ..world.options() };
        let live = Store::open(&path, options).await.expect("creates");
        world.agent("bot").at(&live).proposes("call_1").await.expect("asked");
        let copy = world.folder().join("copy.db");
        fs::copy(&path, &copy).expect("copies");
        let error = open_to_read(&copy).await.err().expect("the copy is empty");
        assert!(error.code() == "empty_file" && error.to_string().contains("countersign backup"), "{error}");
        live.close().await;
        assert!(
            !world.folder().join("live.db-wal").exists(),
            "the write-ahead log outlives the last process"
        );
        fs::copy(&path, &copy).expect("copies");
        let copied = open_to_read(&copy).await.expect("opens");
        assert_eq!(copied.tip().await.expect("reads"), 2);
        copied.close().await;
    });
}

#[test]
fn plain_copy_of_idle_log_is_complete() {
    in_world(async |world| {
        let path = world.folder().join("idle.db");
        let options = StoreOptions { idle: Duration::from_millis(1), ..world.options() };
        let idle = Store::open(&path, options).await.expect("creates");
        world.agent("bot").at(&idle).proposes("call_1").await.expect("asked");
        let copy = world.folder().join("copy.db");
        // The time limit of the test ends the loop if no checkpoint moves the events.
        loop {
            fs::copy(&path, &copy).expect("copies");
            if let Ok(copied) = open_to_read(&copy).await {
                let tip = copied.tip().await.expect("reads");
                copied.close().await;
                if tip == 2 {
                    break;
                }
            }
        }
        idle.close().await;
    });
}

/// Without its `-shm` file, a `-wal` file cannot be read where none can be created.
#[test]
fn unreadable_write_ahead_log_is_reported() {
    in_world(async |world| {
        world.agent("bot").proposes("call_1").await.expect("asked");
        let folder = world.folder().join("copy");
        fs::create_dir(&folder).expect("creates");
        for end in ["", "-wal"] {
            fs::copy(world.folder().join(format!("log.db{end}")), folder.join(format!("log.db{end}")))
                .expect("copies");
        }
        let script = r#"mount --bind "$0" "$0"; mount -o remount,bind,ro "$0"; "$1" read "$0/log.db""#;
        let output = in_private_mounts(script, &folder, ACTOR).await;
        assert!(output.text.contains("in its -wal file"), "{output:?}");
    });
}
