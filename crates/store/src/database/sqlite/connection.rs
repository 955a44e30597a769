//! Connections to the file, and their settings.

use super::{error::error, read_pool::SqliteReadPool};
use crate::{StoreError, StoreOptions, SyncMode};
use sqlx::{
    ConnectOptions, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteSynchronous},
};
use std::{path::Path, time::Duration};

/// Opens the pool of reading connections.
pub(super) async fn open_readers(
    settings: SqliteConnectOptions,
    path: &Path,
    options: &StoreOptions,
) -> Result<SqliteReadPool, StoreError> {
    SqliteReadPool::open(settings, options.readers.max(1)).await.map_err(|e| error(path.into(), &e))
}

/// The rows that a connection's thread reads ahead of the consumer. Each may hold a value of 4 MiB.
const ROWS_READ_AHEAD: usize = 16;

/// How many pages the write-ahead log has before a commit moves it into the file. A checkpoint costs two fsyncs and writes
/// each changed page once, so rarer checkpoints write less.
pub(super) const PAGES_PER_CHECKPOINT: u32 = 16_000;

pub(super) fn settings(path: &Path, options: &StoreOptions) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(false)
        .busy_timeout(options.busy)
        .row_buffer_size(ROWS_READ_AHEAD)
        .synchronous(match options.synchronous {
            SyncMode::Full => SqliteSynchronous::Full,
            SyncMode::Normal => SqliteSynchronous::Normal,
        })
        // A batch changes a few rows on many index pages, and each page is written whole: half the usual size makes a
        // commit a third smaller. It applies to new files only.
        .page_size(2_048)
        .pragma("cache_size", "-16384")
        .pragma("wal_autocheckpoint", PAGES_PER_CHECKPOINT.to_string())
        .pragma("temp_store", "memory")
        .log_statements(tracing::log::LevelFilter::Off)
        .log_slow_statements(tracing::log::LevelFilter::Off, Duration::ZERO)
}

pub(super) async fn connect(
    settings: SqliteConnectOptions,
    path: &Path,
) -> Result<SqliteConnection, StoreError> {
    settings.connect().await.map_err(|e| error(path.into(), &e))
}
