//! The pool of connections that read. A query runs on a thread for blocking work, so that a long one delays no task; one that
//! finds its rows by key runs at once.

use super::connection::{ConnectionSettings, FileConnection};
use crate::{
    clock::machine_sleep,
    database::{BoundedRows, QueryError, SqlQuery, SqlRow, bounded_rows::ByteLimit},
};
use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError},
    task::{JoinError, JoinHandle, spawn_blocking},
};

/// The longest wait of a query for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_mins(1);

pub(crate) struct SqliteReadPool {
    settings: ConnectionSettings,
    /// The connections without a query. The last one that came back is used first, because its cache is the warmest.
    idle: Arc<Mutex<Vec<Reader>>>,
    permits: Arc<Semaphore>,
    size: u32,
}

impl SqliteReadPool {
    /// Opens the first connection. Others follow when that many queries run at once.
    pub(super) fn open(settings: ConnectionSettings, size: u32) -> Result<Self, rusqlite::Error> {
        let size = size.max(1);
        let idle = Arc::new(Mutex::new(vec![Reader::connect(&settings)?]));
        let permits = Arc::new(Semaphore::new(usize::try_from(size).unwrap_or(Semaphore::MAX_PERMITS)));
        Ok(Self { settings, idle, permits, size })
    }

    /// Runs a query.
    pub(in crate::database) async fn query_all(&self, query: SqlQuery) -> Result<Vec<SqlRow>, QueryError> {
        if query.is_brief() {
            return self.acquire().await?.conn().query_all(&query).map_err(QueryError::Sqlite);
        }
        self.run(move |conn| conn.query_all(&query)).await
    }

    /// Runs a query and returns its first rows: as many as have at most `most` bytes in their columns `data` together,
    /// and at least one.
    pub(in crate::database) async fn query_bounded(
        &self,
        query: SqlQuery,
        data: usize,
        most: usize,
    ) -> Result<BoundedRows<SqlRow>, QueryError> {
        self.run(move |conn| {
            let mut limit = ByteLimit::new(data, most);
            let rows = conn.query(&query, |row| limit.admits(row))?;
            Ok(BoundedRows { rows, cut: limit.is_exceeded() })
        })
        .await
    }

    /// Runs two queries in one snapshot of the log.
    pub(in crate::database) async fn query_both(
        &self,
        first: SqlQuery,
        second: SqlQuery,
    ) -> Result<[Vec<SqlRow>; 2], QueryError> {
        self.run(move |conn| {
            conn.read_in_transaction(|conn| Ok([conn.query_all(&first)?, conn.query_all(&second)?]))
        })
        .await
    }

    /// Closes the connections after their queries. Later queries fail.
    pub(in crate::database) async fn close(&self) {
        if let Ok(_all) = self.permits.acquire_many(self.size).await {
            lock(&self.idle).clear();
            self.permits.close();
        }
    }

    /// Runs `work` on a thread for blocking work. A caller that goes away ends it.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&FileConnection) -> Result<T, rusqlite::Error> + Send + 'static,
    ) -> Result<T, QueryError> {
        let lent = self.acquire().await?;
        let turns = lent.turns();
        let turn = turns.current();
        let mut query = RunningQuery { work: spawn_blocking(move || work(lent.conn())), turns, turn };
        (&mut query.work).await.map_err(stopped)?.map_err(QueryError::Sqlite)
    }

    async fn acquire(&self) -> Result<LentReader, QueryError> {
        let permit = match Arc::clone(&self.permits).try_acquire_owned() {
            Ok(permit) => permit,
            Err(TryAcquireError::Closed) => return Err(QueryError::Closed),
            Err(TryAcquireError::NoPermits) => Box::pin(self.wait_for_permit()).await?,
        };
        let idle = lock(&self.idle).pop();
        let reader = match idle {
            Some(reader) => reader,
            None => Box::pin(self.connect()).await?,
        };
        Ok(LentReader { pool: Arc::clone(&self.idle), reader: Some(reader), _permit: permit })
    }

    async fn connect(&self) -> Result<Reader, QueryError> {
        let settings = self.settings.clone();
        let connected = spawn_blocking(move || Reader::connect(&settings)).await.map_err(stopped)?;
        connected.map_err(QueryError::Sqlite)
    }

    async fn wait_for_permit(&self) -> Result<OwnedSemaphorePermit, QueryError> {
        let permits = Arc::clone(&self.permits);
        tokio::select! {
            permit = permits.acquire_owned() => permit.map_err(|_| QueryError::Closed),
            () = machine_sleep(ACQUIRE_TIMEOUT) => Err(QueryError::NoConnection),
        }
    }
}

/// A blocking task ends without an answer if it panics, or if the runtime stops before the task starts.
fn stopped(ended: JoinError) -> QueryError {
    match ended.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => QueryError::Closed,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic between lock and unlock is impossible: nothing there can fail.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection, and what is needed to end its query from another thread.
struct Reader {
    conn: FileConnection,
    turns: Arc<QueryTurns>,
}

impl Reader {
    fn connect(settings: &ConnectionSettings) -> Result<Self, rusqlite::Error> {
        let (conn, turns) = (settings.connect()?, Arc::new(QueryTurns::default()));
        let watched = Arc::clone(&turns);
        conn.stop_queries_when(move || watched.is_abandoned())?;
        Ok(Self { conn, turns })
    }
}

/// Counts the queries of a connection, so that a caller that goes away ends only its own.
#[derive(Default)]
struct QueryTurns {
    /// The queries before the current one.
    ended: AtomicU64,
    /// The last query that a caller abandoned; the first is 1.
    abandoned: AtomicU64,
}

impl QueryTurns {
    /// The number of the current query.
    fn current(&self) -> u64 {
        self.ended.load(Ordering::Acquire) + 1
    }

    fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Acquire) == self.current()
    }
}

/// A borrowed connection, which returns to the pool when it is dropped.
struct LentReader {
    pool: Arc<Mutex<Vec<Reader>>>,
    reader: Option<Reader>,
    _permit: OwnedSemaphorePermit,
}

impl LentReader {
    fn conn(&self) -> &FileConnection {
        &self.reader.as_ref().expect("it is lent until it is dropped").conn
    }

    fn turns(&self) -> Arc<QueryTurns> {
        Arc::clone(&self.reader.as_ref().expect("it is lent until it is dropped").turns)
    }
}

impl Drop for LentReader {
    fn drop(&mut self) {
        let Some(reader) = self.reader.take() else { return };
        // A panic may have left a transaction open.
        if !std::thread::panicking() {
            reader.turns.ended.fetch_add(1, Ordering::AcqRel);
            // Before the permit is released, so that its next owner finds the connection.
            lock(&self.pool).push(reader);
        }
    }
}

/// A query on another thread, which ends when this is dropped before.
struct RunningQuery<T> {
    work: JoinHandle<T>,
    turns: Arc<QueryTurns>,
    turn: u64,
}

impl<T> Drop for RunningQuery<T> {
    fn drop(&mut self) {
        // Neither has an effect on a query that has ended, and only the first on one that has not begun.
        self.work.abort();
        self.turns.abandoned.fetch_max(self.turn, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::SqliteReadPool;
    use crate::{StoreOptions, database::SqlQuery, database::sqlite::connection::ConnectionSettings};
    use futures_util::FutureExt;
    use tokio::sync::oneshot;

    const ENDLESS: &str = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers)
        SELECT count(*) FROM numbers";

    fn open_pool(size: u32) -> SqliteReadPool {
        let settings = ConnectionSettings::new(":memory:".as_ref(), &StoreOptions::default());
        SqliteReadPool::open(settings, size).expect("opens")
    }

    /// Otherwise the second query would wait for ever for the only connection.
    #[tokio::test]
    async fn dropped_query_is_interrupted() {
        let pool = open_pool(1);
        let (started, has_started) = oneshot::channel();
        let endless = pool.run(move |conn| {
            let _ = started.send(());
            conn.query_all(&SqlQuery::new(ENDLESS))
        });
        tokio::select! {
            _ = endless => unreachable!("it is endless"),
            _ = has_started => {}
        }
        let found = pool.query_all(SqlQuery::new("SELECT 7")).await.expect("reads");
        assert_eq!(found.first().and_then(|row| row.number(0)), Some(7));
    }

    /// Its query ends at whichever point it was dropped.
    #[tokio::test]
    async fn query_dropped_at_its_start_returns_its_connection() {
        let pool = open_pool(1);
        for _ in 0..50 {
            let _ = pool.run(|conn| conn.query_all(&SqlQuery::new(ENDLESS))).now_or_never();
            assert_eq!(pool.query_all(SqlQuery::new("SELECT 7")).await.expect("reads").len(), 1);
        }
        pool.close().await;
        assert!(pool.query_all(SqlQuery::new("SELECT 7")).await.is_err());
    }
}
