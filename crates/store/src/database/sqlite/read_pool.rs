//! The pool of read connections. The driver's own pool exchanges a message with each returned connection in a separate
//! task, which takes as long as most of our queries.

use crate::{
    clock::with_timeout,
    database::{BoundedRows, ReadConnection, SqlQuery, SqlRow, read_connection::collect_bounded},
};
use futures_util::TryStreamExt;
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::{Semaphore, SemaphorePermit, TryAcquireError};

/// The longest wait of a query for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_mins(1);

pub(crate) struct SqliteReadPool {
    settings: SqliteConnectOptions,
    /// The connections without a query. The last one that came back is used first, because its cache is the warmest.
    idle: Mutex<Vec<SqliteConnection>>,
    permits: Semaphore,
    size: u32,
}

impl SqliteReadPool {
    /// Opens the first connection. Others follow when that many queries run at once.
    pub(super) async fn open(settings: SqliteConnectOptions, size: u32) -> Result<Self, sqlx::Error> {
        let idle = Mutex::new(vec![settings.connect().await?]);
        let permits = Semaphore::new(usize::try_from(size).unwrap_or(Semaphore::MAX_PERMITS));
        Ok(Self { settings, idle, permits, size })
    }

    /// Runs a query.
    pub(in crate::database) async fn query_all(&self, query: SqlQuery) -> Result<Vec<SqlRow>, sqlx::Error> {
        let mut lent = self.acquire().await?;
        let found = ReadConnection::Sqlite(lent.conn()?).query_all(query).await;
        lent.check(found)
    }

    /// Runs a query and returns its first rows: as many as have at most `most` bytes in their columns `data` together,
    /// and at least one.
    pub(in crate::database) async fn query_bounded(
        &self,
        query: SqlQuery,
        data: usize,
        most: usize,
    ) -> Result<BoundedRows<SqlRow>, sqlx::Error> {
        let mut lent = self.acquire().await?;
        let rows = query.for_sqlite().fetch(lent.conn()?).map_ok(SqlRow::Sqlite);
        let found = collect_bounded(rows, data, most).await;
        lent.check(found)
    }

    /// Runs two queries in one snapshot of the log.
    pub(in crate::database) async fn query_both(
        &self,
        first: SqlQuery,
        second: SqlQuery,
    ) -> Result<[Vec<SqlRow>; 2], sqlx::Error> {
        let mut lent = self.acquire().await?;
        let found = async {
            let mut tx = lent.conn()?.begin().await?;
            let mut conn = ReadConnection::Sqlite(&mut tx);
            Ok([conn.query_all(first).await?, conn.query_all(second).await?])
        };
        let found = found.await;
        lent.check(found)
    }

    /// Closes the connections after their queries. Later queries fail.
    pub(in crate::database) async fn close(&self) {
        if let Ok(_all) = self.permits.acquire_many(self.size).await {
            let idle = std::mem::take(&mut *self.idle());
            for conn in idle {
                // It has written nothing, so a failure leaves nothing behind.
                let _ = conn.close().await;
            }
            self.permits.close();
        }
    }

    async fn acquire(&self) -> Result<LentReader<'_>, sqlx::Error> {
        let permit = match self.permits.try_acquire() {
            Ok(permit) => permit,
            Err(TryAcquireError::Closed) => return Err(sqlx::Error::PoolClosed),
            Err(TryAcquireError::NoPermits) => Box::pin(self.wait_for_permit()).await?,
        };
        let idle = self.idle().pop();
        let conn = match idle {
            Some(conn) => conn,
            None => Box::pin(self.settings.connect()).await?,
        };
        Ok(LentReader { pool: self, conn: Some(conn), _permit: permit })
    }

    async fn wait_for_permit(&self) -> Result<SemaphorePermit<'_>, sqlx::Error> {
        let waiting = async { self.permits.acquire().await.map_err(|_| sqlx::Error::PoolClosed) };
        with_timeout(ACQUIRE_TIMEOUT, waiting).await
    }

    fn idle(&self) -> MutexGuard<'_, Vec<SqliteConnection>> {
        // A panic between lock and unlock is impossible: nothing there can fail.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A borrowed connection, which returns to the pool when it is dropped, even during a query: its thread ends a query
/// whose reader is gone.
struct LentReader<'a> {
    pool: &'a SqliteReadPool,
    conn: Option<SqliteConnection>,
    _permit: SemaphorePermit<'a>,
}

impl LentReader<'_> {
    fn conn(&mut self) -> Result<&mut SqliteConnection, sqlx::Error> {
        self.conn.as_mut().ok_or(sqlx::Error::PoolClosed)
    }

    /// Drops the connection if its thread has ended.
    fn check<T>(&mut self, found: Result<T, sqlx::Error>) -> Result<T, sqlx::Error> {
        if matches!(found, Err(sqlx::Error::WorkerCrashed)) {
            self.conn = None;
        }
        found
    }
}

impl Drop for LentReader<'_> {
    fn drop(&mut self) {
        // Before the permit is released, so that its next owner finds the connection.
        self.pool.idle().extend(self.conn.take());
    }
}
