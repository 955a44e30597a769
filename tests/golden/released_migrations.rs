//! Released migrations: their texts never change, because logs record the checksums of those that made them.

use crate::golden_log::{GoldenLog, golden_folder};
use countersign_events::{EventType, Sha256};
use countersign_store::{DatabaseKind, migrations};
use std::{fmt::Write as _, fs, path::PathBuf};

/// The migrations of each database, with the name of their folder.
const DATABASES: [(&str, DatabaseKind); 2] =
    [("sqlite", DatabaseKind::Sqlite), ("postgres", DatabaseKind::Postgres)];

/// A line of the list: a migration, the version that released it, and the SHA-256 of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PinnedMigration {
    version: String,
    database: String,
    number: i64,
    name: String,
    checksum: String,
}

impl PinnedMigration {
    fn parse(line: &str) -> Self {
        let fields: Vec<_> = line.split('\t').map(str::to_owned).collect();
        let [version, database, number, name, checksum] = fields.try_into().expect("five fields");
        let number = number.parse().expect("a number");
        Self { version, database, number, name, checksum }
    }

    fn to_line(&self) -> String {
        let Self { version, database, number, name, checksum } = self;
        format!("{version}\t{database}\t{number}\t{name}\t{checksum}\n")
    }

    fn file(&self) -> String {
        format!("migrations/{}/{:04}_{}.sql", self.database, self.number, self.name)
    }
}

fn list() -> PathBuf {
    golden_folder().join("migrations.tsv")
}

fn read_pins() -> Vec<PinnedMigration> {
    fs::read_to_string(list()).unwrap_or_default().lines().map(PinnedMigration::parse).collect()
}

/// Returns the migrations of this program, as if `version` released them.
fn list_migrations(version: &str) -> Vec<PinnedMigration> {
    let of_database = |(folder, kind): (&str, DatabaseKind)| {
        let pin = |(number, name, sql): &(i64, &'static str, &'static str)| PinnedMigration {
            version: version.to_owned(),
            database: folder.to_owned(),
            number: *number,
            name: (*name).to_owned(),
            checksum: Sha256::digest(sql.as_bytes()).to_string(),
        };
        migrations(kind).iter().map(pin).collect::<Vec<_>>()
    };
    DATABASES.into_iter().flat_map(of_database).collect()
}

/// Adds the migrations that no earlier version has released to the list.
pub(crate) fn pin_migrations(version: &str) {
    let pins = read_pins();
    let is_new = |found: &PinnedMigration| pins.iter().all(|pin| pin.file() != found.file());
    let mut text = fs::read_to_string(list()).unwrap_or_default();
    for new in list_migrations(version).iter().filter(|found| is_new(found)) {
        write!(text, "{}", new.to_line()).expect("a string");
    }
    fs::write(list(), text).expect("the folder is writable");
}

#[test]
fn released_migrations_are_never_edited() {
    let now = list_migrations("");
    for pin in read_pins() {
        let file = pin.file();
        let found = now.iter().find(|found| found.file() == file);
        let found = found.unwrap_or_else(|| panic!("{file} was released in {}: put it back", pin.version));
        assert_eq!(
            found.checksum, pin.checksum,
            "{file} was released in {}, and its text has changed: logs that it has made would be refused. Undo the change, and \
             add a migration with the next number for what you need",
            pin.version
        );
    }
}

/// A later version would not notice the change of a migration that is not in the list.
#[test]
fn each_migration_of_golden_logs_is_pinned() {
    let pins = read_pins();
    for log in GoldenLog::read_all() {
        let rows = log.read(crate::golden_log::SQLITE_DUMP);
        let rows =
            rows.lines().filter_map(|line| line.strip_prefix("INSERT INTO \"_sqlx_migrations\" VALUES("));
        let numbers: Vec<i64> = rows
            .map(|row| row.split(',').next().and_then(|number| number.parse().ok()).expect("a number"))
            .collect();
        assert!(!numbers.is_empty(), "{}: the dump has the list of migrations", log.version);
        for (database, _) in DATABASES {
            let pinned: Vec<_> =
                pins.iter().filter(|pin| pin.database == database).map(|pin| pin.number).collect();
            assert!(
                numbers.iter().all(|number| pinned.contains(number)),
                "{}: {database}: {numbers:?} and {pinned:?}",
                log.version
            );
        }
    }
}

#[test]
fn newest_golden_log_has_each_event_type() {
    let newest = GoldenLog::read_all().pop().expect("there is a golden log");
    let expected = newest.expectation();
    let missing: Vec<_> =
        EventType::ALL.iter().filter(|kind| !expected.types.contains_key(kind.as_str())).collect();
    assert!(
        missing.is_empty(),
        "{} has no {missing:?}: let the recipe write it, and make the log of the next version (tests/fixtures/golden/README.md)",
        newest.version
    );
}
