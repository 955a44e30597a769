//! What differs between the two databases, and nothing else: how a connection is made, how a turn to write
//! is taken, what wakes a reader, and what an error means. Everything above asks through what is here.

pub(crate) mod postgres;
mod query;
pub(crate) mod sqlite;

pub(crate) use query::{SqlQuery, SqlRow};

use crate::{DatabaseKind, DatabaseName, StoreError, page::BoundedRows};
use countersign_events::{Event, Sha256};
use futures_util::{Stream, TryStreamExt};
use sqlx::{PgConnection, SqliteConnection, SqlitePool};
use std::{pin::pin, sync::Arc};

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

/// The connections that read.
#[derive(Clone)]
pub(crate) enum ReadPool {
    Sqlite(SqlitePool),
    Postgres(Arc<postgres::PostgresReadPool>),
}

impl ReadPool {
    /// Whose words they understand.
    pub(crate) const fn kind(&self) -> DatabaseKind {
        match self {
            Self::Sqlite(_) => DatabaseKind::Sqlite,
            Self::Postgres(_) => DatabaseKind::Postgres,
        }
    }

    /// Has a query answered.
    pub(crate) async fn query_all(&self, query: SqlQuery) -> Result<Vec<SqlRow>, sqlx::Error> {
        match self {
            Self::Sqlite(pool) => {
                let rows = query.for_sqlite().fetch_all(pool).await?;
                Ok(rows.into_iter().map(SqlRow::Sqlite).collect())
            }
            Self::Postgres(readers) => Ok(Box::pin(readers.query_bounded(query, 0, usize::MAX)).await?.rows),
        }
    }

    /// Has a query answered, as far as what stands in the column `data` has no more than `most` bytes.
    pub(crate) async fn query_bounded(
        &self,
        query: SqlQuery,
        data: usize,
        most: usize,
    ) -> Result<BoundedRows<SqlRow>, sqlx::Error> {
        match self {
            Self::Sqlite(pool) => {
                collect_bounded(query.for_sqlite().fetch(pool).map_ok(SqlRow::Sqlite), data, most).await
            }
            // Boxed, because ten thousand may wait with one of these at hand, most of them for a file.
            Self::Postgres(readers) => Box::pin(readers.query_bounded(query, data, most)).await,
        }
    }

    /// Has two queries answered at one moment of the log.
    pub(crate) async fn query_both(
        &self,
        first: SqlQuery,
        second: SqlQuery,
    ) -> Result<[Vec<SqlRow>; 2], sqlx::Error> {
        match self {
            Self::Sqlite(pool) => {
                let mut tx = pool.begin().await?;
                let mut conn = ReadConnection::Sqlite(&mut tx);
                Ok([conn.query_all(first).await?, conn.query_all(second).await?])
            }
            Self::Postgres(readers) => Box::pin(readers.query_both(first, second)).await,
        }
    }

    /// What an error of theirs means.
    pub(crate) fn error(&self, place: DatabaseName, error: &sqlx::Error) -> StoreError {
        match (error, self) {
            (sqlx::Error::PoolClosed, _) => StoreError::ShuttingDown,
            (_, Self::Sqlite(_)) => sqlite::error(place, error),
            (_, Self::Postgres(_)) => postgres::error(place, error),
        }
    }

    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(pool) => pool.close().await,
            Self::Postgres(readers) => readers.close().await,
        }
    }
}

/// One connection of either.
pub(crate) enum ReadConnection<'a> {
    Sqlite(&'a mut SqliteConnection),
    Postgres(&'a mut PgConnection),
}

impl ReadConnection<'_> {
    /// Whose words it understands.
    pub(crate) const fn kind(&self) -> DatabaseKind {
        match self {
            Self::Sqlite(_) => DatabaseKind::Sqlite,
            Self::Postgres(_) => DatabaseKind::Postgres,
        }
    }

    /// Has a query answered.
    pub(crate) async fn query_all(&mut self, query: SqlQuery) -> Result<Vec<SqlRow>, sqlx::Error> {
        match self {
            Self::Sqlite(conn) => {
                let rows = query.for_sqlite().fetch_all(&mut **conn).await?;
                Ok(rows.into_iter().map(SqlRow::Sqlite).collect())
            }
            Self::Postgres(conn) => {
                let rows = query.for_postgres().persistent(false).fetch_all(&mut **conn).await?;
                Ok(rows.into_iter().map(SqlRow::Postgres).collect())
            }
        }
    }
}

async fn collect_bounded(
    found: impl Stream<Item = Result<SqlRow, sqlx::Error>>,
    data: usize,
    most: usize,
) -> Result<BoundedRows<SqlRow>, sqlx::Error> {
    let (mut found, mut rows, mut bytes) = (pin!(found), Vec::new(), 0);
    while let Some(row) = found.try_next().await? {
        bytes += row.bytes(data).ok().flatten().map_or(0, <[u8]>::len);
        if bytes > most && !rows.is_empty() {
            return Ok(BoundedRows { rows, cut: true });
        }
        rows.push(row);
    }
    Ok(BoundedRows { rows, cut: false })
}
