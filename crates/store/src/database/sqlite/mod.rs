//! SQLite: one file, shared by all processes of a machine.

mod change_listener;
mod doorbell;
mod error;
mod open_file;
mod schema;
mod version;
mod write_session;

pub(crate) use error::error;
pub use version::sqlite_version;

use crate::{StoreError, StoreOptions, SyncMode, schema::SchemaLayout};
use change_listener::SqliteChangeListener;
use doorbell::DoorbellFile;
use open_file::{check_file_system, create};
use sqlx::{
    ConnectOptions, SqliteConnection, SqlitePool,
    sqlite::{SqliteConnectOptions, SqlitePoolOptions, SqliteSynchronous},
};
use std::{path::Path, sync::Arc, time::Duration};
use write_session::SqliteWriteSession;

/// The parts of a store.
pub(crate) struct OpenedFile {
    pub(crate) session: SqliteWriteSession,
    pub(crate) listener: SqliteChangeListener,
    pub(crate) readers: SqlitePool,
    /// The layout before the update.
    pub(crate) found: SchemaLayout,
}

/// Opens or creates the file and updates the schema.
pub(crate) async fn open(path: &Path, options: &StoreOptions) -> Result<OpenedFile, StoreError> {
    check_file_system(path)?;
    let file = create(path, options.create)?;
    let path = file.path();
    let mut conn = connect(path, options).await?;
    schema::check_owner(&mut conn, path).await?;
    let doorbell = Arc::new(DoorbellFile::open(path)?);
    // If two processes turn on write-ahead logging at the same time, SQLite fails one without waiting.
    let write_lock = doorbell.acquire_write_lock().await;
    use_wal(&mut conn, path).await?;
    let found = schema::update_schema(&mut conn, path).await?;
    drop(write_lock);
    let readers = SqlitePoolOptions::new()
        .max_connections(options.readers.max(1))
        .test_before_acquire(false)
        .acquire_timeout(Duration::from_mins(1))
        .connect_with(settings(path, options).read_only(true))
        .await
        .map_err(|e| error(path.into(), &e))?;
    let listener = SqliteChangeListener::new(file.clone(), Arc::clone(&doorbell), options.poll);
    Ok(OpenedFile { session: SqliteWriteSession::new(conn, file, doorbell), listener, readers, found })
}

fn settings(path: &Path, options: &StoreOptions) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(false)
        .busy_timeout(Duration::from_secs(10))
        .row_buffer_size(2_048)
        .synchronous(match options.synchronous {
            SyncMode::Full => SqliteSynchronous::Full,
            SyncMode::Normal => SqliteSynchronous::Normal,
        })
        // A batch changes a few rows on many index pages, and each page is written whole: half the usual size makes a
        // commit a third smaller. It applies to new files only.
        .page_size(2_048)
        .pragma("cache_size", "-16384")
        // A checkpoint costs two fsyncs and writes each changed page once, so rarer checkpoints write less.
        .pragma("wal_autocheckpoint", "16000")
        .pragma("temp_store", "memory")
        .log_statements(tracing::log::LevelFilter::Off)
        .log_slow_statements(tracing::log::LevelFilter::Off, Duration::ZERO)
}

async fn connect(path: &Path, options: &StoreOptions) -> Result<SqliteConnection, StoreError> {
    let conn = settings(path, options).connect().await;
    conn.map_err(|e| error(path.into(), &e))
}

/// Turns on write-ahead logging, which fails if the file cannot be written.
async fn use_wal(conn: &mut SqliteConnection, path: &Path) -> Result<(), StoreError> {
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode = WAL")
        .fetch_one(&mut *conn)
        .await
        .map_err(|e| error(path.into(), &e))?;
    if mode.eq_ignore_ascii_case("wal") {
        return Ok(());
    }
    Err(StoreError::NoWal {
        place: path.into(),
        file_system: "a file system without shared memory".to_owned(),
    })
}
