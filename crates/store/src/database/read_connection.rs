//! A connection to either database.

use super::{
    BoundedRows, QueryError, SqlQuery, SqlRow, bounded_rows::ByteLimit, sqlite::connection::FileConnection,
};
use crate::DatabaseKind;
use futures_util::{Stream, TryStreamExt};
use sqlx::PgConnection;
use std::pin::pin;

/// A connection to either database.
pub(crate) enum ReadConnection<'a> {
    Sqlite(&'a mut FileConnection),
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
    pub(crate) async fn query_all(&mut self, query: SqlQuery) -> Result<Vec<SqlRow>, QueryError> {
        match self {
            Self::Sqlite(conn) => Ok(conn.query_all(&query)?),
            Self::Postgres(conn) => Ok(query_server(conn, query).await?),
        }
    }
}

/// Runs a query on a server, which does not keep it prepared.
pub(super) async fn query_server(
    conn: &mut PgConnection,
    query: SqlQuery,
) -> Result<Vec<SqlRow>, sqlx::Error> {
    let rows = query.for_postgres().persistent(false).fetch_all(conn).await?;
    Ok(rows.into_iter().map(SqlRow::Postgres).collect())
}

/// Collects rows until their columns `data` have more than `most` bytes together, and at least one row.
pub(super) async fn collect_bounded(
    found: impl Stream<Item = Result<SqlRow, sqlx::Error>>,
    data: usize,
    most: usize,
) -> Result<BoundedRows<SqlRow>, sqlx::Error> {
    let (mut found, mut rows, mut limit) = (pin!(found), Vec::new(), ByteLimit::new(data, most));
    while let Some(row) = found.try_next().await? {
        if !limit.admits(&row) {
            break;
        }
        rows.push(row);
    }
    Ok(BoundedRows { rows, cut: limit.is_exceeded() })
}
