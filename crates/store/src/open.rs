//! Opening a store: the database, and the tasks that live with it.

use crate::{
    Clock, DatabaseName, DatabaseUrl, Store, StoreError, StoreInner,
    copy::refuse_half_copied,
    database::{ChangeListener, ReadPool, SqlQuery, WriteSession, postgres, sqlite},
    feed::{self, EventFeed},
    metrics::StoreMetrics,
    queries, row,
    schema::SchemaLayout,
    writer::{self, BatchWriter},
};
use std::{sync::Arc, time::Duration};
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// When an acknowledged event is on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SyncMode {
    /// Before it is acknowledged: it survives power loss.
    #[default]
    Full,
    /// Soon after: it survives `kill -9`, and may be lost with the power.
    Normal,
}

/// How a store is opened.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// Make the file if there is none.
    pub create: bool,
    /// When an acknowledged event is on disk.
    pub synchronous: SyncMode,
    /// Where the time comes from.
    pub clock: Clock,
    /// How many recent events the feed keeps at hand, so that readers who keep up need no query.
    pub recent: usize,
    /// How often to look whether writers that ring no bell, such as a `sqlite3` shell, have written.
    pub poll: Duration,
    /// How many connections read.
    pub readers: u32,
    /// The largest number of commands that share a transaction.
    pub batch: usize,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            create: true,
            synchronous: SyncMode::Full,
            clock: Clock::System,
            recent: 4_096,
            poll: Duration::from_millis(100),
            readers: 4,
            batch: 256,
        }
    }
}

/// What is to be done with a log that is half copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnfinishedCopy {
    /// It is not opened.
    Refused,
    /// It is, to go on with the copy.
    Allowed,
}

pub(crate) async fn open(
    address: DatabaseUrl,
    options: StoreOptions,
    unfinished: UnfinishedCopy,
) -> Result<Store, StoreError> {
    match address {
        DatabaseUrl::File(path) => {
            let sqlite::OpenedFile { session, listener, readers, found } = sqlite::open(&path, &options).await?;
            start_tasks((session, listener, readers), found, options, unfinished).await
        }
        DatabaseUrl::Postgres(address) => {
            let postgres::OpenedServer { session, listener, readers, found } =
                postgres::open(*address, &options).await?;
            start_tasks((session, listener, readers), found, options, unfinished).await
        }
    }
}

/// Starts the writer and the feed.
async fn start_tasks(
    (session, listener, readers): (impl WriteSession, impl ChangeListener, ReadPool),
    found: SchemaLayout,
    options: StoreOptions,
    unfinished: UnfinishedCopy,
) -> Result<Store, StoreError> {
    let place = session.place();
    if unfinished == UnfinishedCopy::Refused {
        refuse_half_copied(&readers, &place).await?;
    }
    let feed = Arc::new(create_feed(&readers, &place, options.recent).await?);
    let metrics = StoreMetrics::default();
    let (queue, inbox) = mpsc::channel(4_096);
    let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
    let writer = BatchWriter::new(session, Arc::clone(&feed), metrics.clone());
    tasks.spawn(writer::run(writer, inbox, options.batch.max(1), stop.clone()));
    tasks.spawn(feed::run(Arc::clone(&feed), readers.clone(), listener, options.poll, stop.clone()));
    let clock = options.clock;
    Ok(Store {
        inner: Arc::new(StoreInner { queue, readers, feed, metrics, place, found, clock, stop, tasks }),
    })
}

/// A feed that begins at the end of the log.
async fn create_feed(
    readers: &ReadPool,
    place: &DatabaseName,
    recent: usize,
) -> Result<EventFeed, StoreError> {
    let failed = |e| readers.error(place.clone(), &e);
    let rows = readers.query_all(SqlQuery::new(queries::TIP)).await.map_err(failed)?;
    let tip = rows.first().and_then(|row| row.number(0)).unwrap_or(0);
    let last = SqlQuery::new(queries::EVENTS).bind(tip - 1).bind(1);
    let rows = readers.query_all(last).await.map_err(failed)?;
    // One that cannot be read is met again, and told of, by whoever reads it.
    // Of an empty log the first event may have come since.
    let last = rows.first().and_then(|last| row::read_event(last, 0).ok()).filter(|last| last.seq == tip);
    let link = last.and_then(|last| last.hash);
    Ok(EventFeed::new(tip, link, recent))
}
