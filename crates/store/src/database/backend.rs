//! The traits that each database implements.

use super::{SqlQuery, SqlRow};
use crate::{DatabaseName, StoreError};
use countersign_events::{Event, Sha256};

/// The log's end at the start of a transaction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogEnd {
    /// The last event's `seq`.
    pub(crate) tip: i64,
    /// Its hash, if it was read; a row that was inserted with SQL has none.
    pub(crate) hash: Option<Sha256>,
    /// The oldest layout version whose programs may write. A newer program may have raised it.
    pub(crate) oldest_layout: i64,
}

/// The most events of other processes that a writer applies to the state it has. The feed reads as many at once, and to
/// load a full batch again takes about as long as to apply them.
pub(crate) const MOST_NEW_EVENTS: i64 = 1_000;

/// What to read at the start of a transaction, besides the log's end.
#[derive(Default)]
pub(crate) struct FirstReads {
    /// The event after which to read the new ones.
    pub(crate) after: Option<i64>,
    /// The query for the events that the batch needs.
    pub(crate) load: Option<SqlQuery>,
}

/// A transaction that has begun.
pub(crate) struct BegunTransaction {
    pub(crate) end: LogEnd,
    /// The new events, as columns of `events`. If they are many, some or all are left out at the end.
    pub(crate) new_rows: Vec<SqlRow>,
    /// The answer to the query for the events that the batch needs; `None` if it was not sent in the same message.
    pub(crate) loaded: Option<Vec<SqlRow>>,
}

/// Why a batch was not written.
#[derive(Debug)]
pub(crate) enum BatchFailure {
    /// The error applies to all commands of the batch.
    Whole(StoreError),
    /// One command of the batch caused the error. The others must still be executed.
    Some(StoreError),
    /// The connection was lost before anything was written, so the batch can be retried.
    Lost(StoreError),
}

impl BatchFailure {
    pub(crate) fn error(self) -> StoreError {
        match self {
            Self::Whole(error) | Self::Some(error) | Self::Lost(error) => error,
        }
    }
}

/// The connection that writes. At most one transaction of all processes is open at a time.
pub(crate) trait WriteSession: Send + 'static {
    /// The query that reads the events that a batch needs.
    const LOAD: &'static str;
    /// The statement that replaces the data of rows.
    const REPLACE_DATA: &'static str;
    /// The statement that records when proposers were last seen.
    const RECORD_PRESENCE: &'static str;

    /// Whether it blocks its thread while the database works. Otherwise it waits for a server, to which each query is a round
    /// trip, and [`begin`](Self::begin) answers [`FirstReads::load`] with the same message.
    const IS_BLOCKING: bool;

    /// The log's name.
    fn database_name(&self) -> DatabaseName;

    /// Waits for the write lock, starts a transaction, and reads the log's end and `reads`. After a reconnect, the
    /// event `known` must still exist.
    fn begin(
        &mut self,
        known: Option<(i64, Sha256)>,
        reads: FirstReads,
    ) -> impl Future<Output = Result<BegunTransaction, StoreError>> + Send;

    /// Inserts rows, in their order, in the open transaction.
    fn append<'a>(
        &mut self,
        events: impl Iterator<Item = &'a Event> + Send,
    ) -> impl Future<Output = Result<(), BatchFailure>> + Send;

    /// Runs a statement in the open transaction.
    fn query_all(
        &mut self,
        query: SqlQuery,
    ) -> impl Future<Output = Result<Vec<SqlRow>, BatchFailure>> + Send;

    /// Commits, releases the write lock, and wakes the listeners for events up to `last`. On success the rows are on
    /// disk. On failure they are not, unless the error says that the outcome is unknown.
    fn commit(&mut self, last: Option<&Event>) -> impl Future<Output = Result<(), BatchFailure>> + Send;

    /// Disables the guard against rows that are inserted with SQL, until it is enabled again or the transaction is
    /// rolled back.
    fn disable_row_guard(&mut self) -> impl Future<Output = Result<(), BatchFailure>> + Send;

    /// Enables the guard again. The caller must do this before it commits a transaction in which the guard was
    /// disabled.
    fn enable_row_guard(&mut self) -> impl Future<Output = Result<(), BatchFailure>> + Send;

    /// Rewrites the database file and empties the write-ahead log, so that neither has what earlier transactions have
    /// deleted. Other writers wait meanwhile. Fails if a reader keeps the write-ahead log for too long. On PostgreSQL
    /// it does nothing.
    fn rewrite_files(&mut self) -> impl Future<Output = Result<(), StoreError>> + Send {
        std::future::ready(Ok(()))
    }

    /// Rolls back the transaction, if one is still open.
    fn roll_back(&mut self) -> impl Future<Output = ()> + Send;

    /// Moves the write-ahead log into the database file, without blocking other writers. Returns false if a part of it
    /// is left for later. PostgreSQL does this by itself.
    fn checkpoint(&mut self) -> impl Future<Output = bool> + Send {
        std::future::ready(true)
    }

    /// Closes the connection.
    fn close(self) -> impl Future<Output = ()> + Send;
}

/// Tells the feed that another process may have written.
pub(crate) trait ChangeListener: Send + 'static {
    /// Returns when the log may have events after `tip`, and occasionally without a change. Dropping the future loses
    /// no change.
    fn wait_for_change(&mut self, tip: &(impl Fn() -> i64 + Sync)) -> impl Future<Output = ()> + Send;
}
