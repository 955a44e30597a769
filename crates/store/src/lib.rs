//! The events table: the one door for writing, the named queries, and the feed that tells everybody
//! what was written. This is the only crate that knows SQL.
//!
//! A [`Store`] is one process's way into one log, which is an SQLite file or a PostgreSQL database. Any
//! number of processes may hold one; each sees what the others commit, in the same order, within
//! milliseconds. What differs between the two databases is in `database` and nowhere else.

mod address;
mod clock;
mod copy;
mod database;
mod error;
mod feed;
mod filter;
mod history;
mod metrics;
mod open;
mod page;
pub mod queries;
mod read;
mod row;
mod schema;
mod search;
mod verify;
mod writer;

pub use address::{DatabaseName, DatabaseUrl, NEVER_LOGGED, PostgresAddress};
pub use clock::{Clock, ManualClock};
pub use copy::{CopyStep, CopySummary, copy};
pub use countersign_approvals::admissibility::InadmissibleRow;
pub use database::{
    postgres::{OLDEST_POSTGRES, RoleRights, SETTINGS as POSTGRES_SETTINGS, ServerExamination, examine},
    sqlite::sqlite_version,
};
pub use error::{StoreError, UnavailableDatabase};
pub use feed::{EventFollower, EventWaiter};
pub use filter::EventFilter;
pub use open::{StoreOptions, SyncMode};
pub use page::ResultPage;
pub use schema::{DatabaseKind, SchemaLayout, migrations};
pub use search::{CallFate, ThreadOutline};
pub use verify::{MOST_FINDINGS, VerifyReport};
pub use writer::CommandOutcome;

use countersign_approvals::CommandEnvelope;
use countersign_events::{CallId, ThreadId};
use prometheus_client::registry::Registry;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// One process's way into the log. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    inner: Arc<StoreInner>,
}

struct StoreInner {
    queue: mpsc::Sender<writer::WriterRequest>,
    readers: database::ReadPool,
    feed: Arc<feed::EventFeed>,
    metrics: metrics::StoreMetrics,
    place: DatabaseName,
    found: SchemaLayout,
    clock: Clock,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Store {
    /// Opens the log at `address`, and makes it if there is none. A missing folder, a file that is not
    /// ours, one that is newer than this program, read-only, damaged, or where WAL cannot work; a server
    /// that does not answer or does not let us in: each is an [`StoreError`] of its own, and nothing is changed.
    pub async fn open(address: impl Into<DatabaseUrl>, options: StoreOptions) -> Result<Self, StoreError> {
        // Boxed, because it is large, and whoever opens a store would have to hold all of it.
        Box::pin(open::open(address.into(), options, open::UnfinishedCopy::Refused)).await
    }

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

    /// Every event of `filter` after `after`, once, in order: first what is there, then what comes.
    #[must_use]
    pub fn follow(&self, filter: EventFilter, after: i64) -> EventFollower {
        EventFollower::new(self.clone(), filter, after)
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

    /// What the log is called.
    #[must_use]
    pub fn place(&self) -> DatabaseName {
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
