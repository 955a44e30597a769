//! The pool of read connections to either database.

use super::{BoundedRows, QueryError, SqlQuery, SqlRow, postgres, sqlite};
use crate::DatabaseKind;
use std::sync::Arc;

/// The pool of reading connections.
#[derive(Clone)]
pub(crate) enum ReadPool {
    Sqlite(Arc<sqlite::SqliteReadPool>),
    Postgres(Arc<postgres::PostgresReadPool>),
}

impl ReadPool {
    /// The kind of database, which selects a query's text.
    pub(crate) const fn kind(&self) -> DatabaseKind {
        match self {
            Self::Sqlite(_) => DatabaseKind::Sqlite,
            Self::Postgres(_) => DatabaseKind::Postgres,
        }
    }

    /// Runs a query.
    pub(crate) async fn query_all(&self, query: SqlQuery) -> Result<Vec<SqlRow>, QueryError> {
        match self {
            Self::Sqlite(readers) => readers.query_all(query).await,
            Self::Postgres(readers) => Ok(Box::pin(readers.query_bounded(query, 0, usize::MAX)).await?.rows),
        }
    }

    /// Runs a query and returns its first rows: as many as have at most `most` bytes in their columns `data` together,
    /// and at least one. `data` is the column's index.
    pub(crate) async fn query_bounded(
        &self,
        query: SqlQuery,
        data: usize,
        most: usize,
    ) -> Result<BoundedRows<SqlRow>, QueryError> {
        match self {
            Self::Sqlite(readers) => readers.query_bounded(query, data, most).await,
            // Boxed, because ten thousand futures may wait here, and most of them read from SQLite.
            Self::Postgres(readers) => Ok(Box::pin(readers.query_bounded(query, data, most)).await?),
        }
    }

    /// Runs two queries in one snapshot of the log.
    pub(crate) async fn query_both(
        &self,
        first: SqlQuery,
        second: SqlQuery,
    ) -> Result<[Vec<SqlRow>; 2], QueryError> {
        match self {
            Self::Sqlite(readers) => readers.query_both(first, second).await,
            Self::Postgres(readers) => Ok(readers.query_both(first, second).await?),
        }
    }

    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(readers) => readers.close().await,
            Self::Postgres(readers) => readers.close().await,
        }
    }
}
