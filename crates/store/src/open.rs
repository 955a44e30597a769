//! Opening a store: its database, its writer task and its feed task.

use crate::{
    DatabaseName, DatabaseUrl, Store, StoreError, StoreOptions,
    copy_mark::refuse_half_copied,
    database::{ChangeListener, ReadPool, SqlQuery, WriteSession, postgres, sqlite},
    feed::{self, EventFeed},
    metrics::StoreMetrics,
    queries, row,
    schema::SchemaLayout,
    store::StoreInner,
    writer::{self, BatchWriter},
};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// The handling of a log that holds an unfinished copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnfinishedCopy {
    /// Opening it fails.
    Refused,
    /// Opening it succeeds, so that the copy can resume.
    Allowed,
}

impl Store {
    /// Opens the log at `address`, migrates it, and starts the writer and the feed. Creates the log if it does not
    /// exist, unless [`StoreOptions::create`] is false.
    ///
    /// Fails with a separate [`StoreError`] for each problem, and then changes nothing: a missing folder; a file of
    /// another program or of a newer Countersign; a file that is read-only or damaged, or on a file system without
    /// support for write-ahead logging; an unfinished copy; a server that does not answer or rejects the user.
    pub async fn open(address: impl Into<DatabaseUrl>, options: StoreOptions) -> Result<Self, StoreError> {
        // Boxed, because the future is large and its callers would contain it.
        Box::pin(open(address.into(), options, UnfinishedCopy::Refused)).await
    }
}

pub(crate) async fn open(
    address: DatabaseUrl,
    options: StoreOptions,
    unfinished: UnfinishedCopy,
) -> Result<Store, StoreError> {
    match address {
        DatabaseUrl::File(path) => {
            let sqlite::OpenedFile { session, listener, readers, found } =
                sqlite::open(&path, &options).await?;
            let readers = ReadPool::Sqlite(readers);
            start_tasks((session, listener, readers), found, options, unfinished).await
        }
        DatabaseUrl::Postgres(address) => {
            let postgres::OpenedServer { session, listener, readers, found } =
                postgres::open(*address, &options).await?;
            let readers = ReadPool::Postgres(Arc::new(readers));
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
    let place = session.database_name();
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

/// Creates a feed that begins at the end of the log.
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
    // A damaged last event is not an error here; the next query that reads it reports it. In an empty log the first
    // event may arrive between the two queries.
    let last = rows.first().and_then(|last| row::read_event(last, 0).ok()).filter(|last| last.seq == tip);
    let link = last.and_then(|last| last.hash);
    Ok(EventFeed::new(tip, link, recent))
}
