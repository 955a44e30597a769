//! Opens the file read-only: nothing is written, neither to the file nor beside it, so it works on a copy, on a
//! read-only file system and for a user who may only read.

use super::{
    change_listener::SqliteChangeListener,
    connection::{ConnectionSettings, FileConnection},
    error::error,
    open_file::{OpenFile, check_file_system, find},
    read_pool::SqliteReadPool,
    schema,
};
use crate::{
    DatabaseName, SchemaLayout, StoreError, StoreOptions, UnavailableDatabase,
    database::ReadConnection,
    schema::{newer_error, read_layout, warn_of_newer_layout},
};
use std::path::Path;

/// Store parts over a read-only file.
pub(crate) struct ReadOnlyFile {
    pub(crate) place: DatabaseName,
    pub(crate) listener: SqliteChangeListener,
    pub(crate) readers: SqliteReadPool,
    pub(crate) found: SchemaLayout,
}

/// Opens the file read-only. A log with an older layout is refused, because it cannot be migrated, and one with a newer layout if
/// that excludes this program from reading, too.
pub(super) async fn open_read_only(path: &Path, options: &StoreOptions) -> Result<ReadOnlyFile, StoreError> {
    check_file_system(path)?;
    let file = find(path)?;
    let path = file.path();
    let (mut conn, settings) = connect_to_read(&file, options)?;
    let found = read_layout(&mut ReadConnection::Sqlite(&mut conn)).await.unwrap_or(SchemaLayout::None);
    conn.close();
    match found {
        SchemaLayout::Ours => {}
        SchemaLayout::Newer { found, is_readable: true } => warn_of_newer_layout(&path.into(), found),
        SchemaLayout::None => return Err(StoreError::EmptyFile { place: path.into() }),
        SchemaLayout::Older => return Err(StoreError::OlderDatabase { place: path.into() }),
        SchemaLayout::Newer { found, is_readable: false } => return Err(newer_error(path.into(), found)),
        SchemaLayout::Unreleased => return Err(StoreError::UnreleasedDatabase { place: path.into() }),
    }
    let readers = SqliteReadPool::open(settings, options.readers).map_err(|e| error(path.into(), &e))?;
    let place = path.into();
    Ok(ReadOnlyFile { place, listener: SqliteChangeListener::new(file, None, options.poll), readers, found })
}

/// Connects, and returns the settings that worked.
///
/// SQLite reads a file in write-ahead mode through a `-shm` file, which a read-only process cannot create where it is
/// missing. If there is nothing in a `-wal` file either, no process writes to the file, and SQLite may take it as
/// immutable. It then creates no file, which could lock the owner out.
fn connect_to_read(
    file: &OpenFile,
    options: &StoreOptions,
) -> Result<(FileConnection, ConnectionSettings), StoreError> {
    let path = file.path();
    let settings = ConnectionSettings::new(path, options).restrict_to_reading();
    let has_wal = file.has_wal_content();
    if has_wal || file.has_shared_memory() {
        match connect_to_log(&settings, path) {
            Err(StoreError::DatabaseUnavailable(
                UnavailableDatabase::IoError { .. } | UnavailableDatabase::ReadOnly(_),
            )) if has_wal => return Err(UnavailableDatabase::UnreadableWal(path.into()).into()),
            // The `-shm` file is a leftover that this user cannot read.
            Err(StoreError::DatabaseUnavailable(_)) if !has_wal => {}
            connected => return connected.map(|conn| (conn, settings)),
        }
    }
    let settings = settings.restrict_to_immutable();
    Ok((connect_to_log(&settings, path)?, settings))
}

/// Connects, and reads the schema, which fails if SQLite cannot read the file.
fn connect_to_log(settings: &ConnectionSettings, path: &Path) -> Result<FileConnection, StoreError> {
    let conn = settings.connect().map_err(|e| error(path.into(), &e))?;
    schema::check_owner(&conn, path)?;
    Ok(conn)
}
