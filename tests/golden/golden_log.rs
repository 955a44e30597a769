//! The golden logs that are committed: their files, and their restoration into an empty database.

use countersign_store::{DatabaseUrl, Store, StoreOptions, VerifyReport};
use countersign_tests::{Database, ProcessWorld, run_psql, run_sqlite3};
use semver::Version;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// The dump of the log on SQLite.
pub(crate) const SQLITE_DUMP: &str = "sqlite.sql";
/// The dump of the same log on PostgreSQL.
pub(crate) const POSTGRES_DUMP: &str = "postgres.sql";
/// What the log must have in every later version.
pub(crate) const EXPECTED: &str = "expected.json";
/// The archive with the content of a thread of the log.
pub(crate) const ARCHIVE: &str = "archive.ndjson";
/// A signed checkpoint of the log's end, and the key of its signature.
pub(crate) const CHECKPOINT: &str = "checkpoint.json";
pub(crate) const CHECKPOINT_KEY: &str = "checkpoint.pub";

/// A golden log: a folder that is named after the version that has written it.
#[derive(Debug)]
pub(crate) struct GoldenLog {
    folder: PathBuf,
    pub(crate) version: Version,
}

/// What a golden log must have in every later version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct GoldenExpectation {
    /// What `verify` reports.
    pub(crate) events: i64,
    pub(crate) tip: String,
    pub(crate) unsealed: u64,
    pub(crate) newer: u64,
    pub(crate) concerned: u64,
    pub(crate) proved: u64,
    pub(crate) unproved: u64,
    /// The SHA-256 of the rows, as a shell prints them.
    pub(crate) rows: String,
    /// The number of events of each type.
    pub(crate) types: BTreeMap<String, usize>,
    /// The state of each call, as `THREAD/ID`, long after the last event.
    pub(crate) calls: BTreeMap<String, String>,
}

impl GoldenExpectation {
    /// Takes what concerns `verify` from its report. How many calls this version judges otherwise is left out: it may differ.
    pub(crate) fn add_report(&mut self, report: &VerifyReport) {
        self.events = report.events;
        self.tip = report.tip.to_string();
        self.unsealed = report.unsealed;
        (self.newer, self.concerned) = (report.unjudged.newer, report.unjudged.concerned);
        (self.proved, self.unproved) = (report.proofs.proved, report.proofs.unproved);
    }
}

/// The folder of all golden logs.
pub(crate) fn golden_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/golden")
}

impl GoldenLog {
    /// Reads the list of golden logs, the oldest first.
    pub(crate) fn read_all() -> Vec<Self> {
        let entries = fs::read_dir(golden_folder()).expect("the folder of golden logs exists");
        let folders = entries.map(|entry| entry.expect("reads").path()).filter(|path| path.is_dir());
        let mut logs: Vec<_> = folders.map(Self::at).collect();
        logs.sort_by(|one, other| one.version.cmp(&other.version));
        assert!(!logs.is_empty(), "there is a golden log");
        logs
    }

    pub(crate) fn at(folder: PathBuf) -> Self {
        let name = folder.file_name().and_then(|name| name.to_str()).expect("a name");
        let version = name.parse().unwrap_or_else(|why| panic!("{name} is not a version: {why}"));
        Self { folder, version }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|why| panic!("{}: {name}: {why}", self.version))
    }

    pub(crate) fn expectation(&self) -> GoldenExpectation {
        serde_json::from_str(&self.read(EXPECTED)).expect("it has the form of this version")
    }

    /// Restores the log as that of a world that has none.
    pub(crate) async fn restore(&self, world: &ProcessWorld) {
        match world.database() {
            Database::Sqlite => self.restore_file(&world.path()).await,
            Database::Postgres => {
                let restored = run_psql(&world.url(), &self.read(POSTGRES_DUMP)).await;
                restored.expect("the dump is complete");
            }
        }
    }

    pub(crate) async fn restore_file(&self, path: &Path) {
        run_sqlite3(path, &self.read(SQLITE_DUMP)).await.expect("the dump is complete");
    }
}

/// Opens a log that exists.
pub(crate) async fn open_log(url: &str) -> Store {
    let address = DatabaseUrl::parse(url).expect("an address");
    let options = StoreOptions { create: false, ..StoreOptions::default() };
    Store::open(address, options).await.unwrap_or_else(|why| panic!("the log opens: {why}"))
}

/// Returns all rows as the shell of the database prints them.
pub(crate) async fn read_rows(url: &str) -> String {
    const ALL: &str =
        "SELECT seq, thread_id, type, timestamp, principal, data, hash FROM events ORDER BY seq;";
    let rows = if url.starts_with("postgres://") {
        run_psql(url, ALL).await
    } else {
        run_sqlite3(Path::new(url), ALL).await
    };
    rows.expect("the rows read")
}
