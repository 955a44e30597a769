//! The store's errors, with the remedy in each message. A variant has the name of its code.

mod unavailable;

pub use unavailable::UnavailableDatabase;

use crate::{DatabaseName, LogUser, log_user::describe_users};
use countersign_approvals::{CommandFailure, NeededEvidence, Refused};
use countersign_events::DamagedEvent;

/// A store error. Each variant has a stable [`code`](StoreError::code).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The rules refuse the command.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The rules need evidence that the command does not have.
    #[error("{}", Refused::from(*.0))]
    NeedsEvidence(NeededEvidence),
    /// The database cannot be used now.
    #[error(transparent)]
    DatabaseUnavailable(#[from] UnavailableDatabase),
    /// A row is not a valid event, so Countersign did not write it.
    #[error("{0}; run `countersign verify`, and restore the file from a backup if it finds more")]
    Damaged(#[from] DamagedEvent),
    /// SQLite finds the file inconsistent.
    #[error(
        "{place} is damaged ({why}); restore it from a backup, or see docs/operations.md for ways to recover it"
    )]
    DamagedFile {
        /// The database.
        place: DatabaseName,
        /// The message of SQLite.
        why: String,
    },
    /// The address cannot be parsed. The message does not repeat it, because it may hold a password.
    #[error("{why}")]
    BadAddress {
        /// The reason.
        why: String,
    },
    /// The file's folder does not exist, or is not a folder.
    #[error("the database {place} cannot be created: {why}")]
    NoFolder {
        /// The database.
        place: DatabaseName,
        /// The system's message.
        why: String,
    },
    /// The file is not a SQLite database, or belongs to another program.
    #[error("{place} is not a Countersign database ({why}); nothing was changed, name another file")]
    NotCountersign {
        /// The database.
        place: DatabaseName,
        /// The reason.
        why: String,
    },
    /// The file has no tables, and the options forbid creating a log in it.
    #[error(
        "{place} has no log: the file is empty; if it was copied from a file in use, its events are in the -wal file \
         of the original, so copy it with `countersign backup`"
    )]
    EmptyFile {
        /// The database.
        place: DatabaseName,
    },
    /// The log must be migrated, and this program may not do it: it was opened read-only, or the options forbid it.
    #[error(
        "{place} was written by an older Countersign and must be migrated; nothing was changed: its owner runs `countersign migrate` \
         (with --check to see what it does); without the right to write, copy the log with the older version's `countersign backup`, and \
         name the copy"
    )]
    OlderDatabase {
        /// The database.
        place: DatabaseName,
    },
    /// A development version of the program has made the log.
    #[error(
        "{place} was made by a development version of Countersign, before the first release, and its layout has changed since; \
         nothing was changed: export its events with that version (`countersign log --json`), and begin a new log"
    )]
    UnreleasedDatabase {
        /// The database.
        place: DatabaseName,
    },
    /// The log must be migrated, and other processes use it.
    #[error(
        "{place} was written by an older Countersign and must be migrated, while {} it; nothing was changed: end these first, or \
         run `countersign migrate`, which migrates it nevertheless",
        describe_users(users)
    )]
    MigrationBlocked {
        /// The database.
        place: DatabaseName,
        /// The known processes that use it.
        users: Vec<LogUser>,
    },
    /// A later program version has changed the layout.
    #[error(
        "{place} was written by a newer Countersign (layout {found}; this one knows {known}); nothing was changed, use the newer program"
    )]
    NewerDatabase {
        /// The database.
        place: DatabaseName,
        /// The database's layout.
        found: i64,
        /// The last layout that this program knows.
        known: i64,
    },
    /// Write-ahead logging needs shared memory, which this file system does not have.
    #[error("{place} is on {file_system}, where processes cannot share a write-ahead log; use a local disk")]
    NoWal {
        /// The database.
        place: DatabaseName,
        /// The file system type.
        file_system: String,
    },
    /// A copy into the database was started and not finished.
    #[error("{place} holds half a copy of {from}; run the same `countersign copy` again, which resumes it")]
    HalfCopied {
        /// The target.
        place: DatabaseName,
        /// The source's name.
        from: String,
    },
    /// The target of a copy must be empty.
    #[error(
        "{place} has {events} events already; name an empty database, or use --continue if they are an earlier copy"
    )]
    TargetNotEmpty {
        /// The target.
        place: DatabaseName,
        /// The number of its events.
        events: i64,
    },
    /// Source and target are the same database.
    #[error("{0} is the source itself; nothing was copied")]
    SameLog(DatabaseName),
    /// The copy's target has events that its source does not have.
    #[error(
        "{place} holds events that {from} does not have; it is not a copy of it, or another program writes to it"
    )]
    NotACopy {
        /// The target.
        place: DatabaseName,
        /// The source.
        from: DatabaseName,
    },
    /// The copy's target refuses an event.
    #[error("{place} refuses event {seq}: {why}; all events before it are copied")]
    EventRefused {
        /// The target.
        place: DatabaseName,
        /// The event.
        seq: i64,
        /// The reason.
        why: String,
    },
    /// The backup does not verify, or is not of the checkpoint's log.
    #[error("the backup {place} is not restored: {why}; nothing was changed")]
    BadBackup {
        /// The backup.
        place: DatabaseName,
        /// The reason.
        why: String,
    },
    /// The backup ends before a checkpoint.
    #[error(
        "the backup {place} ends at event {tip}, and the checkpoint is event {checkpoint}: the events between them would be \
         lost; nothing was changed, restore a later backup or use --accept-loss"
    )]
    BackupTooOld {
        /// The backup.
        place: DatabaseName,
        /// Its last event.
        tip: i64,
        /// The checkpoint's event.
        checkpoint: i64,
    },
    /// Another process has the log open.
    #[error("{0} is open in another process; nothing was changed, stop every process that uses it")]
    InUse(DatabaseName),
    /// The file is not an intact archive, or belongs to another log.
    #[error("{place} is not an intact archive of this log: {why}")]
    BadArchive {
        /// The file.
        place: DatabaseName,
        /// The first invalid line, and the reason.
        why: String,
    },
    /// A restore replaces a log only on request.
    #[error("there is a log at {0}; nothing was changed, use --replace to put the backup in its place")]
    LogExists(DatabaseName),
    /// A file has a name that a restore needs.
    #[error("{0} is in the way; nothing was changed, move it to another folder")]
    FileInTheWay(DatabaseName),
    /// A new file never replaces one.
    #[error("{place} exists already; nothing was changed, name a new file")]
    TargetExists {
        /// The target.
        place: DatabaseName,
    },
    /// The cursor names an event that the log does not have yet, so the events up to it would be lost.
    #[error(
        "the cursor {seq} is beyond the end of the log, whose last event is {tip}: it is from another log, or from \
         before a backup was restored; read this log again from the start"
    )]
    CursorBeyondEnd {
        /// The cursor's `seq`.
        seq: i64,
        /// The last event of the log.
        tip: i64,
    },
    /// The cursor names an event that has another hash in this log.
    #[error(
        "event {seq} of this log is not the event of the cursor: the cursor is from another log, or from before a \
         backup was restored; read this log again from the start"
    )]
    CursorOfAnotherLog {
        /// The cursor's `seq`.
        seq: i64,
        /// The last event of the log.
        tip: i64,
    },
    /// The store was closed.
    #[error("the store is shutting down; try again with the next process")]
    ShuttingDown,
}

impl StoreError {
    /// Returns the stable code that programs switch on.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Refused(refused) => refused.code(),
            Self::NeedsEvidence(_) => "invalid",
            Self::DatabaseUnavailable(_) => "database_unavailable",
            Self::Damaged(_) | Self::DamagedFile { .. } => "damaged",
            Self::BadAddress { .. } => "bad_address",
            Self::NoFolder { .. } => "no_folder",
            Self::NotCountersign { .. } => "not_countersign",
            Self::EmptyFile { .. } => "empty_file",
            Self::OlderDatabase { .. } => "older_database",
            Self::NewerDatabase { .. } => "newer_database",
            Self::UnreleasedDatabase { .. } => "unreleased_database",
            Self::NoWal { .. } => "no_wal",
            Self::HalfCopied { .. } => "half_copied",
            Self::TargetNotEmpty { .. } => "target_not_empty",
            Self::SameLog(_) => "same_log",
            Self::NotACopy { .. } => "not_a_copy",
            Self::EventRefused { .. } => "event_refused",
            Self::BadBackup { .. } => "bad_backup",
            Self::BackupTooOld { .. } => "backup_too_old",
            Self::InUse(_) | Self::MigrationBlocked { .. } => "in_use",
            Self::BadArchive { .. } => "bad_archive",
            Self::TargetExists { .. } | Self::LogExists(_) | Self::FileInTheWay(_) => "target_exists",
            Self::CursorBeyondEnd { .. } | Self::CursorOfAnotherLog { .. } => "bad_cursor",
            Self::ShuttingDown => "shutting_down",
        }
    }

    /// Returns why the database is unavailable, if it is.
    #[must_use]
    pub const fn reason(&self) -> Option<&'static str> {
        match self {
            Self::DatabaseUnavailable(unavailable) => Some(unavailable.reason()),
            _ => None,
        }
    }
}

impl From<CommandFailure> for StoreError {
    fn from(failure: CommandFailure) -> Self {
        match failure {
            CommandFailure::Refused(refused) => Self::Refused(refused),
            CommandFailure::NeedsEvidence(needed) => Self::NeedsEvidence(needed),
        }
    }
}
