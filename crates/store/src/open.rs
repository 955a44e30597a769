//! Opening a store: the file, its layout, the connections, and the tasks that live with it.

use crate::{
    Clock, Error, Inner, Store,
    bell::Bell,
    error,
    feed::{self, Feed},
    file::{OpenFile, check_file_system, create},
    meters::Meters,
    queries, schema,
    writer::{self, Writer},
};
use sqlx::{
    ConnectOptions, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqlitePoolOptions, SqliteSynchronous},
};
use std::{path::Path, sync::Arc, time::Duration};
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
    /// How often to look whether writers that ring no bell, such as a `sqlite3` shell, have written.
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
            poll: Duration::from_millis(100),
            readers: 4,
            batch: 256,
        }
    }
}

pub(crate) async fn open(path: &Path, options: Options) -> Result<Store, Error> {
    check_file_system(path)?;
    let file = create(path, options.create)?;
    let path = file.path();
    let mut conn = connect(path, &options).await?;
    schema::check_owner(&mut conn, path).await?;
    let bell = Arc::new(Bell::open(path)?);
    // One process of ours at a time: of two that turn on write-ahead logging at the same moment SQLite
    // refuses one, and does not wait.
    let turn = bell.turn().await;
    use_wal(&mut conn, path).await?;
    schema::migrate(&mut conn, path).await?;
    drop(turn);
    let failed = |e| error::of_sqlite(path, &e);
    let tip: i64 = sqlx::query_scalar(queries::TIP).fetch_one(&mut conn).await.map_err(failed)?;
    let readers = SqlitePoolOptions::new()
        .max_connections(options.readers.max(1))
        .test_before_acquire(false)
        .acquire_timeout(Duration::from_mins(1))
        .connect_with(settings(path, &options).read_only(true))
        .await
        .map_err(failed)?;
    Ok(assemble(file, conn, readers, bell, tip, options))
}

/// Starts the writer and the feed.
fn assemble(
    file: OpenFile,
    conn: SqliteConnection,
    readers: sqlx::SqlitePool,
    bell: Arc<Bell>,
    tip: i64,
    options: Options,
) -> Store {
    let (feed, meters) = (Arc::new(Feed::new(tip, options.recent)), Meters::default());
    let (orders, inbox) = mpsc::channel(4_096);
    let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
    let writer = Writer::new(conn, file.clone(), Arc::clone(&bell), Arc::clone(&feed), meters.clone());
    tasks.spawn(writer::run(writer, inbox, options.batch.max(1), stop.clone()));
    let source = feed::Source { readers: readers.clone(), file: file.clone(), bell, poll: options.poll };
    tasks.spawn(feed::run(Arc::clone(&feed), source, stop.clone()));
    let clock = options.clock;
    Store { inner: Arc::new(Inner { orders, readers, feed, meters, file, clock, stop, tasks }) }
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
    Err(Error::NoWal { place: path.into(), file_system: "a file system without shared memory".to_owned() })
}
