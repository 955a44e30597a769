//! Opening the file to read and write: it is created or migrated if necessary.

use super::{
    change_listener::SqliteChangeListener,
    connection::{connect, open_readers, settings, writer_settings},
    doorbell::DoorbellFile,
    error::error,
    open_file::{check_file_system, check_writable, create},
    read_pool::SqliteReadPool,
    schema,
    write_session::SqliteWriteSession,
};
use crate::{StoreError, StoreOptions, schema::SchemaLayout};
use sqlx::SqliteConnection;
use std::{path::Path, sync::Arc};

/// The parts of a store.
pub(crate) struct WritableFile {
    pub(crate) session: SqliteWriteSession,
    pub(crate) listener: SqliteChangeListener,
    pub(crate) readers: SqliteReadPool,
    /// The layout before the update.
    pub(crate) found: SchemaLayout,
    /// True if this process has created the file.
    pub(crate) created: bool,
}

/// Opens or creates the file and updates the schema.
pub(super) async fn open_writable(path: &Path, options: &StoreOptions) -> Result<WritableFile, StoreError> {
    check_file_system(path)?;
    let (file, created) = create(path, options.create)?;
    check_writable(&file)?;
    let path = file.path();
    let mut conn = connect(writer_settings(path, options), path).await?;
    let has_tables = schema::check_owner(&mut conn, path).await?;
    if !has_tables && !options.create {
        return Err(StoreError::EmptyFile { place: path.into() });
    }
    let doorbell = Arc::new(DoorbellFile::open(path)?);
    // If two processes turn on write-ahead logging at the same time, SQLite fails one without waiting.
    let write_lock = doorbell.acquire_write_lock().await;
    use_wal(&mut conn, path).await?;
    let found = schema::update_schema(&mut conn, path).await?;
    drop(write_lock);
    let readers = open_readers(settings(path, options).read_only(true), path, options).await?;
    let listener = SqliteChangeListener::new(file.clone(), Some(Arc::clone(&doorbell)), options.poll);
    let session = SqliteWriteSession::new(conn, file, doorbell);
    Ok(WritableFile { session, listener, readers, found, created })
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
