//! The connections that read: a pool, from which each query takes one and gives it back in good order.

use super::{
    error::is_lost,
    session::{ANSWER, SessionFactory, execute_text},
};
use crate::{
    clock::with_timeout,
    database::{BoundedRows, SqlQuery, SqlRow, read_connection::collect_bounded},
};
use futures_util::TryStreamExt;
use sqlx::{PgConnection, PgPool, Postgres, pool::PoolConnection, postgres::PgPoolOptions};
use std::time::Duration;

/// How long a query waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) struct PostgresReadPool {
    pool: PgPool,
    sessions: SessionFactory,
}

impl PostgresReadPool {
    pub(super) fn new(sessions: &SessionFactory, most: u32) -> Self {
        let of_pool = sessions.clone();
        let pool = PgPoolOptions::new()
            .max_connections(most.max(1))
            .test_before_acquire(false)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .after_connect(move |conn, _| {
                let sessions = of_pool.clone();
                Box::pin(async move { sessions.set_up(conn).await })
            })
            .connect_lazy_with(sessions.connect.clone());
        Self { pool, sessions: sessions.clone() }
    }

    /// Has a query answered, as far as what stands in the column `data` has no more than `most` bytes.
    ///
    /// A connection that was idle while the server went away fails at its first word. Nothing is lost by
    /// asking another: in the end it is a new one, or the server is really away.
    pub(in crate::database) async fn query_bounded(
        &self,
        query: SqlQuery,
        data: usize,
        most: usize,
    ) -> Result<BoundedRows<SqlRow>, sqlx::Error> {
        for _ in 0..self.pool.size() {
            match self.once(query.clone(), data, most).await {
                Err(e) if is_lost(&e) && !is_late(&e) => {}
                outcome => return outcome,
            }
        }
        self.once(query, data, most).await
    }

    async fn once(
        &self,
        query: SqlQuery,
        data: usize,
        most: usize,
    ) -> Result<BoundedRows<SqlRow>, sqlx::Error> {
        let begin = self.sessions.pooled.then(|| self.sessions.begin(" READ ONLY"));
        let mut lease = self.acquire(begin).await?;
        let rows = lease.query_bounded(query, data, most).await?;
        lease.release().await?;
        Ok(rows)
    }

    /// Has two queries answered at one moment of the log.
    pub(in crate::database) async fn query_both(
        &self,
        first: SqlQuery,
        second: SqlQuery,
    ) -> Result<[Vec<SqlRow>; 2], sqlx::Error> {
        let begin = self.sessions.begin(" ISOLATION LEVEL REPEATABLE READ READ ONLY");
        let mut lease = self.acquire(Some(begin)).await?;
        let first = lease.query_bounded(first, 0, usize::MAX).await?.rows;
        let second = lease.query_bounded(second, 0, usize::MAX).await?.rows;
        lease.release().await?;
        Ok([first, second])
    }

    async fn acquire(&self, begin: Option<String>) -> Result<LentConnection, sqlx::Error> {
        let conn = match self.pool.acquire().await {
            // There was room for one more, so it was not for others that this had to wait.
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

/// Whether time was lost already: whoever asks again loses as much once more.
fn is_late(e: &sqlx::Error) -> bool {
    matches!(e, sqlx::Error::Io(e) if e.kind() == std::io::ErrorKind::TimedOut)
}

/// A connection that was lent. One that is not given back, because its query failed or nobody waits for it
/// any more, is closed: who knows what is still on its way to it.
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
