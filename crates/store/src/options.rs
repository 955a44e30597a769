//! Store options.

use crate::Clock;
use std::time::Duration;

/// The moment at which an acknowledged event is on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SyncMode {
    /// Before it is acknowledged: it survives power loss.
    #[default]
    Full,
    /// Soon after: it survives `kill -9`, but a power loss may lose it.
    Normal,
}

/// The access to the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StoreAccess {
    /// Reads and writes. A read-only file cannot be opened.
    #[default]
    Write,
    /// Reads and writes if the file can be written and its layout permits it, and only reads otherwise. For commands that read.
    WriteIfPossible,
    /// Reads only: nothing is written, migrated or created, not even beside the file. On PostgreSQL it is the same as
    /// [`WriteIfPossible`](Self::WriteIfPossible).
    Read,
}

/// How to open a log with an older layout.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogMigration {
    /// Migrate it if no other process uses it. The migration may exclude the programs that do.
    #[default]
    IfUnused,
    /// Migrate it, also while others use it.
    Always,
    /// Fail.
    Never,
}

/// Store options.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// Whether to create the file or the schema if it is missing.
    pub create: bool,
    /// The access to the log.
    pub access: StoreAccess,
    /// How to open a log with an older layout.
    pub migration: LogMigration,
    /// The moment at which an acknowledged event is on disk.
    pub synchronous: SyncMode,
    /// The time source.
    pub clock: Clock,
    /// The number of recent events that the feed keeps in memory. A reader that keeps up needs no query.
    pub recent: usize,
    /// The interval at which the feed looks for events of writers that do not ring the doorbell, such as a
    /// `sqlite3` shell.
    pub poll: Duration,
    /// The time without a commit after which the write-ahead log is moved into the file, so that a plain copy of the
    /// file has every event.
    pub idle: Duration,
    /// The longest wait for a lock that another process holds on the file, whatever the number of waiting processes.
    pub busy: Duration,
    /// The number of connections that read.
    pub readers: u32,
    /// The largest number of commands that share a transaction.
    pub batch: usize,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            create: true,
            access: StoreAccess::Write,
            migration: LogMigration::IfUnused,
            synchronous: SyncMode::Full,
            clock: Clock::System,
            recent: 4_096,
            poll: Duration::from_millis(100),
            idle: Duration::from_secs(3),
            busy: Duration::from_secs(10),
            readers: 4,
            batch: 256,
        }
    }
}

impl StoreOptions {
    /// Options for a reading command: it creates no log, and accepts a read-only file.
    #[must_use]
    pub fn for_reading() -> Self {
        Self { create: false, access: StoreAccess::WriteIfPossible, ..Self::default() }
    }
}
