//! The pool of reading connections.

use super::{
    error::is_lost,
    session::{ANSWER, SessionFactory, execute_text},
};
use crate::{
    clock::with_timeout,
    database::{BoundedRows, SqlQuery, SqlRow, read_connection::collect_bounded},
};
use futures_util::{TryStreamExt, future::BoxFuture};
use sqlx::{PgConnection, PgPool, Postgres, pool::PoolConnection, postgres::PgPoolOptions};
use std::time::Duration;

/// The longest wait of a query for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) struct PostgresReadPool {
    pool: PgPool,
    sessions: SessionFactory,
}

impl PostgresReadPool {
    pub(super) fn new(sessions: &SessionFactory, most: u32) -> Self {
        let pool_sessions = sessions.clone();
        let pool = PgPoolOptions::new()
            .max_connections(most.max(1))
            .test_before_acquire(false)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .after_connect(move |conn, _| {
                let sessions = pool_sessions.clone();
                Box::pin(async move { sessions.set_up(conn).await })
            })
            .connect_lazy_with(sessions.connect.clone());
        Self { pool, sessions: sessions.clone() }
    }

    /// Runs a query and returns its first rows: as many as have at most `most` bytes in their columns `data` together,
    /// and at least one.
    ///
    /// A connection that was idle while the server restarted fails at its first statement. Therefore the query is
    /// retried, at most once for each connection of the pool, until it gets a new connection.
    pub(in crate::database) async fn query_bounded(
        &self,
        query: SqlQuery,
        data: usize,
        most: usize,
    ) -> Result<BoundedRows<SqlRow>, sqlx::Error> {
        for _ in 0..self.pool.size() {
            match self.try_query(query.clone(), data, most).await {
                Err(e) if is_lost(&e) && !is_timeout(&e) => {}
                outcome => return outcome,
            }
        }
        self.try_query(query, data, most).await
    }

    /// The future hides its type, because crates that read would otherwise compile the PostgreSQL client again.
    #[inline(never)]
    fn try_query(
        &self,
        query: SqlQuery,
        data: usize,
        most: usize,
    ) -> BoxFuture<'_, Result<BoundedRows<SqlRow>, sqlx::Error>> {
        Box::pin(async move {
            let begin = self.sessions.pooled.then(|| self.sessions.begin(" READ ONLY"));
            let mut lease = self.acquire(begin).await?;
            let rows = lease.query_bounded(query, data, most).await?;
            lease.release().await?;
            Ok(rows)
        })
    }

    /// Runs two queries in one snapshot of the log.
    #[inline(never)]
    pub(in crate::database) fn query_both(
        &self,
        first: SqlQuery,
        second: SqlQuery,
    ) -> BoxFuture<'_, Result<[Vec<SqlRow>; 2], sqlx::Error>> {
        Box::pin(async move {
            let begin = self.sessions.begin(" ISOLATION LEVEL REPEATABLE READ READ ONLY");
            let mut lease = self.acquire(Some(begin)).await?;
            let first = lease.query_bounded(first, 0, usize::MAX).await?.rows;
            let second = lease.query_bounded(second, 0, usize::MAX).await?.rows;
            lease.release().await?;
            Ok([first, second])
        })
    }

    async fn acquire(&self, begin: Option<String>) -> Result<LentConnection, sqlx::Error> {
        let conn = match self.pool.acquire().await {
            // The pool was not full, so the query waited for the server and not for other queries.
            Err(sqlx::Error::PoolTimedOut)
                if self.pool.size() < self.pool.options().get_max_connections() =>
            {
                return Err(sqlx::Error::Io(std::io::ErrorKind::TimedOut.into()));
            }
            acquired => Some(acquired?),
        };
        let mut lease =
            LentConnection { conn, persistent: !self.sessions.pooled, in_transaction: begin.is_some() };
        if let Some(begin) = begin {
            execute_text(lease.conn()?, begin).await?;
        }
        Ok(lease)
    }

    pub(in crate::database) async fn close(&self) {
        self.pool.close().await;
    }
}

/// Returns true if the error is a timeout: a retry would take as long again.
fn is_timeout(e: &sqlx::Error) -> bool {
    matches!(e, sqlx::Error::Io(e) if e.kind() == std::io::ErrorKind::TimedOut)
}

/// A borrowed connection. If its query failed or its future was dropped, it is closed instead of returned, because an
/// answer may still be on its way.
struct LentConnection {
    conn: Option<PoolConnection<Postgres>>,
    persistent: bool,
    in_transaction: bool,
}

impl LentConnection {
    fn conn(&mut self) -> Result<&mut PgConnection, sqlx::Error> {
        self.conn.as_deref_mut().ok_or(sqlx::Error::PoolClosed)
    }

    async fn query_bounded(
        &mut self,
        query: SqlQuery,
        data: usize,
        most: usize,
    ) -> Result<BoundedRows<SqlRow>, sqlx::Error> {
        let query = query.for_postgres().persistent(self.persistent);
        let rows = query.fetch(self.conn()?).map_ok(SqlRow::Postgres);
        with_timeout(ANSWER, collect_bounded(rows, data, most)).await
    }

    async fn release(mut self) -> Result<(), sqlx::Error> {
        if self.in_transaction {
            execute_text(self.conn()?, "COMMIT".to_owned()).await?;
        }
        drop(self.conn.take());
        Ok(())
    }
}

impl Drop for LentConnection {
    fn drop(&mut self) {
        if let Some(conn) = self.conn.take() {
            drop(conn.detach());
        }
    }
}
