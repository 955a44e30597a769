//! The log's advisors, tools and webhooks, as this process has read them. Each read continues after the last.

use countersign_approvals::{
    advisor_directory::AdvisorDirectory, tool_directory::ToolDirectory, webhook_directory::WebhookDirectory,
};
use countersign_events::{Body, Event};
use countersign_store::{Store, StoreError};
use std::sync::Arc;
use tokio::sync::Mutex;

pub(crate) type KnownAdvisors = KnownDirectory<AdvisorDirectory>;
pub(crate) type KnownTools = KnownDirectory<ToolDirectory>;
pub(crate) type KnownWebhooks = KnownDirectory<WebhookDirectory>;

/// A directory that events of the whole log describe.
pub(crate) trait EventDirectory: Clone + Default {
    /// The most events in one read.
    const PAGE: usize;

    /// Reads the directory's events after the event `after`, the oldest first, `PAGE` at most.
    async fn read_events(store: &Store, after: i64) -> Result<Vec<Event>, StoreError>;

    /// Applies an event.
    fn apply(&mut self, event: &Event, body: &Body);
}

/// A directory, as this process has read it.
#[derive(Default)]
pub(crate) struct KnownDirectory<D> {
    state: Mutex<ReadDirectory<D>>,
}

#[derive(Default)]
struct ReadDirectory<D> {
    directory: Arc<D>,
    /// The last `seq` that was read.
    seq: i64,
    /// The last event about the whole log that this process had seen before the last read.
    seen: Option<i64>,
}

impl<D: EventDirectory> KnownDirectory<D> {
    /// Reads the events since the last read, and returns the directory as it is now.
    pub(crate) async fn read(&self, store: &Store) -> Result<Arc<D>, StoreError> {
        self.state.lock().await.read_new(store).await
    }

    /// Returns the directory with all events that this process has seen. Those that another process wrote a moment ago may be
    /// missing. It needs no query unless there is something new.
    pub(crate) async fn read_seen(&self, store: &Store) -> Result<Arc<D>, StoreError> {
        let mut known = self.state.lock().await;
        if known.seen == Some(store.last_event_of_log()) {
            return Ok(Arc::clone(&known.directory));
        }
        known.read_new(store).await
    }
}

impl<D: EventDirectory> ReadDirectory<D> {
    async fn read_new(&mut self, store: &Store) -> Result<Arc<D>, StoreError> {
        let seen = store.last_event_of_log();
        loop {
            let events = D::read_events(store, self.seq).await?;
            for event in &events {
                // A row that cannot be read adds nothing. `verify` names it.
                if let Ok(body) = Body::read(event.seq, event.kind, &event.data) {
                    Arc::make_mut(&mut self.directory).apply(event, &body);
                }
                self.seq = event.seq;
            }
            if events.len() < D::PAGE {
                self.seen = Some(seen);
                return Ok(Arc::clone(&self.directory));
            }
        }
    }
}

impl EventDirectory for AdvisorDirectory {
    const PAGE: usize = 1_000;

    async fn read_events(store: &Store, after: i64) -> Result<Vec<Event>, StoreError> {
        store.advisor_events(after, Self::PAGE).await
    }

    fn apply(&mut self, event: &Event, body: &Body) {
        self.evolve(event, body);
    }
}

impl EventDirectory for ToolDirectory {
    /// Each may have a definition of 128 KiB.
    const PAGE: usize = 100;

    async fn read_events(store: &Store, after: i64) -> Result<Vec<Event>, StoreError> {
        store.definition_events(after, Self::PAGE).await
    }

    fn apply(&mut self, event: &Event, body: &Body) {
        self.evolve(event, body);
    }
}

impl EventDirectory for WebhookDirectory {
    const PAGE: usize = 1_000;

    async fn read_events(store: &Store, after: i64) -> Result<Vec<Event>, StoreError> {
        store.webhook_events(after, Self::PAGE).await
    }

    fn apply(&mut self, event: &Event, body: &Body) {
        self.evolve(event, body);
    }
}
