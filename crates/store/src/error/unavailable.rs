//! Why a database cannot be used now.

use crate::{DatabaseName, LockHolder, lock_holder::describe_locked};

/// The message about a database that has lost events. A database that took over may have written others instead.
fn describe_behind(place: &DatabaseName, known: i64, found: i64) -> String {
    let difference = if found < known {
        format!("{place} ends at event {found}, and event {known} was read before")
    } else {
        format!("{place} has other events up to event {known} than were read before")
    };
    format!(
        "{difference}: a server took over that lacks the last events; bring the other one back, or restart this process to \
         continue without them"
    )
}

/// Why a database cannot be used now. Each has a stable [`reason`](UnavailableDatabase::reason).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnavailableDatabase {
    /// The log ends before events that this process has already read.
    #[error("{}", describe_behind(.place, *.known, *.found))]
    Behind {
        /// The database.
        place: DatabaseName,
        /// The last event that was read.
        known: i64,
        /// The last event that the database has.
        found: i64,
    },
    /// The database is overloaded, or took too long.
    #[error("{place} is too busy: {why}; nothing was written, try again")]
    Busy {
        /// The database.
        place: DatabaseName,
        /// The resource that ran out.
        why: String,
    },
    /// The user does not have a permission.
    #[error(
        "{place} does not give this user a permission that Countersign needs: {why}; see \"Roles\" in docs/postgresql.md"
    )]
    Forbidden {
        /// The database.
        place: DatabaseName,
        /// The server's message.
        why: String,
    },
    /// The disk is full.
    #[error("the disk that holds {0} is full; this change was not written, make room and try again")]
    Full(DatabaseName),
    /// The disk will soon be full.
    #[error("the disk that holds {0} is nearly full; make room before writes fail")]
    NearlyFull(DatabaseName),
    /// The file was moved, deleted or replaced while it was open.
    #[error("{0} was removed or replaced while it was open; put it back and restart this process")]
    Gone(DatabaseName),
    /// A companion file of SQLite was removed or replaced while it was open.
    #[error(
        "the file {missing} was removed or replaced while {place} was open: put it back, or end every process that uses the \
         log, not with SIGKILL, and start them again"
    )]
    CompanionGone {
        /// The database.
        place: DatabaseName,
        /// The file's path.
        missing: String,
    },
    /// Another program wrote into the file.
    #[error(
        "another program has overwritten {0} while it was open: end every process that uses it, keep a copy of the file and of \
         its -wal file, and restore a backup with `countersign restore`"
    )]
    Overwritten(DatabaseName),
    /// The system failed to read or write.
    #[error(
        "{place} cannot be read or written: {why}; read the call again to see whether the last change was kept"
    )]
    IoError {
        /// The database.
        place: DatabaseName,
        /// The system's message.
        why: String,
    },
    /// Another process holds the write lock.
    #[error("{}", describe_locked(.place, .holder.as_ref()))]
    Locked {
        /// The database.
        place: DatabaseName,
        /// The process that holds the lock, if it can be found.
        holder: Option<LockHolder>,
    },
    /// A reader keeps the write-ahead log.
    #[error(
        "{0} was built again, but a reader keeps the old write-ahead log, which may have erased content: end idle programs that \
         read the file, and try again"
    )]
    WalInUse(DatabaseName),
    /// The server rejects the user.
    #[error("{place} rejects this user: {why}; check user, password, TLS and pg_hba.conf")]
    Login {
        /// The database.
        place: DatabaseName,
        /// The server's message.
        why: String,
    },
    /// The connection was lost during a commit, and the server has not answered since.
    #[error(
        "the connection to {0} was lost during a write, so its outcome is unknown; read the call again, or repeat the request, which is safe"
    )]
    Lost(DatabaseName),
    /// The layout must be migrated, and the user may not do that.
    #[error(
        "{place} must be migrated to the layout of this version, which this user may not do ({why}); have its owner run `countersign migrate`, then packaging/postgres/roles.sql"
    )]
    MayNotMigrate {
        /// The database.
        place: DatabaseName,
        /// The server's message.
        why: String,
    },
    /// The database does not exist, and the options forbid creating it.
    #[error(
        "there is no database at {0}; `countersign serve` or `countersign run` creates one, --database names another"
    )]
    Missing(DatabaseName),
    /// The database exists and has no log, and the options forbid creating one.
    #[error(
        "{0} is there, but it has no log yet; `countersign serve` or `countersign run` creates one in it"
    )]
    NoLog(DatabaseName),
    /// The server has no database of that name.
    #[error("the server has no such database: {0}; create it with `createdb`, or name another")]
    NoSuchDatabase(DatabaseName),
    /// The file or its folder is read-only for this user.
    #[error("{0} is read-only for this user; the file, its folder and the file system must be writable")]
    ReadOnly(DatabaseName),
    /// The last events are in a write-ahead log that a read-only process cannot read.
    #[error(
        "the last events of {0} are in its -wal file, which cannot be read without write access to the folder; make a \
         copy with `countersign backup` as the owner of the file, or copy both files to a folder of your own"
    )]
    UnreadableWal(DatabaseName),
    /// The server is a standby, or was set to read-only.
    #[error(
        "{0} accepts no writes (a standby?); name the primary, or try again when this server is promoted"
    )]
    Standby(DatabaseName),
    /// The server is older than the schema needs.
    #[error("{place} is PostgreSQL {found}, and Countersign needs {least} or later")]
    TooOld {
        /// The database.
        place: DatabaseName,
        /// The server's version.
        found: String,
        /// The oldest version that works.
        least: u32,
    },
    /// The server does not answer.
    #[error("{place} does not answer: {why}; nothing was written, try again when it does")]
    Unreachable {
        /// The database.
        place: DatabaseName,
        /// The system's message.
        why: String,
    },
}

impl UnavailableDatabase {
    /// Returns the stable name that programs switch on.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::Behind { .. } => "behind",
            Self::Busy { .. } => "busy",
            Self::Forbidden { .. } | Self::MayNotMigrate { .. } => "forbidden",
            Self::Full(_) | Self::NearlyFull(_) => "full",
            Self::Gone(_) | Self::CompanionGone { .. } | Self::Overwritten(_) => "gone",
            Self::IoError { .. } => "io_error",
            Self::Locked { .. } | Self::WalInUse(_) => "locked",
            Self::Login { .. } => "login",
            Self::Lost(_) => "lost",
            Self::Missing(_) | Self::NoSuchDatabase(_) => "missing",
            Self::NoLog(_) => "no_log",
            Self::ReadOnly(_) | Self::UnreadableWal(_) => "read_only",
            Self::Standby(_) => "standby",
            Self::TooOld { .. } => "too_old",
            Self::Unreachable { .. } => "unreachable",
        }
    }
}
