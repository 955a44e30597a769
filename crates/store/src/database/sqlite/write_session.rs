//! Writing to the file. A Countersign process takes the lock of the doorbell before it takes SQLite's lock.

use super::{
    doorbell::{DoorbellFile, WriteLock},
    error::{BUSY, batch_failure, error, primary_code},
    open_file::OpenFile,
};
use crate::{
    DatabaseKind, DatabaseName, StoreError, UnavailableDatabase,
    database::{
        self, BatchFailure, BegunTransaction, FirstReads, LogEnd, MOST_NEW_EVENTS, ReadConnection, SqlQuery,
        SqlRow, read_connection::collect_bounded,
    },
    page_limit::{DATA, MOST_BYTES},
    queries,
};
use countersign_events::{Event, Sha256};
use futures_util::TryStreamExt;
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};
use std::sync::Arc;

/// The number of attempts to take the write lock while another program holds it. Each waits for the busy timeout.
const LOCK_ATTEMPTS: u32 = 6;

/// The number of attempts to empty the write-ahead log while readers use it.
const TRUNCATE_ATTEMPTS: u32 = 3;

pub(crate) struct SqliteWriteSession {
    conn: SqliteConnection,
    file: OpenFile,
    doorbell: Arc<DoorbellFile>,
    /// Held from before the transaction to after it.
    write_lock: Option<WriteLock>,
    /// The statement that creates the dropped guard again. SQLite cannot disable a trigger.
    dropped_guard: Option<String>,
}

impl SqliteWriteSession {
    pub(super) fn new(conn: SqliteConnection, file: OpenFile, doorbell: Arc<DoorbellFile>) -> Self {
        Self { conn, file, doorbell, write_lock: None, dropped_guard: None }
    }

    /// Takes SQLite's write lock. Transactions begin and end with plain SQL, because a guard that refuses a row ends
    /// the transaction, which the driver would not notice.
    async fn begin_immediate(&mut self) -> Result<i64, sqlx::Error> {
        for _ in 1..LOCK_ATTEMPTS {
            match sqlx::query_scalar(queries::sqlite::BEGIN).fetch_one(&mut self.conn).await {
                Err(e) if primary_code(&e) == Some(BUSY) => {
                    tracing::warn!("another program holds the write lock; waiting");
                }
                begun => return begun,
            }
        }
        sqlx::query_scalar(queries::sqlite::BEGIN).fetch_one(&mut self.conn).await
    }

    /// Waits for the lock of the doorbell, unless it is held already.
    async fn take_write_lock(&mut self) -> Result<(), StoreError> {
        if self.write_lock.is_none() {
            let write_lock = self.doorbell.acquire_write_lock().await;
            self.file.check()?;
            self.write_lock = Some(write_lock);
        }
        Ok(())
    }

    /// Rings the doorbell for events up to `last`, and releases its lock.
    fn end_write(&mut self, last: Option<&Event>) {
        if let Some(last) = last {
            // Before the lock is released, so that the doorbell always has the end of the log.
            self.doorbell.ring(last.seq);
        }
        self.write_lock = None;
    }

    /// Builds the file again from its rows: SQLite leaves copies of rows in the free space of pages when it splits them,
    /// which no setting overwrites. Then moves the write-ahead log into the file and cuts it off. Each attempt waits for
    /// readers as long as the busy timeout. Returns false if a reader kept the write-ahead log.
    async fn vacuum(&mut self) -> Result<bool, sqlx::Error> {
        // The new file is built in a temporary one, which can be too large for the memory.
        self.run("PRAGMA temp_store = FILE").await?;
        let built = self.run("VACUUM").await;
        self.run("PRAGMA temp_store = MEMORY").await?;
        built?;
        for _ in 0..TRUNCATE_ATTEMPTS {
            let found = sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut self.conn).await?;
            let (busy, ..): (i64, i64, i64) = found;
            if busy == 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn run(&mut self, statement: &'static str) -> Result<(), sqlx::Error> {
        sqlx::query(statement).execute(&mut self.conn).await.map(|_| ())
    }
}

impl database::WriteSession for SqliteWriteSession {
    const APPEND: &'static str = queries::sqlite::APPEND;
    const LOAD: &'static str = queries::sqlite::LOAD;
    const RECORD_PRESENCE: &'static str = queries::sqlite::RECORD_PRESENCE;
    const REPLACE_DATA: &'static str = queries::REPLACE_DATA.on(DatabaseKind::Sqlite);

    const APPENDS_AT_ONCE: bool = true;

    fn database_name(&self) -> DatabaseName {
        self.file.path().into()
    }

    async fn lock(&mut self) -> Result<Option<i64>, StoreError> {
        self.take_write_lock().await?;
        Ok(self.doorbell.last_tip())
    }

    async fn append_at_once(&mut self, rows: String, last: Option<&Event>) -> Result<(), BatchFailure> {
        // Outside of BEGIN and COMMIT, a statement is a transaction of its own. Each statement costs a trip to the thread
        // of the connection.
        let appended = sqlx::query(queries::sqlite::APPEND).bind(rows).execute(&mut self.conn).await;
        appended.map_err(|e| batch_failure(self.database_name(), &e))?;
        self.end_write(last);
        Ok(())
    }

    async fn begin(
        &mut self,
        _: Option<(i64, Sha256)>,
        reads: FirstReads,
    ) -> Result<BegunTransaction, StoreError> {
        self.take_write_lock().await?;
        let begun = async {
            let tip = self.begin_immediate().await?;
            let new_rows = match reads.after {
                Some(after) if (1..=MOST_NEW_EVENTS).contains(&(tip - after)) => {
                    let query = SqlQuery::new(queries::EVENTS).bind(after).bind(MOST_NEW_EVENTS);
                    let rows = query.for_sqlite().fetch(&mut self.conn).map_ok(SqlRow::Sqlite);
                    collect_bounded(rows, DATA, MOST_BYTES).await?.rows
                }
                _ => Vec::new(),
            };
            // A message for several statements would save nothing: the driver runs each on its own thread.
            Ok(BegunTransaction { end: LogEnd { tip, hash: None }, new_rows, loaded: None })
        };
        let begun: Result<_, sqlx::Error> = begun.await;
        if begun.is_err() {
            database::WriteSession::roll_back(self).await;
        }
        begun.map_err(|e| error(self.database_name(), &e))
    }

    async fn query_all(&mut self, query: SqlQuery) -> Result<Vec<SqlRow>, BatchFailure> {
        ReadConnection::Sqlite(&mut self.conn)
            .query_all(query)
            .await
            .map_err(|e| batch_failure(self.file.path().into(), &e))
    }

    async fn commit(&mut self, last: Option<&Event>) -> Result<(), BatchFailure> {
        if let Err(e) = self.run("COMMIT").await {
            return Err(batch_failure(self.database_name(), &e));
        }
        self.end_write(last);
        Ok(())
    }

    async fn disable_row_guard(&mut self) -> Result<(), BatchFailure> {
        let place = self.database_name();
        let outcome = async {
            let text = "SELECT sql FROM sqlite_schema WHERE name = 'rows_without_a_hash_are_decisions'";
            self.dropped_guard = Some(sqlx::query_scalar(text).fetch_one(&mut self.conn).await?);
            self.run("DROP TRIGGER rows_without_a_hash_are_decisions").await
        };
        outcome.await.map_err(|e| batch_failure(place, &e))
    }

    async fn enable_row_guard(&mut self) -> Result<(), BatchFailure> {
        let Some(text) = self.dropped_guard.take() else { return Ok(()) };
        let made = sqlx::raw_sql(AssertSqlSafe(text)).execute(&mut self.conn).await;
        made.map(|_| ()).map_err(|e| batch_failure(self.database_name(), &e))
    }

    async fn rewrite_files(&mut self) -> Result<(), StoreError> {
        self.take_write_lock().await?;
        let rewritten = self.vacuum().await;
        self.write_lock = None;
        match rewritten {
            Ok(true) => Ok(()),
            Ok(false) => Err(UnavailableDatabase::Locked(self.database_name()).into()),
            Err(e) => Err(error(self.database_name(), &e)),
        }
    }

    async fn roll_back(&mut self) {
        // This fails if SQLite has rolled back already.
        let _ = self.run("ROLLBACK").await;
        self.write_lock = None;
    }

    async fn checkpoint(&mut self) -> bool {
        // A removed file may have been replaced by another one, whose write-ahead log this connection must not touch.
        if self.file.check().is_err() {
            return true;
        }
        let found = sqlx::query_as("PRAGMA wal_checkpoint(PASSIVE)").fetch_one(&mut self.conn).await;
        found.is_ok_and(|(busy, pages, moved): (i64, i64, i64)| busy == 0 && moved >= pages)
    }

    async fn close(self) {
        // The last connection of all processes moves the write-ahead log into the file and removes it. If that fails,
        // the next process to open the file does it.
        let _ = self.conn.close().await;
    }
}
