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
        // A checkpoint costs two fsyncs and writes each changed page once, so rarer checkpoints write less.
        .pragma("wal_autocheckpoint", "16000")
        .pragma("temp_store", "memory")
        .log_statements(tracing::log::LevelFilter::Off)
        .log_slow_statements(tracing::log::LevelFilter::Off, Duration::ZERO)
}

/// The write connection's settings. When SQLite splits a page, it renumbers pages through a number beyond the file's
/// end, and the commit then scans every cache slot. New rows change the last pages of each index, so a small cache is
/// enough.
pub(super) fn writer_settings(path: &Path, options: &StoreOptions) -> SqliteConnectOptions {
    settings(path, options).pragma("cache_size", "-4096")
}

pub(super) async fn connect(
    settings: SqliteConnectOptions,
    path: &Path,
) -> Result<SqliteConnection, StoreError> {
    settings.connect().await.map_err(|e| error(path.into(), &e))
}
