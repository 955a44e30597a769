//! A connection to either database.

use super::{BoundedRows, SqlQuery, SqlRow};
use crate::DatabaseKind;
use futures_util::{Stream, TryStreamExt};
use sqlx::{PgConnection, SqliteConnection};
use std::pin::pin;

/// A connection to either database.
pub(crate) enum ReadConnection<'a> {
    Sqlite(&'a mut SqliteConnection),
    Postgres(&'a mut PgConnection),
}

impl ReadConnection<'_> {
    /// The kind of database, which selects a query's text.
    pub(crate) const fn kind(&self) -> DatabaseKind {
        match self {
            Self::Sqlite(_) => DatabaseKind::Sqlite,
            Self::Postgres(_) => DatabaseKind::Postgres,
        }
    }

    /// Runs a query.
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

/// Collects rows until their columns `data` have more than `most` bytes together, and at least one row.
pub(super) async fn collect_bounded(
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
