//! The handle of an open log.

use crate::{
    Clock, CommandOutcome, DatabaseName, EventWaiter, SchemaLayout, StoreError, database, feed, metrics,
    writer,
};
use countersign_approvals::CommandEnvelope;
use countersign_events::{CallId, ThreadId};
use prometheus_client::registry::Registry;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// One process's way into the log. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    pub(crate) inner: Arc<StoreInner>,
}

pub(crate) struct StoreInner {
    pub(crate) queue: mpsc::Sender<writer::WriterRequest>,
    pub(crate) readers: database::ReadPool,
    pub(crate) feed: Arc<feed::EventFeed>,
    pub(crate) metrics: metrics::StoreMetrics,
    pub(crate) place: DatabaseName,
    pub(crate) found: SchemaLayout,
    pub(crate) clock: Clock,
    pub(crate) stop: CancellationToken,
    pub(crate) tasks: TaskTracker,
}

impl Store {
    /// Decides a command and writes its events. When this returns, the events are on disk. If the caller drops
    /// the future before that, the command may or may not be executed, and repeating it is safe.
    pub async fn execute(&self, envelope: CommandEnvelope) -> Result<CommandOutcome, StoreError> {
        let envelope = Box::new(envelope);
        writer::send(&self.inner.queue, |answer| writer::WriterRequest::Command(envelope, answer)).await
    }

    /// Wakes when something happens to that call. Take it before looking at the call, so that nothing
    /// falls in between.
    #[must_use]
    pub fn watch_call(&self, thread_id: &ThreadId, id: &CallId) -> EventWaiter {
        self.inner.feed.watch_call(thread_id, id)
    }

    /// Wakes when anything happens.
    #[must_use]
    pub fn watch_all(&self) -> EventWaiter {
        self.inner.feed.watch_all()
    }

    /// The last event that the feed has handed out; behind the log for as long as the feed is.
    #[must_use]
    pub fn feed_tip(&self) -> i64 {
        self.inner.feed.tip()
    }

    /// Registers what the store measures of itself.
    pub fn register(&self, registry: &mut Registry) {
        self.inner.metrics.register(registry, Arc::clone(&self.inner.feed));
    }

    /// The clock that this store was opened with.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.inner.clock
    }

    /// The layout that was found when this was opened.
    #[must_use]
    pub fn found(&self) -> SchemaLayout {
        self.inner.found
    }

    /// The name of the log.
    #[must_use]
    pub fn database_name(&self) -> DatabaseName {
        self.inner.place.clone()
    }

    /// Ends the background tasks and closes the connections. What was acknowledged is on disk either
    /// way; this only makes leaving tidy.
    pub async fn close(&self) {
        self.inner.stop.cancel();
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
        self.inner.readers.close().await;
    }
}

impl Drop for StoreInner {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
