//! A handle to an open log.

use crate::{
    Clock, CommandOutcome, DatabaseName, EventWaiter, LockHolder, MigrationRecord, SchemaLayout, StoreError,
    database, feed, metrics, recent_tools::RecentTools, writer,
};
use countersign_approvals::CommandEnvelope;
use countersign_events::{CallId, ThreadId};
use prometheus_client::registry::Registry;
use std::{path::PathBuf, sync::Arc};
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// An open log. Cheap to clone: all clones share the connections, the writer and the feed.
#[derive(Clone)]
pub struct Store {
    pub(crate) inner: Arc<StoreInner>,
}

pub(crate) struct StoreInner {
    pub(crate) queue: mpsc::Sender<writer::WriterRequest>,
    pub(crate) readers: database::ReadPool,
    pub(crate) feed: Arc<feed::EventFeed>,
    pub(crate) table_pages: feed::TablePages,
    pub(crate) metrics: metrics::StoreMetrics,
    pub(crate) recent_tools: RecentTools,
    pub(crate) place: DatabaseName,
    /// The path, if this is a file that can be written.
    pub(crate) path: Option<PathBuf>,
    pub(crate) origin: LogOrigin,
    pub(crate) clock: Clock,
    pub(crate) stop: CancellationToken,
    pub(crate) tasks: TaskTracker,
}

/// The log's state before this store opened it.
#[derive(Debug, Clone)]
pub(crate) struct LogOrigin {
    /// The layout before the migration.
    pub(crate) found: SchemaLayout,
    /// Whether this store has created the log.
    pub(crate) created: bool,
    /// Whether the log was opened read-only.
    pub(crate) read_only: bool,
    /// The migration, if this store has made one.
    pub(crate) migration: Option<MigrationRecord>,
}

impl Store {
    /// Decides a command and writes its events. When this returns, the events are on disk, unless
    /// [`SyncMode::Normal`](crate::SyncMode::Normal) was chosen. If the caller drops the future before that, the
    /// command may or may not be executed, and it is safe to repeat it.
    ///
    /// Fails with [`StoreError::Refused`] if the rules refuse the command, and with another error if the database fails
    /// or the store was closed.
    pub async fn execute(&self, envelope: CommandEnvelope) -> Result<CommandOutcome, StoreError> {
        let envelope = Box::new(envelope);
        writer::send(&self.inner.queue, |answer| writer::WriterRequest::Command(envelope, answer)).await
    }

    /// Returns a waiter that wakes after each event about a call. Create it before you read the call, so that you miss
    /// no event between the two.
    #[must_use]
    pub fn watch_call(&self, thread_id: &ThreadId, id: &CallId) -> EventWaiter {
        self.inner.feed.watch_call(thread_id, id)
    }

    /// Returns a waiter that wakes after each log-wide event: a policy, a token or a webhook.
    #[must_use]
    pub fn watch_whole_log(&self) -> EventWaiter {
        self.inner.feed.watch_thread(&ThreadId::whole_log())
    }

    /// Returns a waiter that wakes after each event.
    #[must_use]
    pub fn watch_all(&self) -> EventWaiter {
        self.inner.feed.watch_all()
    }

    /// Returns the `seq` that the feed has delivered last. It can be lower than the log's tip.
    #[must_use]
    pub fn feed_tip(&self) -> i64 {
        self.inner.feed.tip()
    }

    /// Registers the store's metrics.
    pub fn register(&self, registry: &mut Registry) {
        self.inner.metrics.register(registry, Arc::clone(&self.inner.feed));
    }

    /// Returns the clock that this store was opened with.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.inner.clock
    }

    /// Returns the layout that the log had before this store opened and migrated it.
    #[must_use]
    pub fn found(&self) -> SchemaLayout {
        self.inner.origin.found
    }

    /// Returns the migration that this store applied when it opened the log.
    #[must_use]
    pub fn migration(&self) -> Option<&MigrationRecord> {
        self.inner.origin.migration.as_ref()
    }

    /// Returns true if the log can only be read. Each write fails with
    /// [`UnavailableDatabase::ReadOnly`](crate::UnavailableDatabase::ReadOnly), or with
    /// [`StoreError::NewerDatabase`](crate::StoreError::NewerDatabase).
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.inner.origin.read_only
    }

    /// Returns true if this store has created the log. For a file, exactly one of several processes that start together
    /// has.
    #[must_use]
    pub fn has_created_log(&self) -> bool {
        self.inner.origin.created
    }

    /// Returns the log name for messages.
    #[must_use]
    pub fn database_name(&self) -> DatabaseName {
        self.inner.place.clone()
    }

    /// Fails with `full` if the file's disk is nearly full. A PostgreSQL server has its own monitoring.
    ///
    /// # Errors
    /// [`UnavailableDatabase::NearlyFull`](crate::UnavailableDatabase::NearlyFull).
    pub fn check_room(&self) -> Result<(), StoreError> {
        self.inner.path.as_deref().map_or(Ok(()), database::sqlite::check_room)
    }

    /// Finds the process that holds the file's write lock now. On PostgreSQL, only a refused writer and `doctor` look for it.
    #[must_use]
    pub fn find_lock_holder(&self) -> Option<LockHolder> {
        database::sqlite::find_lock_holder(self.inner.path.as_deref()?)
    }

    /// Ends the background tasks and closes the connections. Queued commands are still executed. Acknowledged events
    /// are on disk even if a process ends without this call.
    pub async fn close(&self) {
        self.inner.stop.cancel();
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
        // The writer has closed them already; a read-only log has no writer.
        self.inner.readers.close().await;
    }
}

impl Drop for StoreInner {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
