//! Why a query failed.

use super::{postgres::error::error as describe_postgres, sqlite::error::error as describe_sqlite};
use crate::{DatabaseName, StoreError, UnavailableDatabase};

/// Why a query failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum QueryError {
    /// The pool of connections is closed.
    #[error("the log is being closed")]
    Closed,
    /// All connections were in use for too long.
    #[error("all connections that read the log are in use")]
    NoConnection,
    /// SQLite failed.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// PostgreSQL failed, or its server does not answer.
    #[error(transparent)]
    Postgres(#[from] sqlx::Error),
}

impl QueryError {
    /// Converts the error of a query on the database `place`.
    pub(crate) fn describe(&self, place: DatabaseName) -> StoreError {
        match self {
            Self::Closed | Self::Postgres(sqlx::Error::PoolClosed) => StoreError::ShuttingDown,
            Self::NoConnection => UnavailableDatabase::Busy { place, why: self.to_string() }.into(),
            Self::Sqlite(error) => describe_sqlite(place, error),
            Self::Postgres(error) => describe_postgres(place, error),
        }
    }
}
