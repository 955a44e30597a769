//! Opening a store: its database, its writer task and its feed task.

use crate::{
    DatabaseName, DatabaseUrl, SchemaLayout, Store, StoreError, StoreOptions, UnavailableDatabase,
    copy_mark::refuse_half_copied,
    database::{ChangeListener, QueryError, ReadPool, SqlQuery, WriteSession, postgres, sqlite},
    feed::{self, EventFeed},
    metrics::StoreMetrics,
    queries,
    recent_tools::RecentTools,
    row,
    schema::newer_error,
    store::{LogOrigin, StoreInner},
    writer::{self, BatchWriter, WriterRequest},
};
use futures_util::future::BoxFuture;
use std::{path::PathBuf, sync::Arc, time::Duration};
use tokio::{sync::mpsc, task::JoinHandle};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How to handle a log that holds an unfinished copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnfinishedCopy {
    /// Opening it fails.
    Refused,
    /// Opening it succeeds, so that the copy can resume.
    Allowed,
}

impl Store {
    /// Opens the log at `address`, migrates it, and starts the writer and the feed. Creates the log if it does not
    /// exist, unless [`StoreOptions::create`] is false. [`StoreOptions::access`] says whether a read-only file is
    /// accepted; a store over one has no writer, and each write fails with [`UnavailableDatabase::ReadOnly`]. So has a store over a
    /// log whose newer layout this program can only read, and each write fails with [`StoreError::NewerDatabase`].
    ///
    /// Fails with a separate [`StoreError`] for each problem, and then changes nothing: a missing folder; a file of
    /// another program or of a newer Countersign; a file that is read-only or damaged, or on a file system without
    /// support for write-ahead logging; an unfinished copy; a server that does not answer or rejects the user.
    pub async fn open(address: impl Into<DatabaseUrl>, options: StoreOptions) -> Result<Self, StoreError> {
        open(address.into(), options, UnfinishedCopy::Refused).await
    }
}

/// Opens a log. The future hides its type, because crates that await it would otherwise compile the writer and the feed
/// again.
#[inline(never)]
pub(crate) fn open(
    address: DatabaseUrl,
    options: StoreOptions,
    unfinished: UnfinishedCopy,
) -> BoxFuture<'static, Result<Store, StoreError>> {
    Box::pin(open_database(address, options, unfinished))
}

async fn open_database(
    address: DatabaseUrl,
    options: StoreOptions,
    unfinished: UnfinishedCopy,
) -> Result<Store, StoreError> {
    match address {
        DatabaseUrl::File(path) => match sqlite::open(&path, &options).await? {
            sqlite::OpenedFile::Writable(file) => {
                let sqlite::WritableFile { session, listener, readers, path, found, created, migration } =
                    *file;
                let origin = LogOrigin { found, created, read_only: false, migration };
                let readers = ReadPool::Sqlite(Arc::new(readers));
                start_tasks(session, listener, readers, Some(path), origin, options, unfinished).await
            }
            sqlite::OpenedFile::ReadOnly(file) => {
                let sqlite::ReadOnlyFile { place, listener, readers, found } = *file;
                let readers = ReadPool::Sqlite(Arc::new(readers));
                start_reading(place, listener, readers, found, options, unfinished).await
            }
        },
        DatabaseUrl::Postgres(address) => {
            let place = address.database_name();
            let postgres::OpenedServer { session, listener, readers, found, migration } =
                postgres::open(*address, &options).await?;
            let created = found == SchemaLayout::None;
            let origin = LogOrigin { found, created, read_only: false, migration };
            let readers = ReadPool::Postgres(Arc::new(readers));
            let Some(session) = session else {
                return start_reading(place, listener, readers, found, options, unfinished).await;
            };
            start_tasks(session, listener, readers, None, origin, options, unfinished).await
        }
    }
}

/// Starts the writer and the feed.
async fn start_tasks<D: WriteSession>(
    session: D,
    listener: impl ChangeListener,
    readers: ReadPool,
    path: Option<PathBuf>,
    origin: LogOrigin,
    options: StoreOptions,
    unfinished: UnfinishedCopy,
) -> Result<Store, StoreError> {
    let place = session.database_name();
    let (store, inbox) = create_store(readers, place, path, origin, &options, unfinished).await?;
    let feed_task = spawn_feed(&store, listener, options.poll);
    let StoreInner { readers, feed, metrics, stop, tasks, .. } = &*store.inner;
    let writer = BatchWriter::new(session, Arc::clone(feed), metrics.clone());
    let running = writer::run(writer, inbox, options.batch.max(1), options.idle, stop.clone());
    let readers = readers.clone();
    let writing = async move {
        let writer = running.await;
        // Only a writing connection can move the write-ahead log into the file, and only the last one to close does it.
        let _ = feed_task.await;
        readers.close().await;
        writer.close().await;
    };
    if D::IS_BLOCKING {
        writer::spawn_thread(tasks, writing).map_err(|e| UnavailableDatabase::IoError {
            place: store.database_name(),
            why: format!("the thread that writes cannot start: {e}"),
        })?;
    } else {
        tasks.spawn(writing);
    }
    Ok(store)
}

/// Starts the feed for a read-only log.
async fn start_reading(
    place: DatabaseName,
    listener: impl ChangeListener,
    readers: ReadPool,
    found: SchemaLayout,
    options: StoreOptions,
    unfinished: UnfinishedCopy,
) -> Result<Store, StoreError> {
    let origin = LogOrigin { found, created: false, read_only: true, migration: None };
    let read_only = match found {
        SchemaLayout::Newer { found, .. } => newer_error(place.clone(), found),
        _ => UnavailableDatabase::ReadOnly(place.clone()).into(),
    };
    let (store, inbox) = create_store(readers, place, None, origin, &options, unfinished).await?;
    spawn_feed(&store, listener, options.poll);
    store.inner.tasks.spawn(writer::refuse(inbox, read_only, store.inner.stop.clone()));
    Ok(store)
}

fn spawn_feed(store: &Store, listener: impl ChangeListener, poll: Duration) -> JoinHandle<()> {
    let StoreInner { readers, feed, stop, tasks, .. } = &*store.inner;
    tasks.spawn(feed::run(Arc::clone(feed), readers.clone(), listener, poll, stop.clone()))
}

/// Creates the handle, whose tasks the caller must start.
async fn create_store(
    readers: ReadPool,
    place: DatabaseName,
    path: Option<PathBuf>,
    origin: LogOrigin,
    options: &StoreOptions,
    unfinished: UnfinishedCopy,
) -> Result<(Store, mpsc::Receiver<WriterRequest>), StoreError> {
    if unfinished == UnfinishedCopy::Refused {
        refuse_half_copied(&readers, &place).await?;
    }
    let feed = Arc::new(create_feed(&readers, &place, options.recent).await?);
    let (queue, inbox) = mpsc::channel(4_096);
    let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
    let (metrics, clock) = (StoreMetrics::default(), options.clock.clone());
    let (table_pages, recent_tools) = (feed::TablePages::default(), RecentTools::default());
    let inner = StoreInner {
        queue,
        readers,
        feed,
        table_pages,
        metrics,
        recent_tools,
        place,
        path,
        origin,
        clock,
        stop,
        tasks,
    };
    Ok((Store { inner: Arc::new(inner) }, inbox))
}

/// Creates a feed that starts at the log's end.
async fn create_feed(
    readers: &ReadPool,
    place: &DatabaseName,
    recent: usize,
) -> Result<EventFeed, StoreError> {
    let failed = |e: QueryError| e.describe(place.clone());
    let rows = readers.query_all(SqlQuery::by_key(queries::TIP)).await.map_err(failed)?;
    let tip = rows.first().and_then(|row| row.number(0)).unwrap_or(0);
    let last = SqlQuery::new(queries::EVENTS).bind(tip - 1).bind(1);
    let rows = readers.query_all(last).await.map_err(failed)?;
    // A damaged last event is not an error here; the next query that reads it reports it. In an empty log the first
    // event may arrive between the two queries.
    let last = rows.first().and_then(|last| row::read_event(last, 0).ok()).filter(|last| last.seq == tip);
    let link = last.and_then(|last| last.hash);
    Ok(EventFeed::new(tip, link, recent))
}
