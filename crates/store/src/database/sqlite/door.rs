//! Writing to the file. Processes of ours wait for their turn at the bell before they ask SQLite for its
//! lock.

use super::{
    bell::{DoorbellFile, WriteLock},
    error::{BUSY, error, failed, primary_code},
    file::OpenFile,
};
use crate::{
    DatabaseName, StoreError,
    database::{self, BatchFailure, LogEnd, ReadConnection, SqlQuery, SqlRow},
    queries,
};
use countersign_events::{Event, Sha256};
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};
use std::sync::Arc;

/// How often a batch is tried again when another program holds the write lock; each try waits for the
/// busy timeout.
const PATIENCE: u32 = 6;

pub(crate) struct SqliteWriteSession {
    conn: SqliteConnection,
    file: OpenFile,
    bell: Arc<DoorbellFile>,
    /// Held from before the transaction to after it.
    turn: Option<WriteLock>,
    /// How the guard that stands aside is made again. SQLite cannot put a trigger out of force, and only drops it.
    aside: Option<String>,
}

impl SqliteWriteSession {
    pub(super) fn new(conn: SqliteConnection, file: OpenFile, bell: Arc<DoorbellFile>) -> Self {
        Self { conn, file, bell, turn: None, aside: None }
    }

    /// Takes the write lock, however long the queue before it is. Transactions are begun and ended in
    /// plain SQL, because a guard that refuses a row ends them too, behind the back of any bookkeeping.
    async fn lock(&mut self) -> Result<i64, sqlx::Error> {
        for _ in 1..PATIENCE {
            match sqlx::query_scalar(queries::sqlite::BEGIN).fetch_one(&mut self.conn).await {
                Err(e) if primary_code(&e) == Some(BUSY) => {
                    tracing::warn!("another program holds the write lock; waiting");
                }
                begun => return begun,
            }
        }
        sqlx::query_scalar(queries::sqlite::BEGIN).fetch_one(&mut self.conn).await
    }

    async fn run(&mut self, statement: &'static str) -> Result<(), sqlx::Error> {
        sqlx::query(statement).execute(&mut self.conn).await.map(|_| ())
    }
}

impl database::WriteSession for SqliteWriteSession {
    const APPEND: &'static str = queries::sqlite::APPEND;
    const LOAD: &'static str = queries::sqlite::LOAD;

    fn place(&self) -> DatabaseName {
        self.file.path().into()
    }

    async fn begin(&mut self, _: Option<(i64, Sha256)>) -> Result<LogEnd, StoreError> {
        let turn = self.bell.turn().await;
        self.file.check()?;
        let tip = self.lock().await.map_err(|e| error(self.place(), &e))?;
        self.turn = Some(turn);
        Ok(LogEnd { tip, hash: None })
    }

    async fn all(&mut self, query: SqlQuery) -> Result<Vec<SqlRow>, BatchFailure> {
        ReadConnection::Sqlite(&mut self.conn)
            .all(query)
            .await
            .map_err(|e| failed(self.file.path().into(), &e))
    }

    async fn commit(&mut self, last: Option<&Event>) -> Result<(), BatchFailure> {
        if let Err(e) = self.run("COMMIT").await {
            return Err(failed(self.place(), &e));
        }
        if let Some(last) = last {
            // Rung before the next writer's turn, so that the bell always names the end of the log.
            self.bell.ring(last.seq);
        }
        self.turn = None;
        Ok(())
    }

    async fn stand_aside(&mut self) -> Result<(), BatchFailure> {
        let place = self.place();
        let outcome = async {
            let text = "SELECT sql FROM sqlite_schema WHERE name = 'rows_without_a_hash_are_decisions'";
            self.aside = Some(sqlx::query_scalar(text).fetch_one(&mut self.conn).await?);
            self.run("DROP TRIGGER rows_without_a_hash_are_decisions").await
        };
        outcome.await.map_err(|e| failed(place, &e))
    }

    async fn stand_guard(&mut self) -> Result<(), BatchFailure> {
        let Some(text) = self.aside.take() else { return Ok(()) };
        let made = sqlx::raw_sql(AssertSqlSafe(text)).execute(&mut self.conn).await;
        made.map(|_| ()).map_err(|e| failed(self.place(), &e))
    }

    async fn roll_back(&mut self) {
        // Where SQLite has rolled back by itself there is nothing left to end, and it says so.
        let _ = self.run("ROLLBACK").await;
        self.turn = None;
    }

    async fn close(self) {
        // SQLite folds the log into the database on the last connection's way out; if that fails, the
        // next process to open the file does it.
        let _ = self.conn.close().await;
    }
}
