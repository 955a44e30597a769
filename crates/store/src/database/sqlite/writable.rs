//! Opening the file to read and write: it is created or migrated if necessary.

use super::{
    change_listener::SqliteChangeListener,
    connection::{ConnectionSettings, FileConnection},
    content_guard::ContentGuard,
    doorbell::DoorbellFile,
    error::error,
    lock_holder::find_users,
    open_file::{check_file_system, check_writable, create},
    read_pool::SqliteReadPool,
    schema,
    write_lock::WriteLockFile,
    write_session::SqliteWriteSession,
};
use crate::{
    LogMigration, MigrationRecord, SchemaLayout, StoreError, StoreOptions, database::SqlQuery,
    partial_file::PartialFile,
};
use std::{
    iter,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

/// The busy timeout of one attempt of the writer to take SQLite's lock. The attempts end at the wait's deadline.
const ATTEMPT: Duration = Duration::from_millis(250);

/// The size of the writer's cache in KiB. When SQLite splits a page, it renumbers pages through a number beyond the file's end, and
/// the commit then scans every cache slot. New rows change the last pages of each index, so a small cache is enough.
const WRITER_CACHE: i64 = 4_096;

/// How long processes that start at the same moment look at the layout before they use the log, or wait for its migration.
const STARTS: Duration = Duration::from_secs(2);

/// Store parts.
pub(crate) struct WritableFile {
    pub(crate) session: SqliteWriteSession,
    pub(crate) listener: SqliteChangeListener,
    pub(crate) readers: SqliteReadPool,
    /// The file, without links.
    pub(crate) path: PathBuf,
    /// The layout before the update.
    pub(crate) found: SchemaLayout,
    /// Whether this process has created the file.
    pub(crate) created: bool,
    /// The update, if there was one of an older layout.
    pub(crate) migration: Option<MigrationRecord>,
}

/// Opens or creates the file and updates the schema. A file that needs no update is opened without a lock, so that a
/// writer that is stopped inside its transaction keeps no one from reading.
pub(super) async fn open_writable(path: &Path, options: &StoreOptions) -> Result<WritableFile, StoreError> {
    check_file_system(path)?;
    let (file, created) = create(path, options.create)?;
    check_writable(&file)?;
    let path = file.path();
    let failed = |e: rusqlite::Error| error(path.into(), &e);
    let settings = ConnectionSettings::new(path, options);
    let mut conn = settings.clone().with_cache(WRITER_CACHE).connect().map_err(failed)?;
    let has_tables = schema::check_owner(&conn, path)?;
    if !has_tables && !options.create {
        return Err(StoreError::EmptyFile { place: path.into() });
    }
    let doorbell = Arc::new(DoorbellFile::open(path)?);
    let lock_file = WriteLockFile::open(path)?;
    doorbell.mark_in_use(Instant::now() + options.busy).await;
    let mut found = find_layout(&mut conn, path).await?;
    let mut migration = None;
    if found != SchemaLayout::Ours {
        // A process that waits for the lock does not use the log yet.
        doorbell.mark_unused();
        // If two processes turn on write-ahead logging at the same time, SQLite fails one without waiting.
        let write_lock = lock_file.acquire(Instant::now() + options.busy).await?;
        found = schema::find_layout(&mut conn).await;
        if found == SchemaLayout::Older {
            migration = Some(prepare_migration(&mut conn, path, &doorbell, options.migration).await?);
        }
        // A file with an unknown layout is refused before anything in it changes.
        if let Err(refused) = schema::needs_update(found, path) {
            conn.keep_wal().map_err(failed)?;
            return Err(refused);
        }
        use_wal(&conn, path)?;
        schema::update_schema(&mut conn, path).await?;
        doorbell.mark_in_use(Instant::now()).await;
        drop(write_lock);
    }
    conn.set_busy_timeout(ATTEMPT).map_err(failed)?;
    let read_settings = settings.restrict_to_reading();
    let readers = SqliteReadPool::open(read_settings.clone(), options.readers).map_err(failed)?;
    let file = file.clone().with_companions();
    let guard = ContentGuard::new(read_settings, &file);
    let listener = SqliteChangeListener::new(file.clone(), Some(Arc::clone(&doorbell)), options.poll);
    let session = SqliteWriteSession::new(conn, file, guard, doorbell, lock_file, options.busy);
    Ok(WritableFile { session, listener, readers, path: path.to_owned(), found, created, migration })
}

/// The file's layout. Without write-ahead logging, the log is not complete.
async fn find_layout(conn: &mut FileConnection, path: &Path) -> Result<SchemaLayout, StoreError> {
    if is_wal(conn, path)? { Ok(schema::find_layout(conn).await) } else { Ok(SchemaLayout::None) }
}

/// Keeps other processes from using the log, and copies it, so that an older version can go on with the copy.
async fn prepare_migration(
    conn: &mut FileConnection,
    path: &Path,
    doorbell: &DoorbellFile,
    wanted: LogMigration,
) -> Result<MigrationRecord, StoreError> {
    if wanted == LogMigration::Never {
        return Err(StoreError::OlderDatabase { place: path.into() });
    }
    let is_unused = doorbell.exclude_others(Instant::now() + STARTS).await;
    let users = if is_unused { Vec::new() } else { find_users(path) };
    if !is_unused && wanted == LogMigration::IfUnused {
        return Err(StoreError::MigrationBlocked { place: path.into(), users });
    }
    let copy = copy_before_migration(conn, path)?;
    tracing::info!(copy = %copy.display(), "the log was copied before its migration");
    Ok(MigrationRecord { copy: Some(copy), users })
}

/// Copies the log into a new file beside it, named after its layout number.
fn copy_before_migration(conn: &FileConnection, path: &Path) -> Result<PathBuf, StoreError> {
    let layout =
        conn.query_number("SELECT count(*) FROM _sqlx_migrations").map_err(|e| error(path.into(), &e))?;
    let beside = |end: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    };
    let first = format!(".layout-{layout}");
    // A migration that failed has left its copy.
    let ends = iter::once(first.clone()).chain((2..100).map(|n| format!("{first}-{n}")));
    let target = ends.map(|end| beside(&end)).find(|target| target.symlink_metadata().is_err());
    let target = target.unwrap_or_else(|| beside(&first));
    let part = PartialFile::create(&target)?;
    let copied = conn.query_all(&SqlQuery::new("VACUUM INTO $1").bind(part.text()?));
    copied.map_err(|e| error(target.as_path().into(), &e))?;
    part.keep()?;
    Ok(target)
}

/// Returns true if write-ahead logging is on already.
fn is_wal(conn: &FileConnection, path: &Path) -> Result<bool, StoreError> {
    has_wal_after(conn, path, "PRAGMA journal_mode")
}

/// Turns on write-ahead logging, which fails if the file cannot be written.
fn use_wal(conn: &FileConnection, path: &Path) -> Result<(), StoreError> {
    if has_wal_after(conn, path, "PRAGMA journal_mode = WAL")? {
        return Ok(());
    }
    Err(StoreError::NoWal {
        place: path.into(),
        file_system: "a file system without shared memory".to_owned(),
    })
}

/// Runs a statement that returns the journal's mode, and returns true if that is write-ahead logging.
fn has_wal_after(conn: &FileConnection, path: &Path, statement: &'static str) -> Result<bool, StoreError> {
    let mode = conn.query_all(&SqlQuery::new(statement)).map_err(|e| error(path.into(), &e))?;
    let mode = mode.first().and_then(|row| row.text(0));
    Ok(mode.is_some_and(|mode| mode.eq_ignore_ascii_case("wal")))
}
