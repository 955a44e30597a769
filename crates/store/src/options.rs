//! The options of a store.

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

/// The options of a store.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// True to create the file or the schema if it is missing.
    pub create: bool,
    /// The moment at which an acknowledged event is on disk.
    pub synchronous: SyncMode,
    /// The source of the time.
    pub clock: Clock,
    /// The number of recent events that the feed keeps in memory. A reader that keeps up needs no query.
    pub recent: usize,
    /// The interval at which the feed looks for events of writers that do not ring the doorbell, such as a
    /// `sqlite3` shell.
    pub poll: Duration,
    /// The number of connections that read.
    pub readers: u32,
    /// The largest number of commands that share a transaction.
    pub batch: usize,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            create: true,
            synchronous: SyncMode::Full,
            clock: Clock::System,
            recent: 4_096,
            poll: Duration::from_millis(100),
            readers: 4,
            batch: 256,
        }
    }
}
