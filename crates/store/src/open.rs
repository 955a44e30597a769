//! Opening the file: who may read it, whose it is, and whether it can be what we need it to be.

use crate::{
    Clock, Error, Inner, Store,
    bell::Bell,
    error,
    feed::{self, Feed},
    queries, schema,
    writer::{self, Writer},
};
use rustix::fs::{StatFs, statfs};
use sqlx::{
    ConnectOptions, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqlitePoolOptions, SqliteSynchronous},
};
use std::{
    fs::{self, OpenOptions},
    io::ErrorKind,
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// When an acknowledged event is on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Synchronous {
    /// Before it is acknowledged: it survives power loss.
    #[default]
    Full,
    /// Soon after: it survives `kill -9`, and may be lost with the power.
    Normal,
}

/// How a store is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// Make the file if there is none.
    pub create: bool,
    /// When an acknowledged event is on disk.
    pub synchronous: Synchronous,
    /// Where the time comes from.
    pub clock: Clock,
    /// How many recent events the feed keeps at hand, so that readers who keep up need no query.
    pub recent: usize,
    /// How often to look for what writers that ring no bell have written, such as a `sqlite3` shell.
    pub poll: Duration,
    /// How many connections read.
    pub readers: u32,
    /// How many orders share a transaction at most.
    pub batch: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            create: true,
            synchronous: Synchronous::Full,
            clock: Clock::System,
            recent: 4_096,
            poll: Duration::from_millis(500),
            readers: 4,
            batch: 256,
        }
    }
}

/// The file, as it was when it was opened.
#[derive(Debug, Clone)]
pub(crate) struct OpenFile {
    path: PathBuf,
    identity: (u64, u64),
}

impl OpenFile {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the path still leads to the file that is open. If it does not, what is written now
    /// would be found by nobody.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match fs::metadata(&self.path) {
            Ok(found) if (found.dev(), found.ino()) == self.identity => Ok(()),
            _ => Err(Error::Gone(self.path.clone())),
        }
    }
}

pub(crate) async fn open(path: &Path, options: Options) -> Result<Store, Error> {
    check_file_system(path)?;
    let file = create(path, options.create)?;
    let path = file.path.as_path();
    let mut conn = connect(path, &options).await?;
    schema::check_owner(&mut conn, path).await?;
    use_wal(&mut conn, path).await?;
    schema::migrate(&mut conn, path).await?;
    let failed = |e| error::of_sqlite(path, &e);
    let tip: i64 = sqlx::query_scalar(queries::TIP).fetch_one(&mut conn).await.map_err(failed)?;
    let readers = SqlitePoolOptions::new()
        .max_connections(options.readers.max(1))
        .test_before_acquire(false)
        .acquire_timeout(Duration::from_mins(1))
        .connect_with(settings(path, &options).read_only(true))
        .await
        .map_err(failed)?;
    Ok(assemble(file, conn, readers, tip, options)?)
}

/// Starts the writer and the feed.
fn assemble(
    file: OpenFile,
    conn: SqliteConnection,
    readers: sqlx::SqlitePool,
    tip: i64,
    options: Options,
) -> Result<Store, Error> {
    let bell = Arc::new(Bell::open(file.path())?);
    let feed = Arc::new(Feed::new(tip, options.recent));
    let (orders, inbox) = mpsc::channel(4_096);
    let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
    let writer = Writer::new(conn, file.clone(), Arc::clone(&bell), Arc::clone(&feed));
    tasks.spawn(writer::run(writer, inbox, options.batch.max(1), stop.clone()));
    let source = feed::Source { readers: readers.clone(), file: file.clone(), bell, poll: options.poll };
    tasks.spawn(feed::run(Arc::clone(&feed), source, stop.clone()));
    let clock = options.clock;
    Ok(Store { inner: Arc::new(Inner { orders, readers, feed, file, clock, stop, tasks }) })
}

/// Finds the file or makes it, readable and writable by its owner alone.
fn create(path: &Path, create: bool) -> Result<OpenFile, Error> {
    if create {
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
            Ok(_) => {}
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(cannot_create(path, &e)),
        }
    }
    let found = fs::canonicalize(path).and_then(|path| fs::metadata(&path).map(|found| (path, found)));
    let (path, found) = match found {
        Ok(found) => found,
        Err(e) if e.kind() == ErrorKind::NotFound => return Err(Error::Missing(path.to_path_buf())),
        Err(e) => return Err(cannot_create(path, &e)),
    };
    if !found.is_file() {
        return Err(Error::NotOurs { path, why: "it is no file".to_owned() });
    }
    if found.mode() & 0o077 != 0 {
        let mode = format!("{:o}", found.mode() & 0o777);
        tracing::warn!(path = %path.display(), mode, "others than its owner can read the database: chmod 600 it");
    }
    let identity = (found.dev(), found.ino());
    Ok(OpenFile { path, identity })
}

fn cannot_create(path: &Path, error: &std::io::Error) -> Error {
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Error::ReadOnly(path.to_path_buf()),
        ErrorKind::StorageFull => Error::Full(path.to_path_buf()),
        _ => Error::NoFolder { path: path.to_path_buf(), why: error.to_string() },
    }
}

fn settings(path: &Path, options: &Options) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(false)
        .busy_timeout(Duration::from_secs(10))
        .row_buffer_size(2_048)
        .synchronous(match options.synchronous {
            Synchronous::Full => SqliteSynchronous::Full,
            Synchronous::Normal => SqliteSynchronous::Normal,
        })
        // A batch changes a few rows each on many pages of the indexes, and each goes to disk whole: half
        // the usual size makes a commit a third smaller. It counts for new files only.
        .page_size(2_048)
        .pragma("cache_size", "-16384")
        // Folding the log into the database costs two more fsyncs and writes each page that changed
        // since; done less often it writes fewer of them.
        .pragma("wal_autocheckpoint", "16000")
        .pragma("temp_store", "memory")
        .log_statements(tracing::log::LevelFilter::Off)
        .log_slow_statements(tracing::log::LevelFilter::Off, Duration::ZERO)
}

async fn connect(path: &Path, options: &Options) -> Result<SqliteConnection, Error> {
    let conn = settings(path, options).connect().await;
    conn.map_err(|e| error::of_sqlite(path, &e))
}

/// Turns on write-ahead logging, which also finds out whether anything can be written.
async fn use_wal(conn: &mut SqliteConnection, path: &Path) -> Result<(), Error> {
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode = WAL")
        .fetch_one(&mut *conn)
        .await
        .map_err(|e| error::of_sqlite(path, &e))?;
    if mode.eq_ignore_ascii_case("wal") {
        return Ok(());
    }
    Err(Error::NoWal {
        path: path.to_path_buf(),
        file_system: "a file system without shared memory".to_owned(),
    })
}

/// Refuses network file systems, where WAL seems to work from one machine and loses events from two.
fn check_file_system(path: &Path) -> Result<(), Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match statfs(folder).ok().as_ref().and_then(network_file_system) {
        Some(name) => Err(Error::NoWal { path: path.to_path_buf(), file_system: name.to_owned() }),
        None => Ok(()),
    }
}

/// The name of a network file system, by its magic number (statfs(2)).
fn network_file_system(found: &StatFs) -> Option<&'static str> {
    network_name(u64::try_from(found.f_type).ok()? & 0xffff_ffff)
}

const fn network_name(magic: u64) -> Option<&'static str> {
    match magic {
        0x6969 => Some("NFS"),
        0xff53_4d42 => Some("CIFS"),
        0xfe53_4d42 => Some("SMB"),
        0x517b => Some("SMB (smbfs)"),
        0x5346_414f => Some("AFS"),
        0x00c3_6400 => Some("Ceph"),
        0x0102_1997 => Some("9P"),
        0x0bd0_0bd0 => Some("Lustre"),
        0x0116_1970 => Some("GFS2"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_network_file_systems_by_their_number() {
        assert_eq!(network_name(0x6969), Some("NFS"));
        assert_eq!(network_name(0xef53), None, "ext4");
        assert_eq!(network_name(0x0102_1994), None, "tmpfs");
    }
}
