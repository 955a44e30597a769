//! The connections that read, of either database.

use super::{BoundedRows, ReadConnection, SqlQuery, SqlRow, postgres, read_connection::collect_bounded, sqlite};
use crate::{DatabaseKind, DatabaseName, StoreError};
use futures_util::TryStreamExt;
use sqlx::SqlitePool;
use std::sync::Arc;

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
