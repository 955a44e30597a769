//! Problems with the file: a full disk, and a file that is removed or made read-only.

use countersign_events::EventType;
use countersign_store::{StoreError, StoreOptions};
use countersign_tests::{code, in_private_mounts, in_world, run_sqlite3, within_the_limit};
use futures_util::future::join_all;
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

const ACTOR: &str = env!("CARGO_BIN_EXE_countersign-actor");

/// The actor checks that the log contains every acknowledged event and no refused one.
#[test]
fn full_disk_loses_nothing_and_writing_resumes() {
    within_the_limit(async {
        let folder = tempfile::tempdir().expect("a folder");
        let script = r#"mount -t tmpfs -o size=2m none "$0"; cd "$0"
            dd if=/dev/zero of=ballast bs=1024 count=700 status=none
            "$1" fill log.db ballast"#;
        let output = in_private_mounts(script, folder.path(), ACTOR).await;
        assert_eq!((output.text.as_str(), output.well), ("full\nall there", true));
    });
}

/// A load balancer learns that the disk is nearly full before a write fails.
#[test]
fn nearly_full_disk_is_reported() {
    within_the_limit(async {
        let folder = tempfile::tempdir().expect("a folder");
        let script = r#"mount -t tmpfs -o size=20m none "$0"; cd "$0"; "$1" room log.db
            dd if=/dev/zero of=ballast bs=1024 count=19600 status=none; "$1" room log.db"#;
        let output = in_private_mounts(script, folder.path(), ACTOR).await;
        assert_eq!((output.text.as_str(), output.well), ("room\nfull", true));
    });
}

/// Events in a removed file would be lost, so the store acknowledges none.
#[test]
fn nothing_is_acknowledged_after_the_file_is_gone() {
    in_world(async |world| {
        let bot = world.agent("bot");
        bot.proposes("call_1").await.expect("asked");
        let aside = world.folder().join("aside.db");
        fs::rename(world.path(), &aside).expect("moves");
        for id in ["call_2", "call_3"] {
            assert_eq!(code(&bot.proposes(id).await), "gone");
        }
        fs::copy(&aside, world.path()).expect("copies");
        assert_eq!(code(&bot.proposes("call_4").await), "gone", "the store detects another file at its path");
        fs::rename(&aside, world.path()).expect("moves back");
        assert_eq!(code(&bot.proposes("call_5").await), "done", "the store writes to the restored file");
        assert_eq!(
            world.count(EventType::ToolCall).await,
            2,
            "the log contains nothing of the refused commands"
        );
    });
}

/// What was acknowledged before a companion file was removed is saved, and nothing is acknowledged after it.
#[test]
fn removed_companion_loses_no_event() {
    for end in ["-wal", "-shm"] {
        in_world(async |world| {
            let bot = world.agent("bot");
            for id in ["call_1", "call_2"] {
                bot.proposes(id).await.expect("asked");
            }
            let companion = PathBuf::from(format!("{}{end}", world.path().display()));
            fs::remove_file(&companion).expect("removed");
            for id in ["call_3", "call_4"] {
                let refused = bot.proposes(id).await.expect_err("the events would be lost");
                assert_eq!(refused.reason(), Some("gone"));
                assert!(refused.to_string().contains(end), "{refused}");
            }
            assert_eq!(
                store_error(world.store().probe().await),
                Some("gone"),
                "a load balancer sends no requests"
            );
            let shell = run_sqlite3(&world.path(), "SELECT count(*) FROM events").await.expect("reads");
            assert_eq!(shell.trim(), "4", "another process has all acknowledged events");
            world.restarts().await;
            assert_eq!(world.count(EventType::ToolCall).await, 2);
            assert_eq!(code(&world.agent("bot").proposes("call_3").await), "done");
        });
    }
}

/// `cp` over the open file keeps its inode, and the caches in open connections stay valid.
#[test]
fn nothing_is_acknowledged_after_the_file_was_overwritten() {
    in_world(async |world| {
        let bot = world.agent("bot");
        let [copy, whole] = ["backup.db", "whole.db"].map(|name| world.folder().join(name));
        let checkpoint =
            async || run_sqlite3(&world.path(), "PRAGMA wal_checkpoint(TRUNCATE)").await.expect("moved");
        bot.proposes("call_1").await.expect("asked");
        checkpoint().await;
        run_cp(&world.path(), &copy);
        for n in 2..10 {
            bot.proposes(&format!("call_{n}")).await.expect("asked");
            checkpoint().await;
        }
        run_cp(&world.path(), &whole);
        run_cp(&copy, &world.path());
        for id in ["call_10", "call_11"] {
            let refused = bot.proposes(id).await.expect_err("acknowledged events are lost");
            assert_eq!(refused.reason(), Some("gone"), "{refused}");
        }
        run_cp(&whole, &world.path());
        let refused = bot.proposes("call_12").await.expect_err("its caches may be wrong");
        assert_eq!(refused.reason(), Some("gone"), "{refused}");
        world.restarts().await;
        assert_eq!(world.count(EventType::ToolCall).await, 9);
        assert_eq!(code(&world.agent("bot").proposes("call_12").await), "done");
    });
}

/// Copies a file in another process: if this one closed the open database, it would lose SQLite's locks.
fn run_cp(from: &Path, to: &Path) {
    assert!(Command::new("cp").args([from, to]).status().is_ok_and(|status| status.success()));
}

/// The reason or code of a failure.
fn store_error<T>(outcome: Result<T, StoreError>) -> Option<&'static str> {
    outcome.err().map(|error| error.reason().unwrap_or(error.code()))
}

/// Every queued writer gives up when its own wait is over, not after those before it.
#[test]
fn lock_held_too_long_is_reported() {
    in_world(async |world| {
        let options = StoreOptions { busy: Duration::from_millis(300), ..world.options() };
        let stores = [
            world.another_store_with(options.clone()).await,
            world.another_store_with(options.clone()).await,
            world.another_store_with(options).await,
        ];
        let propose_everywhere = async || {
            let outcomes = stores.iter().zip(["call_1", "call_2", "call_3"]);
            let outcomes =
                outcomes.map(async |(store, id)| code(&world.agent("bot").at(store).proposes(id).await));
            join_all(outcomes).await
        };
        let lock_file = fs::File::open(format!("{}-lock", world.path().display())).expect("the lock file");
        lock_file.lock().expect("locked");
        for _ in 0..2 {
            assert_eq!(propose_everywhere().await, ["locked"; 3]);
        }
        let opened_meanwhile = world.another_store().await;
        assert_eq!(opened_meanwhile.tip().await.expect("reads"), 0);
        opened_meanwhile.close().await;
        lock_file.unlock().expect("unlocked");
        let mut connection = world.sql_connection().await;
        connection.run("BEGIN IMMEDIATE").await.expect("SQLite's lock");
        assert_eq!(propose_everywhere().await, ["locked"; 3]);
        connection.run("COMMIT").await.expect("ends");
        connection.close().await;
        // One after the other: three durable writes may take longer than the short limit of these stores.
        for (store, id) in stores.iter().zip(["call_1", "call_2", "call_3"]) {
            assert_eq!(code(&world.agent("bot").at(store).proposes(id).await), "done");
        }
        assert_eq!(world.count(EventType::ToolCall).await, 3, "the log has nothing of the refused commands");
        for store in &stores {
            store.close().await;
        }
    });
}

/// A revoked permission does not affect open files. An immutable file refuses every write, if the file system supports
/// the attribute. In both cases, every acknowledged event is kept.
#[test]
fn file_made_read_only_loses_nothing() {
    in_world(async |world| {
        let bot = world.agent("bot");
        bot.proposes("call_1").await.expect("asked");
        let files = [world.path(), world.path().with_extension("db-wal")];
        for file in &files {
            fs::set_permissions(file, fs::Permissions::from_mode(0o400)).expect("chmod");
        }
        assert_eq!(code(&bot.proposes("call_2").await), "done");
        if chattr("+i", &files) {
            assert!(matches!(code(&bot.proposes("call_3").await), "io_error" | "read_only"));
            assert!(chattr("-i", &files), "chattr removes the attribute");
            assert_eq!(
                world.count(EventType::ToolCall).await,
                2,
                "the log contains nothing of the refused commands"
            );
        }
        assert_eq!(code(&bot.proposes("call_3").await), "done");
        assert_eq!(world.count(EventType::ToolCall).await, 3);
    });
}

/// Changes an attribute of files with `chattr`. Returns false if the file system does not support the attribute.
fn chattr(change: &str, files: &[PathBuf]) -> bool {
    let done = Command::new("chattr").arg(change).args(files).stderr(Stdio::null()).status();
    done.is_ok_and(|status| status.success())
}
