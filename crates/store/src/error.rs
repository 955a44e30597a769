//! What can go wrong with the log, in words that say what to do.

use countersign_approvals::{Damaged, Refused};
use std::path::PathBuf;

/// Why the store did not do what was asked. Each has a stable [`code`](Error::code).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The rules do not allow it.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A row cannot be what anybody wrote.
    #[error("{0}; run `countersign verify`, and restore the file from a backup if it finds more")]
    Damaged(#[from] Damaged),
    /// There is no such file, and it was not to be made.
    #[error(
        "there is no database at {0}; `countersign serve` or `countersign run` makes one, --database names another"
    )]
    Missing(PathBuf),
    /// The folder of the file is not there, or is no folder.
    #[error("the database {path} cannot be made: {why}")]
    NoFolder {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// A file that is no SQLite database, or another program's.
    #[error("{path} is not a Countersign database ({why}); nothing was changed, name another file")]
    NotOurs {
        /// The file.
        path: PathBuf,
        /// How that shows.
        why: String,
    },
    /// A later version of the program has changed the file's layout.
    #[error(
        "{path} was written by a newer Countersign (layout {found}; this one knows {known}); nothing was changed, use the newer program"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The layout of the file.
        found: i64,
        /// The last one that this program knows.
        known: i64,
    },
    /// Nothing can be written to the file.
    #[error("{0} is read-only for this user; the file, its folder and the file system must be writable")]
    ReadOnly(PathBuf),
    /// SQLite finds the file inconsistent.
    #[error(
        "{path} is damaged ({why}); restore it from a backup, or save what is readable with `sqlite3 … .recover`"
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        why: String,
    },
    /// Write-ahead logging needs shared memory, which this file system cannot give.
    #[error(
        "{path} lies on {file_system}, where several processes cannot share a write-ahead log; use a local disk"
    )]
    NoWal {
        /// The file.
        path: PathBuf,
        /// What kind of file system it is.
        file_system: String,
    },
    /// The file was moved, deleted or replaced while it was open.
    #[error(
        "{0} was removed or replaced while it was open; nothing more is written, so put it back and start again"
    )]
    Gone(PathBuf),
    /// No space is left.
    #[error("the disk that holds {0} is full; nothing of this was written, make room and try again")]
    Full(PathBuf),
    /// Another program holds the write lock and does not let go.
    #[error("another program has held the write lock on {0} for too long; end its transaction")]
    Locked(PathBuf),
    /// The system failed to read or write.
    #[error(
        "{path} cannot be read or written: {why}; whether the last change was kept shows when you ask again"
    )]
    Broken {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        why: String,
    },
    /// The store was closed.
    #[error("the store is shutting down; try again with the next process")]
    Closed,
}

impl Error {
    /// The stable word that programs switch on.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Refused(refused) => refused.code(),
            Self::Damaged(_) => "damaged",
            Self::Missing(_) => "database_missing",
            Self::NoFolder { .. } => "no_folder",
            Self::NotOurs { .. } => "not_a_countersign_database",
            Self::Newer { .. } => "newer_database",
            Self::ReadOnly(_) => "read_only",
            Self::Corrupt { .. } => "corrupt_database",
            Self::NoWal { .. } => "no_wal",
            Self::Gone(_) => "database_gone",
            Self::Full(_) => "disk_full",
            Self::Locked(_) => "locked",
            Self::Broken { .. } => "io_error",
            Self::Closed => "closed",
        }
    }
}

/// What a statement's failure means, by SQLite's result code (<https://sqlite.org/rescode.html>). A
/// constraint is not among them: who can break one translates it where it happens.
pub(crate) fn of_sqlite(path: &std::path::Path, error: &sqlx::Error) -> Error {
    let (path, why) = (path.to_path_buf(), error.to_string());
    match primary_code(error) {
        Some(8) => Error::ReadOnly(path),
        Some(5 | 6) => Error::Locked(path),
        Some(11) => Error::Corrupt { path, why },
        Some(13) => Error::Full(path),
        Some(26) => Error::NotOurs { path, why: "it is no SQLite database".to_owned() },
        _ => Error::Broken { path, why },
    }
}

/// The low byte of SQLite's extended result code.
pub(crate) fn primary_code(error: &sqlx::Error) -> Option<u32> {
    let code = error.as_database_error()?.code()?;
    code.parse::<u32>().ok().map(|code| code & 0xff)
}

pub(crate) const BUSY: u32 = 5;
pub(crate) const CONSTRAINT: u32 = 19;
