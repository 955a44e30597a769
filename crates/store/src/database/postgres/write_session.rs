//! Writing to PostgreSQL. A writer holds an advisory lock on the end of the log until its transaction ends, so that
//! events become visible in the order of their numbers.

use super::{
    error::{batch_failure, is_lost},
    session::{ANSWER, SessionFactory, check_server, execute_text},
};
use crate::{
    DatabaseName, PostgresAddress, StoreError, UnavailableDatabase,
    clock::{machine_sleep, with_timeout},
    database::{self, BatchFailure, LogEnd, ReadConnection, SqlQuery, SqlRow},
    queries,
};
use countersign_events::{Event, Sha256};
use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use std::time::Duration;

/// The time to find out whether a lost commit was written, before its outcome is reported as unknown. Queued commands
/// wait as long.
const RESOLVE_TIMEOUT: Duration = Duration::from_secs(20);

/// The pause between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

pub(crate) struct PostgresWriteSession {
    address: PostgresAddress,
    sessions: SessionFactory,
    /// The channel of the notifications.
    channel: String,
    conn: Option<PgConnection>,
}

impl PostgresWriteSession {
    pub(super) fn new(
        address: PostgresAddress,
        sessions: SessionFactory,
        conn: PgConnection,
        channel: String,
    ) -> Self {
        Self { address, sessions, channel, conn: Some(conn) }
    }

    fn conn(&mut self) -> Result<&mut PgConnection, sqlx::Error> {
        self.conn.as_mut().ok_or_else(|| sqlx::Error::Io(std::io::ErrorKind::NotConnected.into()))
    }

    /// Opens a connection and checks that the log still has the event `known`.
    async fn connect(&mut self, known: Option<(i64, Sha256)>) -> Result<(), StoreError> {
        let failed = |e| database::postgres::error(self.address.database_name(), &e);
        let mut conn = self.sessions.open().await.map_err(failed)?;
        check_server(&mut conn, &self.address).await?;
        self.conn = Some(conn);
        tracing::info!(place = %self.address.database_name(), "connected to the database");
        if let Some((seq, hash)) = known
            && self.hash_at(seq).await? != Some(hash)
        {
            let found = self.begin_at_log_end().await?.tip;
            self.conn = None;
            return Err(UnavailableDatabase::Behind {
                place: self.address.database_name(),
                known: seq,
                found,
            }
            .into());
        }
        Ok(())
    }

    /// Begins a transaction, waits for the lock, and returns the end of the log.
    async fn begin_at_log_end(&mut self) -> Result<LogEnd, StoreError> {
        let place = self.address.database_name();
        let begin = self.sessions.transaction_prelude() + queries::postgres::BEGIN;
        let result = async {
            let conn = self.conn()?;
            with_timeout(ANSWER, sqlx::raw_sql(AssertSqlSafe(begin)).fetch_all(conn)).await
        };
        let rows = match result.await {
            Ok(rows) => rows,
            Err(e) => {
                // The wait for the lock timed out: an idle transaction holds it.
                let held = e.as_database_error().is_some_and(|e| e.code().as_deref() == Some("57014"));
                self.conn = None;
                return Err(if held {
                    UnavailableDatabase::Locked(place).into()
                } else {
                    super::error(place, &e)
                });
            }
        };
        let last = rows.last();
        let tip = last.and_then(|row| row.try_get("tip").ok()).unwrap_or(0);
        let hash = last.and_then(|row| row.try_get::<Option<String>, _>("hash").ok().flatten());
        Ok(LogEnd { tip, hash: hash.and_then(|hash| Sha256::from_hex(&hash)) })
    }

    /// The hash of the event at `seq`; `None` if there is no such event or it has no hash.
    async fn hash_at(&mut self, seq: i64) -> Result<Option<Sha256>, StoreError> {
        let place = self.address.database_name();
        let begin = self.sessions.begin("");
        let result = async {
            let conn = self.conn()?;
            execute_text(conn, begin).await?;
            let query = SqlQuery::new(queries::HASH_AT).bind(seq);
            let rows = with_timeout(ANSWER, ReadConnection::Postgres(conn).query_all(query)).await?;
            execute_text(conn, "ROLLBACK".to_owned()).await.map(|()| rows)
        };
        let result = result.await.map_err(|e| super::error(place, &e));
        if result.is_err() {
            // The connection is in a failed transaction, in which the next one cannot begin.
            self.conn = None;
        }
        Ok(result?.first().and_then(|row| Sha256::from_hex(&row.text(0)?)))
    }

    /// Finds out whether a commit succeeded whose answer was lost. The previous transaction has ended once this
    /// connection holds the lock.
    async fn resolve_lost_commit(&mut self, last: &Event) -> Result<(), BatchFailure> {
        let place = self.address.database_name();
        tracing::warn!(%place, seq = last.seq, "a commit failed, or its answer was lost; checking whether it was written");
        if last.hash.is_none() {
            // A copied row without a hash cannot be identified; a resumed copy compares it.
            self.conn = None;
            return Err(BatchFailure::Whole(UnavailableDatabase::Lost(place).into()));
        }
        let outcome = tokio::select! {
            outcome = self.retry_until_resolved(last) => outcome,
            () = machine_sleep(RESOLVE_TIMEOUT) => Err(BatchFailure::Whole(UnavailableDatabase::Lost(place).into())),
        };
        if outcome.is_err() {
            // Another server may answer now. The next connection checks that it has the same log.
            self.conn = None;
        }
        outcome
    }

    async fn retry_until_resolved(&mut self, last: &Event) -> Result<(), BatchFailure> {
        loop {
            match self.was_written(last).await {
                Ok(true) => return Ok(()),
                Ok(false) => {
                    let why = "the connection was lost before this was committed".to_owned();
                    return Err(BatchFailure::Lost(
                        UnavailableDatabase::Unreachable { place: self.address.database_name(), why }.into(),
                    ));
                }
                Err(error) => tracing::warn!(%error, "the outcome of the commit is not known yet"),
            }
            self.conn = None;
            machine_sleep(RETRY_INTERVAL).await;
        }
    }

    async fn was_written(&mut self, last: &Event) -> Result<bool, StoreError> {
        self.conn = None;
        self.connect(None).await?;
        self.begin_at_log_end().await?;
        database::WriteSession::roll_back(self).await;
        Ok(self.hash_at(last.seq).await?.is_some_and(|hash| Some(hash) == last.hash))
    }
}

impl PostgresWriteSession {
    /// Disables or enables the guard against rows that are inserted with SQL. The role must own the table.
    async fn alter_row_guard(&mut self, action: &str) -> Result<(), BatchFailure> {
        let text = format!("ALTER TABLE events {action} TRIGGER rows_without_a_hash_are_decisions");
        let outcome = async { execute_text(self.conn()?, text).await };
        outcome.await.map_err(|e| batch_failure(self.address.database_name(), &e))
    }
}

impl database::WriteSession for PostgresWriteSession {
    const APPEND: &'static str = queries::postgres::APPEND;
    const LOAD: &'static str = queries::postgres::LOAD;
    const RECORD_PRESENCE: &'static str = queries::postgres::RECORD_PRESENCE;

    fn database_name(&self) -> DatabaseName {
        self.address.database_name()
    }

    async fn begin(&mut self, known: Option<(i64, Sha256)>) -> Result<LogEnd, StoreError> {
        if self.conn.is_some() {
            match self.begin_at_log_end().await {
                // The connection was lost while it was idle.
                Err(StoreError::DatabaseUnavailable(UnavailableDatabase::Unreachable { .. })) => {}
                begun => return begun,
            }
        }
        self.connect(known).await?;
        self.begin_at_log_end().await
    }

    async fn query_all(&mut self, query: SqlQuery) -> Result<Vec<SqlRow>, BatchFailure> {
        let (place, persistent) = (self.address.database_name(), !self.sessions.pooled);
        let result = async {
            let query = query.for_postgres().persistent(persistent);
            with_timeout(ANSWER, query.fetch_all(self.conn()?)).await
        };
        let rows = result.await.map_err(|e| batch_failure(place, &e))?;
        Ok(rows.into_iter().map(SqlRow::Postgres).collect())
    }

    /// Notifies right after the commit and not inside the transaction. PostgreSQL serialises the commits of all
    /// transactions of a server that notify, so they would wait for the disk write of this one.
    async fn commit(&mut self, last: Option<&Event>) -> Result<(), BatchFailure> {
        let place = self.address.database_name();
        let Some(last) = last else {
            let outcome = async { execute_text(self.conn()?, "COMMIT".to_owned()).await };
            return outcome.await.map_err(|e| batch_failure(place, &e));
        };
        let text = format!("COMMIT; SELECT pg_notify('{}', '{}')", self.channel, last.seq);
        let outcome = async { execute_text(self.conn()?, text).await };
        match outcome.await {
            Ok(()) => Ok(()),
            // Either COMMIT or the notification failed; the table shows which.
            Err(e) => match self.resolve_lost_commit(last).await {
                // The connection was not lost: the server answered COMMIT with an error.
                Err(BatchFailure::Lost(_)) if !is_lost(&e) => Err(batch_failure(place, &e)),
                outcome => outcome,
            },
        }
    }

    async fn disable_row_guard(&mut self) -> Result<(), BatchFailure> {
        self.alter_row_guard("DISABLE").await
    }

    async fn enable_row_guard(&mut self) -> Result<(), BatchFailure> {
        self.alter_row_guard("ENABLE ALWAYS").await
    }

    async fn roll_back(&mut self) {
        let outcome = async { execute_text(self.conn()?, "ROLLBACK".to_owned()).await };
        if outcome.await.is_err_and(|e| is_lost(&e)) {
            self.conn = None;
        }
    }

    async fn close(self) {
        if let Some(conn) = self.conn {
            // On failure the server notices the closed connection later.
            let _ = with_timeout(ANSWER, sqlx::Connection::close(conn)).await;
        }
    }
}
