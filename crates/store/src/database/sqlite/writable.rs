//! Opening the file to read and write: it is created or migrated if necessary.

use super::{
    change_listener::SqliteChangeListener,
    connection::{connect, open_readers, settings},
    content_guard::ContentGuard,
    doorbell::DoorbellFile,
    error::error,
    lock_holder::find_users,
    open_file::{check_file_system, check_writable, create},
    read_pool::SqliteReadPool,
    schema,
    write_connection::WriteConnection,
    write_lock::WriteLockFile,
    write_session::SqliteWriteSession,
};
use crate::{
    LogMigration, MigrationRecord, SchemaLayout, StoreError, StoreOptions, partial_file::PartialFile,
};
use sqlx::{Connection as _, SqliteConnection};
use std::{
    iter,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

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
    let mut conn = connect(settings(path, options), path).await?;
    let has_tables = schema::check_owner(&mut conn, path).await?;
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
        use_wal(&mut conn, path).await?;
        schema::update_schema(&mut conn, path).await?;
        doorbell.mark_in_use(Instant::now()).await;
        drop(write_lock);
    }
    let read_settings = settings(path, options).read_only(true);
    let readers = open_readers(read_settings.clone(), path, options).await?;
    let writer = WriteConnection::open(path, options).map_err(|e| error(path.into(), &e))?;
    // After the others are open: the last connection to close removes the files beside the database. It has written nothing since its
    // last commit, so a failure leaves nothing behind.
    let _ = conn.close().await;
    let file = file.clone().with_companions();
    let guard = ContentGuard::new(read_settings, &file);
    let listener = SqliteChangeListener::new(file.clone(), Some(Arc::clone(&doorbell)), options.poll);
    let session = SqliteWriteSession::new(writer, file, guard, doorbell, lock_file, options.busy);
    Ok(WritableFile { session, listener, readers, path: path.to_owned(), found, created, migration })
}

/// The file's layout. Without write-ahead logging, the log is not complete.
async fn find_layout(conn: &mut SqliteConnection, path: &Path) -> Result<SchemaLayout, StoreError> {
    if is_wal(conn, path).await? { Ok(schema::find_layout(conn).await) } else { Ok(SchemaLayout::None) }
}

/// Keeps other processes from using the log, and copies it, so that an older version can go on with the copy.
async fn prepare_migration(
    conn: &mut SqliteConnection,
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
    let copy = copy_before_migration(conn, path).await?;
    tracing::info!(copy = %copy.display(), "the log was copied before its migration");
    Ok(MigrationRecord { copy: Some(copy), users })
}

/// Copies the log into a new file beside it, named after its layout number.
async fn copy_before_migration(conn: &mut SqliteConnection, path: &Path) -> Result<PathBuf, StoreError> {
    let failed = |e| error(path.into(), &e);
    let count = "SELECT count(*) FROM _sqlx_migrations";
    let layout: i64 = sqlx::query_scalar(count).fetch_one(&mut *conn).await.map_err(failed)?;
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
    let copied = sqlx::query("VACUUM INTO $1").bind(part.text()?).execute(&mut *conn).await;
    copied.map_err(|e| error(target.as_path().into(), &e))?;
    part.keep()?;
    Ok(target)
}

/// Returns true if write-ahead logging is on already.
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
