//! Opening the file to read and write: it is created or migrated if necessary.

use super::{
    change_listener::SqliteChangeListener,
    connection::{connect, open_readers, settings, writer_settings},
    content_guard::ContentGuard,
    doorbell::DoorbellFile,
    error::error,
    open_file::{check_file_system, check_writable, create},
    read_pool::SqliteReadPool,
    schema,
    write_lock::WriteLockFile,
    write_session::SqliteWriteSession,
};
use crate::{StoreError, StoreOptions, schema::SchemaLayout};
use sqlx::SqliteConnection;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

/// The parts of a store.
pub(crate) struct WritableFile {
    pub(crate) session: SqliteWriteSession,
    pub(crate) listener: SqliteChangeListener,
    pub(crate) readers: SqliteReadPool,
    /// The file, without links.
    pub(crate) path: PathBuf,
    /// The layout before the update.
    pub(crate) found: SchemaLayout,
    /// True if this process has created the file.
    pub(crate) created: bool,
}

/// Opens or creates the file and updates the schema. A file that needs no update is opened without a lock, so that a
/// writer that is stopped inside its transaction keeps no one from reading.
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
    let lock_file = WriteLockFile::open(path)?;
    let mut found = if is_wal(&mut conn, path).await? {
        schema::find_layout(&mut conn).await
    } else {
        SchemaLayout::None
    };
    if found != SchemaLayout::Ours {
        // If two processes turn on write-ahead logging at the same time, SQLite fails one without waiting.
        let write_lock = lock_file.acquire(Instant::now() + options.busy).await?;
        use_wal(&mut conn, path).await?;
        found = schema::update_schema(&mut conn, path).await?;
        drop(write_lock);
    }
    let read_settings = settings(path, options).read_only(true);
    let readers = open_readers(read_settings.clone(), path, options).await?;
    let file = file.clone().with_companions();
    let guard = ContentGuard::new(read_settings, &file);
    let listener = SqliteChangeListener::new(file.clone(), Some(Arc::clone(&doorbell)), options.poll);
    let session = SqliteWriteSession::new(conn, (file, guard), (doorbell, lock_file), options.busy).await?;
    Ok(WritableFile { session, listener, readers, path: path.to_owned(), found, created })
}

/// True if write-ahead logging is on already.
async fn is_wal(conn: &mut SqliteConnection, path: &Path) -> Result<bool, StoreError> {
    let mode: Result<String, _> = sqlx::query_scalar("PRAGMA journal_mode").fetch_one(&mut *conn).await;
    mode.map(|mode| mode.eq_ignore_ascii_case("wal")).map_err(|e| error(path.into(), &e))
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
