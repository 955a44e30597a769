//! `countersign migrate`

use countersign_api::ApprovalGate;
use countersign_console::{CliError, CommandContext, CommandExit, print_line};
use countersign_gate::{EmbeddedGate, GateFailure};
use countersign_policy::Policy;
use countersign_store::{
    DatabaseUrl, LogMigration, MigrationRecord, SchemaLayout, StoreError, StoreOptions, measure_copy_speed,
    read_disk_space,
};
use serde_json::json;
use std::path::Path;

/// How often a migration writes each byte, at most: into the copy, the write-ahead log and the file.
const WRITES: u64 = 3;

/// The bytes of a log that SQLite copies and changes in a second, at least, if the disk does not slow it down. Measured: 240 MB for the
/// copy and 215 MB for each new index, so this is enough for five.
const SQLITE_SPEED: u64 = 40_000_000;

/// The speed where it cannot be measured.
const UNKNOWN_DISK: u64 = 60_000_000;

/// Options of `migrate`.
#[derive(Debug, clap::Args)]
pub(crate) struct MigrateArgs {
    /// Change nothing, and report whether the log must be upgraded
    #[arg(long)]
    check: bool,
}

/// Upgrades a log.
pub(crate) async fn migrate_log(context: &CommandContext, args: &MigrateArgs) -> anyhow::Result<CommandExit> {
    if context.options.server.is_some() {
        let message = "migrate works on a database: use --database instead of --server";
        return Err(CliError::usage(message).into());
    }
    let address =
        if args.check { context.settings.database()? } else { context.settings.database_to_create()? };
    let migration = if args.check { LogMigration::Never } else { LogMigration::Always };
    let options = StoreOptions { create: !args.check, migration, ..StoreOptions::default() };
    let opened = EmbeddedGate::open_with(address.clone(), options, Policy::shipped()).await;
    let (done, text, record) = match opened {
        Err(GateFailure::Store(StoreError::OlderDatabase { .. })) if args.check => {
            ("needed", "must be upgraded to the schema of this version.", None)
        }
        opened => {
            let gate = opened?;
            let (found, record) = (gate.found_layout(), gate.migration().cloned());
            gate.shut_down().await;
            let (done, text) = match found {
                SchemaLayout::None => ("made", "created a new log."),
                SchemaLayout::Older => ("migrated", "upgraded to the schema of this version."),
                SchemaLayout::Ours | SchemaLayout::Unreleased | SchemaLayout::Newer { .. } => {
                    ("nothing", "the schema is up to date.")
                }
            };
            (done, text, record)
        }
    };
    let needed = (done == "needed").then(|| MigrationOutlook::read(&address));
    if context.json {
        let users = record.iter().flat_map(|record| &record.users);
        let users: Vec<_> = users.map(|user| json!({"pid": user.pid, "program": user.program})).collect();
        let copy =
            record.as_ref().and_then(|record| record.copy.as_ref()).map(|path| path.display().to_string());
        let database = address.to_string();
        let file = needed.iter().find_map(|outlook| outlook.file.as_ref());
        let (bytes, seconds) = (file.map(|file| file.bytes), file.map(FileSize::seconds));
        print_line(
            &json!({
                "database": database, "done": done, "copy": copy, "users": users, "bytes": bytes, "seconds": seconds
            })
            .to_string(),
        );
    } else {
        print_line(&format!("{address}: {text}"));
        record.iter().flat_map(describe_migration).for_each(|line| print_line(&line));
        needed.iter().flat_map(MigrationOutlook::describe).for_each(|line| print_line(&line));
    }
    Ok(if needed.is_some() { CommandExit::FAILED } else { CommandExit::DONE })
}

/// What a migration would do.
struct MigrationOutlook {
    /// The file; `None` for a server.
    file: Option<FileSize>,
}

/// The size of a log that is a file.
struct FileSize {
    name: String,
    bytes: u64,
    free: Option<u64>,
    /// The bytes that the disk copies in a second; `None` if that cannot be measured.
    disk_speed: Option<u64>,
}

impl FileSize {
    /// Asks the file system, and measures the disk. The log is closed.
    fn read(path: &Path) -> Self {
        let bytes = std::fs::metadata(path).map_or(0, |found| found.len());
        let free = read_disk_space(path).map(|space| space.free);
        Self { name: path.display().to_string(), bytes, free, disk_speed: measure_copy_speed(path) }
    }

    /// Estimates the longest duration, in seconds.
    fn seconds(&self) -> u64 {
        let speed = self.disk_speed.unwrap_or(UNKNOWN_DISK) / WRITES;
        1 + self.bytes / speed.clamp(1, SQLITE_SPEED)
    }
}

impl MigrationOutlook {
    fn read(address: &DatabaseUrl) -> Self {
        let file = match address {
            DatabaseUrl::File(path) => Some(FileSize::read(path)),
            DatabaseUrl::Postgres(_) => None,
        };
        Self { file }
    }

    fn describe(&self) -> Vec<String> {
        let Some(file) = &self.file else {
            return vec![
                "`countersign migrate` changes it in one transaction, while nobody can write. It makes no copy: back up the database \
                 before, for example with pg_dump."
                    .to_owned(),
            ];
        };
        let mut lines = vec![
            format!(
                "`countersign migrate` copies the file ({} bytes) beside it, and changes it in one transaction: about {} s at most, while \
                 nobody can write.",
                file.bytes,
                file.seconds()
            ),
            format!("Another copy, also while the log is in use: sqlite3 '{}' \".backup 'COPY'\"", file.name),
        ];
        // The copy, and the changes before they are in the file.
        let room = file.bytes.saturating_mul(2);
        if let Some(free) = file.free.filter(|free| *free < room) {
            lines.push(format!("Make room before: {free} bytes are free, and it needs up to {room}."));
        }
        lines
    }
}

fn describe_migration(record: &MigrationRecord) -> Vec<String> {
    let copy = record.copy.iter().map(|path| format!("A copy from before: {}", path.display()));
    let user = |user: &_| {
        format!("In use by {user}, which continues, or only reads if the new layout excludes its version.")
    };
    copy.chain(record.users.iter().map(user)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slower_of_disk_and_sqlite_decides() {
        let seconds = |disk_speed| {
            FileSize { name: String::new(), bytes: 1_200_000_000, free: None, disk_speed }.seconds()
        };
        assert_eq!(seconds(Some(3_000_000_000)), 31, "SQLite is slower than a fast disk");
        assert_eq!(seconds(Some(6_000_000)), 601, "a slow disk writes each byte three times");
        assert_eq!(seconds(None), 61);
    }
}
