//! Today's program meets a log with a layout that only a later version knows: it works with it or reads it if that version permits it,
//! and otherwise says one sentence and changes nothing.

use crate::{
    golden_log::{GoldenLog, read_rows},
    new_world,
};
use countersign_store::{DatabaseKind, migrations};
use countersign_tests::{Database, Process, ProcessEnd, ProcessWorld};
use std::fs;

on_each_database! {
    excluded_program_changes_nothing,
    program_that_may_read_only_reads,
    permitted_program_works_as_before,
}

/// Returns the last layout that this program knows. Both databases have the same numbers.
fn known_layout() -> i64 {
    migrations(DatabaseKind::Sqlite).last().expect("there is a migration").0
}

/// The oldest programs that a layout permits.
struct PermittedLayouts {
    writer: i64,
    reader: i64,
}

/// Restores the newest golden log, and migrates it as a later version would.
async fn restore_with_later_layout(world: &ProcessWorld, permitted: PermittedLayouts) {
    GoldenLog::read_all().pop().expect("there is a golden log").restore(world).await;
    let step = format!(
        "CREATE TABLE of_the_future (id integer PRIMARY KEY);
        INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
            SELECT version + 1, 'the future', TRUE, checksum, 1 FROM _sqlx_migrations ORDER BY version DESC LIMIT 1;
        UPDATE layout SET oldest = {}, oldest_reader = {}",
        permitted.writer, permitted.reader
    );
    world.run_sql(&step).await.expect("the later migration succeeds");
}

async fn excluded_program_changes_nothing(database: Database) {
    let world = new_world(database).await;
    let known = known_layout();
    restore_with_later_layout(&world, PermittedLayouts { writer: known + 1, reader: known + 1 }).await;
    let before = LogContent::read(&world).await;
    for line in READS.iter().chain(WRITES) {
        require_refusal(&world, line).await;
    }
    before.require_unchanged(&world).await;
}

async fn program_that_may_read_only_reads(database: Database) {
    let world = new_world(database).await;
    let known = known_layout();
    restore_with_later_layout(&world, PermittedLayouts { writer: known + 1, reader: known }).await;
    let before = LogContent::read(&world).await;
    for line in READS {
        let ended = run(&world, line).await;
        assert_eq!(ended.code, 0, "{line}: {ended:?}");
        let warnings =
            ended.stderr.lines().filter(|line| line.contains("reads it and writes nothing")).count();
        assert!(warnings == 1 && !ended.stdout.is_empty(), "{line}: {ended:?}");
    }
    for line in WRITES {
        require_refusal(&world, line).await;
    }
    before.require_unchanged(&world).await;
}

const READS: &[&str] =
    &["pending", "show pending --thread open", "log", "calls", "verify", "policy show", "token list"];

const WRITES: &[&str] = &[
    "migrate",
    "migrate --check",
    "serve --listen 127.0.0.1:0",
    "--as user:ada allow pending --thread open --yes",
    "run --thread open -- true",
    "token create --name eve --role approver",
];

/// What is in the database.
struct LogContent {
    rows: String,
    file: Option<Vec<u8>>,
}

impl LogContent {
    async fn read(world: &ProcessWorld) -> Self {
        let file = (!world.url().starts_with("postgres:")).then(|| fs::read(world.path()).expect("reads"));
        Self { rows: read_rows(&world.url()).await, file }
    }

    async fn require_unchanged(&self, world: &ProcessWorld) {
        let now = Self::read(world).await;
        assert!(now.rows == self.rows && now.file == self.file, "the log has changed");
    }
}

async fn run(world: &ProcessWorld, line: &str) -> ProcessEnd {
    let words: Vec<_> = line.split(' ').collect();
    Process::start(&mut world.countersign_over_log(&words)).ended().await
}

/// Runs a command that must say one sentence and the code, and print nothing.
async fn require_refusal(world: &ProcessWorld, line: &str) {
    let known = known_layout();
    let sentence = format!(
        "was written by a newer Countersign (layout {}; this one knows {known}); nothing was changed, use the newer program",
        known + 1
    );
    let ended = run(world, line).await;
    assert!(ended.code != 0 && ended.stderr.contains(&sentence), "{line}: {ended:?}");
    let errors = ended.stderr.lines().filter(|line| line.contains(&sentence)).count();
    assert_eq!((ended.stdout.as_str(), errors), ("", 1), "{line}");
    let coded = run(world, &format!("--json {line}")).await;
    assert!(coded.stderr.contains("\"newer_database\""), "{line}: {coded:?}");
}

async fn permitted_program_works_as_before(database: Database) {
    let world = new_world(database).await;
    let known = known_layout();
    restore_with_later_layout(&world, PermittedLayouts { writer: known, reader: known }).await;
    let allow = ["--as", "user:ada", "allow", "pending", "--thread", "open", "--yes"];
    for words in [&["migrate", "--check"][..], &["pending"], &allow, &["verify"]] {
        let ended = Process::start(&mut world.countersign_over_log(words)).ended().await;
        assert_eq!(ended.code, 0, "{words:?}: {ended:?}");
    }
}
