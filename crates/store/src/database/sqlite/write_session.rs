//! Writing to the file. A Countersign process takes the file lock before it takes SQLite's lock.

use super::{
    connection::FileConnection,
    content_guard::ContentGuard,
    doorbell::DoorbellFile,
    error::{batch_failure, error, is_busy},
    open_file::OpenFile,
    write_lock::{WriteLock, WriteLockFile},
};
use crate::{
    DatabaseKind, DatabaseName, StoreError, UnavailableDatabase,
    clock::machine_sleep,
    database::{
        self, BatchFailure, BegunTransaction, FirstReads, LogEnd, MOST_NEW_EVENTS, SqlQuery, SqlRow,
        bounded_rows::ByteLimit,
    },
    page_limit::{DATA, MOST_BYTES},
    queries,
};
use countersign_events::{Event, Sha256};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

pub(crate) struct SqliteWriteSession {
    conn: FileConnection,
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
    pub(super) fn new(
        conn: FileConnection,
        file: OpenFile,
        guard: ContentGuard,
        doorbell: Arc<DoorbellFile>,
        lock_file: WriteLockFile,
        longest_wait: Duration,
    ) -> Self {
        let deadline = Instant::now();
        Self {
            conn,
            file,
            guard,
            doorbell,
            lock_file,
            longest_wait,
            deadline,
            write_lock: None,
            dropped_guard: None,
        }
    }

    /// Takes SQLite's write lock, and reads the log's end and the events after `after`. Transactions start and end with plain SQL,
    /// because a guard that refuses a row ends the transaction, which the driver would not notice.
    fn begin_immediate(&self, after: Option<i64>) -> Result<BegunTransaction, rusqlite::Error> {
        while let Err(e) = self.conn.run("BEGIN IMMEDIATE") {
            if !is_busy(&e) || Instant::now() >= self.deadline {
                return Err(e);
            }
            tracing::debug!("another program holds the write lock; waiting");
        }
        let found = self.conn.query_all(&SqlQuery::new(queries::sqlite::BEGIN))?;
        let number = |column| found.first().and_then(|row| row.number(column)).unwrap_or(0);
        let end = LogEnd { tip: number(0), hash: None, oldest_layout: number(1) };
        let new_rows = match after {
            Some(after) if (1..=MOST_NEW_EVENTS).contains(&(end.tip - after)) => {
                let query = SqlQuery::new(queries::EVENTS).bind(after).bind(MOST_NEW_EVENTS);
                let mut limit = ByteLimit::new(DATA, MOST_BYTES);
                self.conn.query(&query, |row| limit.admits(row))?
            }
            _ => Vec::new(),
        };
        Ok(BegunTransaction { end, new_rows, loaded: None })
    }

    /// Waits for the file lock, unless it is held already. From then on, all waits of a transaction have one deadline.
    async fn take_write_lock(&mut self) -> Result<(), StoreError> {
        if self.write_lock.is_none() {
            self.deadline = Instant::now() + self.longest_wait;
            let write_lock = self.lock_file.acquire(self.deadline).await?;
            if let Err(error) = self.file.check() {
                self.save_events();
                return Err(error);
            }
            self.guard.check(&self.file)?;
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
    fn save_events(&self) {
        if self.file.can_be_saved()
            && let Err(error) = self.conn.run("PRAGMA wal_checkpoint(PASSIVE)")
        {
            tracing::warn!(%error, "the last events are only in files that were removed");
        }
    }

    /// Builds the file again from its rows: SQLite leaves copies of rows in the free space of pages when it splits
    /// them, which no setting overwrites. Then moves the write-ahead log into the file and cuts it off, for which it
    /// waits for readers until a wait's deadline. Returns false if a reader kept the write-ahead log.
    async fn vacuum(&mut self) -> Result<bool, rusqlite::Error> {
        // The new file is built in a temporary one, which can be too large for the memory.
        self.conn.run("PRAGMA temp_store = FILE")?;
        let built = self.conn.run("VACUUM");
        self.conn.run("PRAGMA temp_store = MEMORY")?;
        built?;
        let deadline = Instant::now() + self.longest_wait;
        while Instant::now() < deadline {
            let found = self.conn.query_all(&SqlQuery::new("PRAGMA wal_checkpoint(TRUNCATE)"))?;
            if found.first().and_then(|row| row.number(0)) == Some(0) {
                return Ok(true);
            }
            // SQLite does not wait for another checkpoint.
            machine_sleep(Duration::from_millis(5)).await;
        }
        Ok(false)
    }
}

impl database::WriteSession for SqliteWriteSession {
    const LOAD: &'static str = queries::sqlite::LOAD;
    const RECORD_PRESENCE: &'static str = queries::sqlite::RECORD_PRESENCE;
    const REPLACE_DATA: &'static str = queries::REPLACE_DATA.on(DatabaseKind::Sqlite);

    const IS_BLOCKING: bool = true;

    fn database_name(&self) -> DatabaseName {
        self.file.path().into()
    }

    async fn begin(
        &mut self,
        _: Option<(i64, Sha256)>,
        reads: FirstReads,
    ) -> Result<BegunTransaction, StoreError> {
        self.take_write_lock().await?;
        match self.begin_immediate(reads.after) {
            Ok(begun) => Ok(begun),
            Err(e) => {
                let failed =
                    if is_busy(&e) { self.lock_file.locked() } else { error(self.database_name(), &e) };
                database::WriteSession::roll_back(self).await;
                Err(failed)
            }
        }
    }

    async fn append<'a>(
        &mut self,
        events: impl Iterator<Item = &'a Event> + Send,
    ) -> Result<(), BatchFailure> {
        self.conn.append(events).map_err(|e| batch_failure(self.database_name(), &e))
    }

    async fn query_all(&mut self, query: SqlQuery) -> Result<Vec<SqlRow>, BatchFailure> {
        self.conn.query_all(&query).map_err(|e| batch_failure(self.database_name(), &e))
    }

    async fn commit(&mut self, last: Option<&Event>) -> Result<(), BatchFailure> {
        if let Err(e) = self.conn.run("COMMIT") {
            return Err(batch_failure(self.database_name(), &e));
        }
        self.end_write(last).map_err(BatchFailure::Whole)
    }

    async fn disable_row_guard(&mut self) -> Result<(), BatchFailure> {
        let text = "SELECT sql FROM sqlite_schema WHERE name = 'rows_without_a_hash_are_decisions'";
        let found = self.query_all(SqlQuery::new(text)).await?;
        self.dropped_guard = found.first().and_then(|row| row.text(0));
        let dropped = self.conn.run("DROP TRIGGER rows_without_a_hash_are_decisions");
        dropped.map_err(|e| batch_failure(self.database_name(), &e))
    }

    async fn enable_row_guard(&mut self) -> Result<(), BatchFailure> {
        let Some(text) = self.dropped_guard.take() else { return Ok(()) };
        self.conn.run(&text).map_err(|e| batch_failure(self.database_name(), &e))
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
        let _ = self.conn.run("ROLLBACK");
        self.write_lock = None;
    }

    async fn checkpoint(&mut self) -> bool {
        // Removed files may have been replaced by others, which this connection must not touch.
        if self.file.check().is_err() {
            self.save_events();
            return true;
        }
        let Ok(found) = self.conn.query_all(&SqlQuery::new("PRAGMA wal_checkpoint(PASSIVE)")) else {
            return false;
        };
        let number = |column| found.first().and_then(|row| row.number(column));
        number(0) == Some(0) && number(2) >= number(1)
    }

    async fn close(self) {
        self.conn.close();
    }
}
