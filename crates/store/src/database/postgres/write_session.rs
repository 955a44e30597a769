//! Writing to PostgreSQL. A writer holds an advisory lock on the log's end until its transaction ends, so that events
//! become visible in the order of their numbers.

use super::{
    error::{batch_failure, is_lost},
    inline,
    lock_holder::find_lock_holder,
    session::{ANSWER, SessionFactory, check_server, execute_text},
};
use crate::{
    DatabaseKind, DatabaseName, PostgresAddress, StoreError, UnavailableDatabase,
    clock::{machine_sleep, with_timeout},
    database::{
        self, BatchFailure, BegunTransaction, FirstReads, LogEnd, MOST_NEW_EVENTS, SqlQuery, SqlRow,
        read_connection::query_server,
    },
    page_limit::{DATA, MOST_BYTES},
    queries,
    schema::latest_migration,
    writer::rows_json,
};
use countersign_events::{Event, Sha256};
use futures_util::TryStreamExt;
use sqlx::{AssertSqlSafe, Either, PgConnection, error::DatabaseError};
use std::time::Duration;

/// The time to find out whether a lost commit was written, before its outcome is reported as unknown. Queued commands
/// wait as long.
const RESOLVE_TIMEOUT: Duration = Duration::from_secs(10);

/// The pause between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

pub(crate) struct PostgresWriteSession {
    address: PostgresAddress,
    sessions: SessionFactory,
    /// The notification channel.
    channel: String,
    conn: Option<PgConnection>,
    /// Whether a writer's statements are prepared on this connection.
    prepared: bool,
}

impl PostgresWriteSession {
    pub(super) fn new(
        address: PostgresAddress,
        sessions: SessionFactory,
        conn: PgConnection,
        channel: String,
    ) -> Self {
        Self { address, sessions, channel, conn: Some(conn), prepared: false }
    }

    fn conn(&mut self) -> Result<&mut PgConnection, sqlx::Error> {
        self.conn.as_mut().ok_or_else(|| sqlx::Error::Io(std::io::ErrorKind::NotConnected.into()))
    }

    /// Opens a connection and checks that the log still has the event `known`.
    async fn connect(&mut self, known: Option<(i64, Sha256)>) -> Result<(), StoreError> {
        let failed = |e| database::postgres::error(self.address.database_name(), &e);
        let mut conn = self.sessions.open().await.map_err(failed)?;
        check_server(&mut conn, &self.address).await?;
        (self.conn, self.prepared) = (Some(conn), false);
        tracing::info!(place = %self.address.database_name(), "connected to the database");
        if let Some((seq, hash)) = known
            && self.hash_at(seq).await? != Some(hash)
        {
            let found = self.begin_at_log_end(&FirstReads::default()).await?.end.tip;
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

    /// Starts a transaction, waits for the lock, and reads the log's end and `reads`, all in one message.
    async fn begin_at_log_end(&mut self, reads: &FirstReads) -> Result<BegunTransaction, StoreError> {
        let place = self.address.database_name();
        match self.send_begin(reads).await {
            Ok(begun) => Ok(begun),
            Err(e) => {
                // The wait for the lock timed out (`lock_not_available`, or `query_canceled` by a shorter limit of the role).
                let code = e.as_database_error().and_then(DatabaseError::code);
                let is_locked = matches!(code.as_deref(), Some("55P03" | "57014"));
                let holder = match self.conn.as_mut() {
                    Some(conn) if is_locked => find_lock_holder(conn).await,
                    _ => None,
                };
                self.conn = None;
                Err(if is_locked {
                    UnavailableDatabase::Locked { place, holder }.into()
                } else {
                    super::error(place, &e)
                })
            }
        }
    }

    async fn send_begin(&mut self, reads: &FirstReads) -> Result<BegunTransaction, sqlx::Error> {
        let pooled = self.sessions.pooled;
        if !pooled && !self.prepared {
            execute_text(self.conn()?, inline::prepare_all()).await?;
            self.prepared = true;
        }
        let events =
            reads.after.map(|after| SqlQuery::new(queries::EVENTS).bind(after).bind(MOST_NEW_EVENTS));
        let mut text = self.sessions.transaction_prelude() + queries::postgres::BEGIN + ";\n";
        for query in events.iter().chain(&reads.load) {
            text += &inline::text_of(query, pooled);
        }
        let mut answers = with_timeout(ANSWER, fetch_answers(self.conn()?, text)).await?;
        let loaded = reads.load.as_ref().and_then(|_| answers.pop());
        let new_rows = events.and_then(|_| answers.pop()).unwrap_or_default();
        let end = answers.pop().and_then(|rows| rows.into_iter().next());
        let number = |column| end.as_ref().and_then(|row| row.number(column)).unwrap_or(0);
        let hash = end.as_ref().and_then(|row| Sha256::from_hex(&row.text(1)?));
        let end = LogEnd { tip: number(0), hash, oldest_layout: number(2) };
        Ok(BegunTransaction { end, new_rows, loaded })
    }

    /// The event hash at `seq`; `None` if there is no such event or it has no hash.
    async fn hash_at(&mut self, seq: i64) -> Result<Option<Sha256>, StoreError> {
        let place = self.address.database_name();
        let begin = self.sessions.begin("");
        let result = async {
            let conn = self.conn()?;
            execute_text(conn, begin).await?;
            let query = SqlQuery::new(queries::HASH_AT).bind(seq);
            let rows = with_timeout(ANSWER, query_server(conn, query)).await?;
            execute_text(conn, "ROLLBACK".to_owned()).await.map(|()| rows)
        };
        let result = result.await.map_err(|e| super::error(place, &e));
        if result.is_err() {
            // The connection is in a failed transaction, in which the next one cannot start.
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
        self.begin_at_log_end(&FirstReads::default()).await?;
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

/// Runs several statements in one string, and returns the rows of each. If the events are too large together, it keeps
/// only the first ones.
async fn fetch_answers(conn: &mut PgConnection, text: String) -> Result<Vec<Vec<SqlRow>>, sqlx::Error> {
    let mut found = sqlx::raw_sql(AssertSqlSafe(text)).fetch_many(conn);
    let (mut answers, mut rows, mut bytes) = (Vec::new(), Vec::new(), 0);
    while let Some(part) = found.try_next().await? {
        match part {
            Either::Left(_) => {
                answers.push(std::mem::take(&mut rows));
                bytes = 0;
            }
            Either::Right(row) => {
                let row = SqlRow::Postgres(row);
                bytes += row.bytes(DATA).ok().flatten().map_or(0, <[u8]>::len);
                if bytes <= MOST_BYTES {
                    rows.push(row);
                }
            }
        }
    }
    Ok(answers)
}

impl database::WriteSession for PostgresWriteSession {
    const IS_BLOCKING: bool = false;
    const LOAD: &'static str = queries::postgres::LOAD;
    const RECORD_PRESENCE: &'static str = queries::postgres::RECORD_PRESENCE;
    const REPLACE_DATA: &'static str = queries::REPLACE_DATA.on(DatabaseKind::Postgres);

    fn database_name(&self) -> DatabaseName {
        self.address.database_name()
    }

    async fn begin(
        &mut self,
        known: Option<(i64, Sha256)>,
        reads: FirstReads,
    ) -> Result<BegunTransaction, StoreError> {
        if self.conn.is_some() {
            match self.begin_at_log_end(&reads).await {
                // The connection was lost while it was idle.
                Err(StoreError::DatabaseUnavailable(UnavailableDatabase::Unreachable { .. })) => {}
                begun => return begun,
            }
        }
        self.connect(known).await?;
        self.begin_at_log_end(&reads).await
    }

    async fn append<'a>(
        &mut self,
        events: impl Iterator<Item = &'a Event> + Send,
    ) -> Result<(), BatchFailure> {
        let append = SqlQuery::new(queries::postgres::APPEND).bind(rows_json(events));
        self.query_all(append.bind(latest_migration())).await.map(|_| ())
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
