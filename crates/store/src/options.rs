//! The options of a store.

use crate::Clock;
use std::time::Duration;

/// When an acknowledged event is on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SyncMode {
    /// Before it is acknowledged: it survives power loss.
    #[default]
    Full,
    /// Soon after: it survives `kill -9`, and may be lost with the power.
    Normal,
}

/// How a store is opened.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// Make the file if there is none.
    pub create: bool,
    /// When an acknowledged event is on disk.
    pub synchronous: SyncMode,
    /// Where the time comes from.
    pub clock: Clock,
    /// How many recent events the feed keeps at hand, so that readers who keep up need no query.
    pub recent: usize,
    /// How often to look whether writers that ring no bell, such as a `sqlite3` shell, have written.
    pub poll: Duration,
    /// How many connections read.
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
