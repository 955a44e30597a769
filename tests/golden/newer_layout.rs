//! Today's program meets a log with a layout that only a later version knows: it works with it if that version permits it, and
//! otherwise says one sentence and changes nothing.

use crate::{
    golden_log::{GoldenLog, read_rows},
    new_world,
};
use countersign_store::{DatabaseKind, migrations};
use countersign_tests::{Database, Process, ProcessWorld};
use std::fs;

on_each_database! {
    excluded_program_changes_nothing,
    permitted_program_works_as_before,
}

/// Returns the last layout that this program knows. Both databases have the same numbers.
fn known_layout() -> i64 {
    migrations(DatabaseKind::Sqlite).last().expect("there is a migration").0
}

/// Restores the newest golden log, and migrates it as a later version would, which permits programs since `oldest`.
async fn restore_with_later_layout(world: &ProcessWorld, oldest: i64) {
    GoldenLog::read_all().pop().expect("there is a golden log").restore(world).await;
    let step = format!(
        "CREATE TABLE of_the_future (id integer PRIMARY KEY);
        INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
            SELECT version + 1, 'the future', TRUE, checksum, 1 FROM _sqlx_migrations ORDER BY version DESC LIMIT 1;
        UPDATE layout SET oldest = {oldest}"
    );
    world.run_sql(&step).await.expect("the later migration succeeds");
}

async fn excluded_program_changes_nothing(database: Database) {
    let world = new_world(database).await;
    let known = known_layout();
    restore_with_later_layout(&world, known + 1).await;
    let read_file = || (database == Database::Sqlite).then(|| fs::read(world.path()).expect("reads"));
    let (rows, file) = (read_rows(&world.url()).await, read_file());
    let sentence = format!(
        "was written by a newer Countersign (layout {}; this one knows {known}); nothing was changed, use the newer program",
        known + 1
    );
    for line in [
        "pending",
        "log",
        "verify",
        "migrate",
        "migrate --check",
        "serve --listen 127.0.0.1:0",
        "--as user:ada allow pending --thread open --yes",
        "run --thread open -- true",
    ] {
        let words: Vec<_> = line.split(' ').collect();
        let ended = Process::start(&mut world.countersign_over_log(&words)).ended().await;
        assert!(ended.code != 0 && ended.stderr.contains(&sentence), "{line}: {ended:?}");
        let errors = ended.stderr.lines().filter(|line| line.contains("newer Countersign")).count();
        assert_eq!((ended.stdout.as_str(), errors), ("", 1), "{line}");
    }
    assert!(read_rows(&world.url()).await == rows && read_file() == file, "the log has changed");
}

async fn permitted_program_works_as_before(database: Database) {
    let world = new_world(database).await;
    restore_with_later_layout(&world, known_layout()).await;
    let allow = ["--as", "user:ada", "allow", "pending", "--thread", "open", "--yes"];
    for words in [&["migrate", "--check"][..], &["pending"], &allow, &["verify"]] {
        let ended = Process::start(&mut world.countersign_over_log(words)).ended().await;
        assert_eq!(ended.code, 0, "{words:?}: {ended:?}");
    }
}
