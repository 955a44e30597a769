//! What can go wrong with the log, in words that say what to do.

use crate::Place;
use countersign_approvals::Refused;
use countersign_events::Damaged;

/// Why the store did not do what was asked. Each has a stable [`code`](Error::code).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The rules do not allow it.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A row cannot be what anybody wrote.
    #[error("{0}; run `countersign verify`, and restore the file from a backup if it finds more")]
    Damaged(#[from] Damaged),
    /// The address names nothing that can be opened. It is not repeated, because it may hold a password.
    #[error("{why}")]
    BadAddress {
        /// What is wrong with it.
        why: String,
    },
    /// There is no such log, and it was not to be made.
    #[error(
        "there is no database at {0}; `countersign serve` or `countersign run` makes one, --database names another"
    )]
    Missing(Place),
    /// A server has no database of that name.
    #[error("the server has no such database: {0}; make one with `createdb`, or name another")]
    NoDatabase(Place),
    /// The folder of the file is not there, or is no folder.
    #[error("the database {place} cannot be made: {why}")]
    NoFolder {
        /// The log.
        place: Place,
        /// What the system says.
        why: String,
    },
    /// A file that is no SQLite database, or another program's.
    #[error("{place} is not a Countersign database ({why}); nothing was changed, name another file")]
    NotOurs {
        /// The log.
        place: Place,
        /// How that shows.
        why: String,
    },
    /// A later version of the program has changed the file's layout.
    #[error(
        "{place} was written by a newer Countersign (layout {found}; this one knows {known}); nothing was changed, use the newer program"
    )]
    Newer {
        /// The log.
        place: Place,
        /// The layout of the file.
        found: i64,
        /// The last one that this program knows.
        known: i64,
    },
    /// Nothing can be written to the file.
    #[error("{0} is read-only for this user; the file, its folder and the file system must be writable")]
    ReadOnly(Place),
    /// SQLite finds the file inconsistent.
    #[error(
        "{place} is damaged ({why}); restore it from a backup; docs/operations.md says what else there is to try"
    )]
    Corrupt {
        /// The log.
        place: Place,
        /// What SQLite says.
        why: String,
    },
    /// Write-ahead logging needs shared memory, which this file system cannot give.
    #[error(
        "{place} lies on {file_system}, where several processes cannot share a write-ahead log; use a local disk"
    )]
    NoWal {
        /// The log.
        place: Place,
        /// What kind of file system it is.
        file_system: String,
    },
    /// The file was moved, deleted or replaced while it was open.
    #[error(
        "{0} was removed or replaced while it was open; nothing more is written, so put it back and start again"
    )]
    Gone(Place),
    /// No space is left.
    #[error("the disk that holds {0} is full; nothing of this was written, make room and try again")]
    Full(Place),
    /// Another program holds the write lock and does not let go.
    #[error("another program has held the write lock on {0} for too long; end its transaction")]
    Locked(Place),
    /// The system failed to read or write.
    #[error(
        "{place} cannot be read or written: {why}; whether the last change was kept shows when you ask again"
    )]
    Broken {
        /// The log.
        place: Place,
        /// What SQLite says.
        why: String,
    },
    /// No answer from the database's server.
    #[error("{place} does not answer: {why}; nothing of this was written, try again when it does")]
    Unreachable {
        /// The log.
        place: Place,
        /// What the system says.
        why: String,
    },
    /// The connection was lost while the database committed, and it has not answered since.
    #[error(
        "{0} was lost while it wrote this, and does not answer; ask again to see whether it was written, or say the same again, which is safe"
    )]
    Unsettled(Place),
    /// The database's server does not let this user in.
    #[error("{place} does not let this user in: {why}; see to user, password, TLS and pg_hba.conf")]
    Login {
        /// The log.
        place: Place,
        /// What the server says.
        why: String,
    },
    /// The user may not do what the program has to do.
    #[error("{place} does not allow this user what is needed: {why}; see \"Roles\" in docs/postgresql.md")]
    Forbidden {
        /// The log.
        place: Place,
        /// What the server says.
        why: String,
    },
    /// The layout is not that of this program, and the user may not change it.
    #[error(
        "{place} has to be brought to the layout of this version, which this user may not do ({why}); have its owner run `countersign migrate`, and packaging/postgres/roles.sql after it"
    )]
    MayNotMigrate {
        /// The log.
        place: Place,
        /// What the server says.
        why: String,
    },
    /// A standby, or a server that was set to read only.
    #[error("{0} takes no writes (a standby?); name the primary, or try again when this has become it")]
    Standby(Place),
    /// The log ends before events that were handed out already: its server has lost them.
    #[error(
        "{place} ends at event {found}, and event {known} was handed out before: a server took over that did not have everything; bring the other one back, or restart this process to go on from what is there"
    )]
    Behind {
        /// The log.
        place: Place,
        /// The last event that is known.
        known: i64,
        /// The last event that is there.
        found: i64,
    },
    /// The database has no room for this now, or took too long.
    #[error("{place} is too busy: {why}; nothing of this was written, try again")]
    Busy {
        /// The log.
        place: Place,
        /// What ran out.
        why: String,
    },
    /// The database's server is older than what the schema needs.
    #[error("{place} is PostgreSQL {found}, and {least} is the least that works")]
    TooOld {
        /// The log.
        place: Place,
        /// The server's version.
        found: String,
        /// The least that works.
        least: u32,
    },
    /// A copy into it has begun and is not finished.
    #[error(
        "{place} holds half a copy of {from}; run the same `countersign copy` again, which goes on where it stopped"
    )]
    HalfCopied {
        /// The log.
        place: Place,
        /// What the source was called.
        from: String,
    },
    /// A copy is for an empty log.
    #[error(
        "{place} has {events} events already; name an empty one, or say --continue if they are an earlier copy"
    )]
    NotEmpty {
        /// The log.
        place: Place,
        /// How many events it has.
        events: i64,
    },
    /// Both names lead to one log.
    #[error("{0} is the source itself; nothing was copied")]
    SameLog(Place),
    /// The target of a copy holds what its source does not.
    #[error(
        "{place} holds events that are not those of {from}; it is no copy of it, or somebody else writes to it"
    )]
    NotACopy {
        /// The target.
        place: Place,
        /// What the source is called.
        from: Place,
    },
    /// The target of a copy refuses an event.
    #[error("{place} does not take event {seq}: {why}; all before it are copied")]
    Unfit {
        /// The target.
        place: Place,
        /// The event.
        seq: i64,
        /// Why not.
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
            Self::BadAddress { .. } => "bad_address",
            Self::Missing(_) | Self::NoDatabase(_) => "database_missing",
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
            Self::Unreachable { .. } => "database_unreachable",
            Self::Unsettled(_) => "outcome_unknown",
            Self::Login { .. } => "database_login",
            Self::Forbidden { .. } | Self::MayNotMigrate { .. } => "database_forbidden",
            Self::Standby(_) => "database_read_only",
            Self::Behind { .. } => "database_behind",
            Self::Busy { .. } => "database_busy",
            Self::TooOld { .. } => "database_too_old",
            Self::HalfCopied { .. } => "half_copied",
            Self::NotEmpty { .. } => "target_not_empty",
            Self::SameLog(_) => "same_log",
            Self::NotACopy { .. } => "not_a_copy",
            Self::Unfit { .. } => "event_refused",
            Self::Closed => "closed",
        }
    }

    /// Whether it is the database's server that is away or says no.
    #[must_use]
    pub const fn is_of_a_server(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. }
                | Self::Unsettled(_)
                | Self::Login { .. }
                | Self::Forbidden { .. }
                | Self::MayNotMigrate { .. }
                | Self::Standby(_)
                | Self::Behind { .. }
                | Self::Busy { .. }
                | Self::TooOld { .. }
        )
    }
}
