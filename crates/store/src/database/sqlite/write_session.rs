//! Writing to the file. A Countersign process takes the file lock before it takes SQLite's lock.

use super::{
    content_guard::ContentGuard,
    doorbell::DoorbellFile,
    error::{BUSY, batch_failure, error, is_taken, primary_code},
    open_file::OpenFile,
    write_lock::{WriteLock, WriteLockFile},
};
use crate::{
    DatabaseKind, DatabaseName, StoreError, UnavailableDatabase,
    clock::machine_sleep,
    database::{
        self, BatchFailure, BegunTransaction, FirstReads, LogEnd, MOST_NEW_EVENTS, ReadConnection, SqlQuery,
        SqlRow, read_connection::collect_bounded,
    },
    page_limit::{DATA, MOST_BYTES},
    queries, schema,
};
use countersign_events::{Event, Sha256};
use futures_util::TryStreamExt;
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// The busy timeout of one attempt to take SQLite's lock. The attempts end at the deadline of the wait.
const ATTEMPT: &str = "PRAGMA busy_timeout = 250";

pub(crate) struct SqliteWriteSession {
    conn: SqliteConnection,
    file: OpenFile,
    guard: ContentGuard,
    doorbell: Arc<DoorbellFile>,
    lock_file: WriteLockFile,
    /// The longest wait for a lock.
    longest_wait: Duration,
    /// When the current wait ends.
    deadline: Instant,
    /// Held from before the transaction to after it.
    write_lock: Option<WriteLock>,
    /// The statement that creates the dropped guard again. SQLite cannot disable a trigger.
    dropped_guard: Option<String>,
}

impl SqliteWriteSession {
    /// `conn` is a connection that writes, `guard` watches the content of `file`, `doorbell` and `lock_file` are the files beside `file`, and `longest_wait` is
    /// the longest wait for a lock.
    pub(super) async fn new(
        mut conn: SqliteConnection,
        file: OpenFile,
        guard: ContentGuard,
        doorbell: Arc<DoorbellFile>,
        lock_file: WriteLockFile,
        longest_wait: Duration,
    ) -> Result<Self, StoreError> {
        let set = sqlx::query(ATTEMPT).execute(&mut conn).await;
        set.map_err(|e| error(file.path().into(), &e))?;
        let deadline = Instant::now();
        Ok(Self {
            conn,
            file,
            guard,
            doorbell,
            lock_file,
            longest_wait,
            deadline,
            write_lock: None,
            dropped_guard: None,
        })
    }

    /// Takes SQLite's write lock. Transactions start and end with plain SQL, because a guard that refuses a row ends
    /// the transaction, which the driver would not notice.
    async fn begin_immediate(&mut self) -> Result<LogEnd, sqlx::Error> {
        loop {
            match sqlx::query_as(queries::sqlite::BEGIN).fetch_one(&mut self.conn).await {
                Err(e) if primary_code(&e) == Some(BUSY) && Instant::now() < self.deadline => {
                    tracing::debug!("another program holds the write lock; waiting");
                }
                begun => {
                    return begun.map(|(tip, oldest_layout)| LogEnd { tip, hash: None, oldest_layout });
                }
            }
        }
    }

    /// Waits for the file lock, unless it is held already. From then on, all waits of a transaction have one deadline.
    async fn take_write_lock(&mut self) -> Result<(), StoreError> {
        if self.write_lock.is_none() {
            self.deadline = Instant::now() + self.longest_wait;
            let write_lock = self.lock_file.acquire(self.deadline).await?;
            if let Err(error) = self.file.check() {
                self.save_events().await;
                return Err(error);
            }
            self.guard.check(&self.file).await?;
            self.write_lock = Some(write_lock);
        }
        Ok(())
    }

    /// Rings the doorbell for events up to `last`, and releases the lock. Fails if the files were removed meanwhile: what was
    /// committed to them is not acknowledged.
    fn end_write(&mut self, last: Option<&Event>) -> Result<(), StoreError> {
        if let Some(last) = last {
            // Before the lock is released, so that the doorbell always has the log's end.
            self.doorbell.ring(last.seq);
            self.guard.remember(last);
        }
        self.write_lock = None;
        self.file.check()
    }

    /// Moves events from a removed write-ahead log into the database. Its connections still have the removed files
    /// open.
    async fn save_events(&mut self) {
        if self.file.can_be_saved()
            && let Err(error) = self.run("PRAGMA wal_checkpoint(PASSIVE)").await
        {
            tracing::warn!(%error, "the last events are only in files that were removed");
        }
    }

    /// Builds the file again from its rows: SQLite leaves copies of rows in the free space of pages when it splits
    /// them, which no setting overwrites. Then moves the write-ahead log into the file and cuts it off, for which it
    /// waits for readers until a wait's deadline. Returns false if a reader kept the write-ahead log.
    async fn vacuum(&mut self) -> Result<bool, sqlx::Error> {
        // The new file is built in a temporary one, which can be too large for the memory.
        self.run("PRAGMA temp_store = FILE").await?;
        let built = self.run("VACUUM").await;
        self.run("PRAGMA temp_store = MEMORY").await?;
        built?;
        let deadline = Instant::now() + self.longest_wait;
        while Instant::now() < deadline {
            let found = sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut self.conn).await?;
            let (busy, ..): (i64, i64, i64) = found;
            if busy == 0 {
                return Ok(true);
            }
            // SQLite does not wait for another checkpoint.
            machine_sleep(Duration::from_millis(5)).await;
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

    async fn append_at_once(&mut self, rows: String, last: Option<&Event>) -> Result<bool, BatchFailure> {
        // Outside of BEGIN and COMMIT, a statement is its own transaction. Each statement costs a trip to the
        // connection's thread.
        let append = sqlx::query(queries::sqlite::APPEND).bind(rows).bind(schema::latest_migration());
        let appended = match append.execute(&mut self.conn).await {
            Err(e) if is_taken(&e) => return Ok(false),
            appended => appended.map_err(|e| batch_failure(self.database_name(), &e))?,
        };
        if appended.rows_affected() == 0 {
            return Ok(false);
        }
        self.end_write(last).map(|()| true).map_err(BatchFailure::Whole)
    }

    async fn begin(
        &mut self,
        _: Option<(i64, Sha256)>,
        reads: FirstReads,
    ) -> Result<BegunTransaction, StoreError> {
        self.take_write_lock().await?;
        let begun = async {
            let end = self.begin_immediate().await?;
            let new_rows = match reads.after {
                Some(after) if (1..=MOST_NEW_EVENTS).contains(&(end.tip - after)) => {
                    let query = SqlQuery::new(queries::EVENTS).bind(after).bind(MOST_NEW_EVENTS);
                    let rows = query.for_sqlite().fetch(&mut self.conn).map_ok(SqlRow::Sqlite);
                    collect_bounded(rows, DATA, MOST_BYTES).await?.rows
                }
                _ => Vec::new(),
            };
            // A message for several statements would save nothing: the driver runs each on its own thread.
            Ok(BegunTransaction { end, new_rows, loaded: None })
        };
        let begun: Result<_, sqlx::Error> = begun.await;
        match begun {
            Ok(begun) => Ok(begun),
            Err(e) => {
                let is_locked = primary_code(&e) == Some(BUSY);
                let failed =
                    if is_locked { self.lock_file.locked() } else { error(self.database_name(), &e) };
                database::WriteSession::roll_back(self).await;
                Err(failed)
            }
        }
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
        self.end_write(last).map_err(BatchFailure::Whole)
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
            Ok(false) => Err(UnavailableDatabase::WalInUse(self.database_name()).into()),
            Err(e) => Err(error(self.database_name(), &e)),
        }
    }

    async fn roll_back(&mut self) {
        // This fails if SQLite has rolled back already.
        let _ = self.run("ROLLBACK").await;
        self.write_lock = None;
    }

    async fn checkpoint(&mut self) -> bool {
        // Removed files may have been replaced by others, which this connection must not touch.
        if self.file.check().is_err() {
            self.save_events().await;
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
