//! The raw limit: one connection writes a log with the store's schema, without the store.

use crate::lab::LabOutcome;
use countersign_events::Event;
use countersign_store::{DatabaseUrl, Store, StoreOptions, queries};
use sqlx::{
    AssertSqlSafe, ConnectOptions, PgConnection, SqliteConnection,
    postgres::PgConnectOptions,
    sqlite::{SqliteConnectOptions, SqliteSynchronous},
};

/// A connection to a file, with the store's settings, or to PostgreSQL, with the server's settings.
pub(crate) enum BareLoop {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl BareLoop {
    pub(crate) async fn open(address: &str) -> LabOutcome<Self> {
        let store_url = DatabaseUrl::parse(address)?;
        Store::open(store_url.clone(), StoreOptions::default()).await?.close().await;
        Ok(match store_url {
            DatabaseUrl::File(path) => {
                let settings = SqliteConnectOptions::new()
                    .filename(path)
                    .synchronous(SqliteSynchronous::Full)
                    .pragma("cache_size", "-16384")
                    .pragma("wal_autocheckpoint", "16000")
                    .disable_statement_logging();
                Self::Sqlite(settings.connect().await?)
            }
            DatabaseUrl::Postgres(_) => {
                let settings: PgConnectOptions = address.parse()?;
                Self::Postgres(settings.disable_statement_logging().connect().await?)
            }
        })
    }

    /// Executes plain statements.
    pub(crate) async fn execute_sql(&mut self, text: &str) -> LabOutcome<()> {
        let text = sqlx::raw_sql(AssertSqlSafe(text.to_owned()));
        match self {
            Self::Sqlite(conn) => text.execute(conn).await.map(|_| ())?,
            Self::Postgres(conn) => text.execute(conn).await.map(|_| ())?,
        }
        Ok(())
    }

    /// Inserts events as one batch, in one transaction.
    pub(crate) async fn insert_events(&mut self, events: &[Event]) -> LabOutcome<()> {
        let rows: Vec<_> = events
            .iter()
            .map(|e| (e.seq, &e.thread_id, e.kind, e.timestamp, &e.principal, e.data.as_str(), e.hash))
            .collect();
        let rows = serde_json::to_string(&rows)?;
        match self {
            Self::Sqlite(conn) => {
                sqlx::query("BEGIN IMMEDIATE").execute(&mut *conn).await?;
                sqlx::query(queries::sqlite::APPEND).bind(rows).execute(&mut *conn).await?;
                sqlx::query("COMMIT").execute(conn).await?;
            }
            Self::Postgres(conn) => {
                sqlx::query("BEGIN").execute(&mut *conn).await?;
                sqlx::query(queries::postgres::APPEND).bind(rows).execute(&mut *conn).await?;
                sqlx::query("COMMIT").execute(conn).await?;
            }
        }
        Ok(())
    }

    /// Drops the triggers on new rows, so that only the commit is measured.
    pub(crate) async fn without_guards(mut self) -> LabOutcome<Self> {
        let text = match &self {
            Self::Sqlite(_) => "DROP TRIGGER rows_keep_the_structure; DROP TRIGGER rows_update_open_requests",
            Self::Postgres(_) => "ALTER TABLE events DISABLE TRIGGER USER",
        };
        self.execute_sql(text).await?;
        Ok(self)
    }
}
