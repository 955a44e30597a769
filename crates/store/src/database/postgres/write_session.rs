//! Writing to PostgreSQL. Whoever writes holds an advisory lock on the end of the log until the transaction
//! is over, so that events become visible in the order of their numbers, whoever else is writing.

use super::{
    error::{batch_failure, is_lost},
    session::{ANSWER, SessionFactory, check_server, execute_text},
};
use crate::{
    DatabaseName, PostgresAddress, StoreError, UnavailableDatabase,
    clock::{with_timeout, machine_sleep},
    database::{self, BatchFailure, LogEnd, ReadConnection, SqlQuery, SqlRow},
    queries,
};
use countersign_events::{Event, Sha256};
use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use std::time::Duration;

/// How long it is asked whether what was being committed is there, before the answer is that nobody knows.
/// Whoever waits behind it waits as long.
const RESOLVE_TIMEOUT: Duration = Duration::from_secs(20);

/// How long to wait from one such question to the next.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

pub(crate) struct PostgresWriteSession {
    address: PostgresAddress,
    sessions: SessionFactory,
    /// The channel that listeners listen on.
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

    /// Makes a connection where there is none, and looks whether this is still the same log.
    async fn connect(&mut self, known: Option<(i64, Sha256)>) -> Result<(), StoreError> {
        let failed = |e| database::postgres::error(self.address.place(), &e);
        let mut conn = self.sessions.open().await.map_err(failed)?;
        check_server(&mut conn, &self.address).await?;
        self.conn = Some(conn);
        tracing::info!(place = %self.address.place(), "connected to the database");
        if let Some((seq, hash)) = known
            && self.hash_at(seq).await? != Some(hash)
        {
            let found = self.begin_at_log_end().await?.tip;
            self.conn = None;
            return Err(UnavailableDatabase::Behind { place: self.address.place(), known: seq, found }.into());
        }
        Ok(())
    }

    /// Begins, waits for the lock, and tells where the log ends.
    async fn begin_at_log_end(&mut self) -> Result<LogEnd, StoreError> {
        let place = self.address.place();
        let begin = self.sessions.transaction_prelude() + queries::postgres::BEGIN;
        let asked = async {
            let conn = self.conn()?;
            with_timeout(ANSWER, sqlx::raw_sql(AssertSqlSafe(begin)).fetch_all(conn)).await
        };
        let rows = match asked.await {
            Ok(rows) => rows,
            Err(e) => {
                // Waiting for the lock took too long: somebody holds it and does nothing.
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

    /// The hash of the event at `seq`, if there is such an event and it has one.
    async fn hash_at(&mut self, seq: i64) -> Result<Option<Sha256>, StoreError> {
        let place = self.address.place();
        let begin = self.sessions.begin("");
        let asked = async {
            let conn = self.conn()?;
            execute_text(conn, begin).await?;
            let query = SqlQuery::new(queries::HASH_AT).bind(seq);
            let rows = with_timeout(ANSWER, ReadConnection::Postgres(conn).query_all(query)).await?;
            execute_text(conn, "ROLLBACK".to_owned()).await.map(|()| rows)
        };
        let asked = asked.await.map_err(|e| super::error(place, &e));
        if asked.is_err() {
            // It stands in a transaction that failed, and who begins next shall not.
            self.conn = None;
        }
        Ok(asked?.first().and_then(|row| Sha256::from_hex(&row.text(0)?)))
    }

    /// Finds out whether what was being committed when the connection was lost is there. Whoever has the
    /// lock knows that the transaction before is over, however it ended.
    async fn resolve_lost_commit(&mut self, last: &Event) -> Result<(), BatchFailure> {
        let place = self.address.place();
        tracing::warn!(%place, seq = last.seq, "a commit failed, or its answer was lost; looking whether it came about");
        if last.hash.is_none() {
            // Of a copied row by hand nothing tells whether it is the same; whoever copies on finds out.
            self.conn = None;
            return Err(BatchFailure::Whole(UnavailableDatabase::Lost(place).into()));
        }
        let outcome = tokio::select! {
            outcome = self.retry_until_resolved(last) => outcome,
            () = machine_sleep(RESOLVE_TIMEOUT) => Err(BatchFailure::Whole(UnavailableDatabase::Lost(place).into())),
        };
        if outcome.is_err() {
            // It may be another server by now. Whoever connects anew looks whether it is the same log.
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
                        UnavailableDatabase::Unreachable { place: self.address.place(), why }.into(),
                    ));
                }
                Err(error) => tracing::warn!(%error, "not known yet"),
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
    /// Takes the guard of rows by hand out of force, or puts it back, which its owner may.
    async fn alter_row_guard(&mut self, action: &str) -> Result<(), BatchFailure> {
        let text = format!("ALTER TABLE events {action} TRIGGER rows_without_a_hash_are_decisions");
        let outcome = async { execute_text(self.conn()?, text).await };
        outcome.await.map_err(|e| batch_failure(self.address.place(), &e))
    }
}

impl database::WriteSession for PostgresWriteSession {
    const APPEND: &'static str = queries::postgres::APPEND;
    const LOAD: &'static str = queries::postgres::LOAD;

    fn place(&self) -> DatabaseName {
        self.address.place()
    }

    async fn begin(&mut self, known: Option<(i64, Sha256)>) -> Result<LogEnd, StoreError> {
        if self.conn.is_some() {
            match self.begin_at_log_end().await {
                // It was lost while nobody used it.
                Err(StoreError::DatabaseUnavailable(UnavailableDatabase::Unreachable { .. })) => {}
                begun => return begun,
            }
        }
        self.connect(known).await?;
        self.begin_at_log_end().await
    }

    async fn query_all(&mut self, query: SqlQuery) -> Result<Vec<SqlRow>, BatchFailure> {
        let (place, persistent) = (self.address.place(), !self.sessions.pooled);
        let asked = async {
            let query = query.for_postgres().persistent(persistent);
            with_timeout(ANSWER, query.fetch_all(self.conn()?)).await
        };
        let rows = asked.await.map_err(|e| batch_failure(place, &e))?;
        Ok(rows.into_iter().map(SqlRow::Postgres).collect())
    }

    /// The bell is rung right after the commit and not in it: PostgreSQL lets only one transaction of all
    /// databases of a server commit at a time if it notifies, and none of them shall wait for our disk.
    async fn commit(&mut self, last: Option<&Event>) -> Result<(), BatchFailure> {
        let place = self.address.place();
        let Some(last) = last else {
            let outcome = async { execute_text(self.conn()?, "COMMIT".to_owned()).await };
            return outcome.await.map_err(|e| batch_failure(place, &e));
        };
        let text = format!("COMMIT; SELECT pg_notify('{}', '{}')", self.channel, last.seq);
        let outcome = async { execute_text(self.conn()?, text).await };
        match outcome.await {
            Ok(()) => Ok(()),
            // Of two statements one failed; which, shows in the table.
            Err(e) => match self.resolve_lost_commit(last).await {
                // The server itself said why.
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
            // The server notices by itself that we left, only later.
            let _ = with_timeout(ANSWER, sqlx::Connection::close(conn)).await;
        }
    }
}
