//! The raw limit: one connection writes a log with the store's schema, without the store.

use crate::lab::LabOutcome;
use countersign_events::Event;
use countersign_store::{DatabaseUrl, Store, StoreOptions, queries};
use sqlx::{
    AssertSqlSafe, ConnectOptions, PgConnection, QueryBuilder, SqliteConnection,
    postgres::PgConnectOptions,
    sqlite::{SqliteConnectOptions, SqliteSynchronous},
};
use std::path::Path;

/// A connection to a file, with the store's settings, or to PostgreSQL, with the server's settings.
pub(crate) enum BareLoop {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

/// A log's columns, and nothing else.
const PLAIN_TABLE: &str = "CREATE TABLE events (
    seq INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, type TEXT NOT NULL, timestamp TEXT NOT NULL,
    principal TEXT NOT NULL, data TEXT NOT NULL, hash TEXT)";

/// A program layout that no log excludes.
const ANY_LAYOUT: i64 = i64::MAX;

impl BareLoop {
    pub(crate) async fn open(address: &str) -> LabOutcome<Self> {
        let store_url = DatabaseUrl::parse(address)?;
        Store::open(store_url.clone(), StoreOptions::default()).await?.close().await;
        Ok(match store_url {
            DatabaseUrl::File(path) => Self::Sqlite(settings(&path).connect().await?),
            DatabaseUrl::Postgres(_) => {
                let settings: PgConnectOptions = address.parse()?;
                Self::Postgres(settings.disable_statement_logging().connect().await?)
            }
        })
    }

    /// Opens a file with the store's settings whose table `events` has no index and no trigger.
    pub(crate) async fn open_plain(path: &Path) -> LabOutcome<Self> {
        let settings = settings(path).create_if_missing(true).page_size(2_048);
        let mut bare = Self::Sqlite(settings.pragma("journal_mode", "WAL").connect().await?);
        bare.execute_sql(PLAIN_TABLE).await?;
        Ok(bare)
    }

    /// Inserts events as one batch with one statement, which is a transaction of its own. Each value is bound.
    pub(crate) async fn insert_bound(&mut self, events: &[Event]) -> LabOutcome<()> {
        let Self::Sqlite(conn) = self else { return Err("only SQLite is measured with bound values".into()) };
        let mut statement = QueryBuilder::new("INSERT INTO events ");
        statement.push_values(events, |mut row, event| {
            row.push_bind(event.seq)
                .push_bind(event.thread_id.as_str())
                .push_bind(event.kind.as_str())
                .push_bind(event.timestamp.to_string())
                .push_bind(event.principal.to_string())
                .push_bind(event.data.as_str())
                .push_bind(event.hash.map(|hash| hash.to_string()));
        });
        statement.build().execute(conn).await?;
        Ok(())
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
        match self {
            // A statement outside of a transaction is one.
            Self::Sqlite(_) => self.insert_bound(events).await?,
            Self::Postgres(conn) => {
                let rows: Vec<_> = events
                    .iter()
                    .map(|e| {
                        (e.seq, &e.thread_id, e.kind, e.timestamp, &e.principal, e.data.as_str(), e.hash)
                    })
                    .collect();
                let rows = serde_json::to_string(&rows)?;
                sqlx::query("BEGIN").execute(&mut *conn).await?;
                sqlx::query(queries::postgres::APPEND)
                    .bind(rows)
                    .bind(ANY_LAYOUT)
                    .execute(&mut *conn)
                    .await?;
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

/// The settings that the store's writer has too.
fn settings(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .synchronous(SqliteSynchronous::Full)
        .pragma("cache_size", "-16384")
        .pragma("wal_autocheckpoint", "16000")
        .disable_statement_logging()
}
