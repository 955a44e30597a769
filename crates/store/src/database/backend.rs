//! The traits that each database implements.

use super::{SqlQuery, SqlRow};
use crate::{DatabaseName, StoreError};
use countersign_events::{Event, Sha256};

/// Where the log ends, as the one who writes next finds it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogEnd {
    /// The `seq` of the last event.
    pub(crate) tip: i64,
    /// Its hash, where that was read; a row by hand has none.
    pub(crate) hash: Option<Sha256>,
}

/// Why a batch was not written.
#[derive(Debug)]
pub(crate) enum BatchFailure {
    /// As it says; the same for every order of the batch.
    Whole(StoreError),
    /// Some order of it is at fault, and the others shall not suffer.
    Some(StoreError),
    /// The connection was lost before anything could be written, so the batch may be tried again.
    Lost(StoreError),
}

impl BatchFailure {
    pub(crate) fn error(self) -> StoreError {
        match self {
            Self::Whole(error) | Self::Some(error) | Self::Lost(error) => error,
        }
    }
}

/// The one connection that writes: one transaction after another, each of them the only one at its time.
pub(crate) trait WriteSession: Send + 'static {
    /// Inserts the rows of a batch.
    const APPEND: &'static str;
    /// Reads what deciding on a batch needs.
    const LOAD: &'static str;

    /// What the log is called.
    fn place(&self) -> DatabaseName;

    /// Waits for its turn, begins, and tells where the log ends. If the connection had to be made anew,
    /// the event that is `known` must still be there.
    fn begin(
        &mut self,
        known: Option<(i64, Sha256)>,
    ) -> impl Future<Output = Result<LogEnd, StoreError>> + Send;

    /// Has a statement carried out in the transaction that was begun.
    fn query_all(&mut self, query: SqlQuery) -> impl Future<Output = Result<Vec<SqlRow>, BatchFailure>> + Send;

    /// Ends the transaction well, lets the next one in, and wakes who listens for what comes up to `last`.
    /// When this returns, what was written is on disk; if it fails, it is not there, unless the error says
    /// that nobody knows.
    fn commit(&mut self, last: Option<&Event>) -> impl Future<Output = Result<(), BatchFailure>> + Send;

    /// Has the guard of rows by hand stand aside for the rest of the transaction, or until it is back.
    fn disable_row_guard(&mut self) -> impl Future<Output = Result<(), BatchFailure>> + Send;

    /// Has the guard of rows by hand come back. Without that a transaction in which it stood aside is not to
    /// be committed.
    fn enable_row_guard(&mut self) -> impl Future<Output = Result<(), BatchFailure>> + Send;

    /// Ends the transaction, if there is still one, as if it had not been.
    fn roll_back(&mut self) -> impl Future<Output = ()> + Send;

    /// Leaves.
    fn close(self) -> impl Future<Output = ()> + Send;
}

/// What tells the feed that others have written.
pub(crate) trait ChangeListener: Send + 'static {
    /// Returns when the log may have come to be longer than `tip` says that the feed is, and now and then
    /// anyway. If it is dropped while it waits, nothing is lost.
    fn wait_for_change(&mut self, tip: &(impl Fn() -> i64 + Sync)) -> impl Future<Output = ()> + Send;
}
