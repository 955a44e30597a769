//! Operations for webhook delivery: the webhook list as it changes, the events for messages, the delivery lease, and
//! the delivery record.

use super::EmbeddedGate;
use crate::{GateFailure, WebhookFollower, WebhookProgress, WebhookTransport, view_call};
use countersign_api as api;
use countersign_approvals::webhook_directory::WebhookRecord;
use countersign_events::{Body, CallId, Event, Principal, ThreadId, Timestamp, WebhookTopic};
use countersign_store::{Clock, EventFilter, EventFollower, LeaseTask, LeasedTask, TaskLease};
use std::sync::Arc;

impl EmbeddedGate {
    /// Returns a gate to the same database that can add and test webhooks with this transport.
    #[must_use]
    pub fn with_webhooks(&self, transport: Arc<dyn WebhookTransport>) -> Self {
        Self { webhooks: Some(transport), ..self.clone() }
    }

    /// Follows the log's webhooks.
    #[must_use]
    pub fn follow_webhooks(&self) -> WebhookFollower {
        let store = self.service.store.clone();
        let waiter = store.watch_whole_log();
        WebhookFollower { store, known: Arc::clone(&self.service.webhooks), waiter }
    }

    /// Follows the events after `after` that a webhook's messages depend on, in its threads.
    #[must_use]
    pub fn follow_for_webhook(&self, webhook: &WebhookRecord, after: i64) -> EventFollower {
        let topics = WebhookTopic::ALL.iter().filter(|topic| webhook.has_topic(**topic));
        let mut types: Vec<_> = topics.flat_map(|topic| topic.event_types()).copied().collect();
        types.dedup();
        // Advisor modes are log-wide. A webhook that is limited to threads gets no messages about them.
        let threads = webhook.threads.clone();
        self.service.store.follow(EventFilter { types, threads, ..EventFilter::default() }, after)
    }

    /// Takes or renews the delivery lease of a webhook, and writes the delivery state unless it is `None`. Returns the
    /// lease and the state that apply afterwards; another server may have the lease.
    pub async fn hold_webhook(
        &self,
        lease: &TaskLease,
        progress: Option<&WebhookProgress>,
        now: Timestamp,
    ) -> Result<LeasedTask, GateFailure> {
        let state = progress.map(WebhookProgress::to_text);
        Ok(self.service.store.hold_lease(lease, state, now).await?)
    }

    /// Reads which server delivers a webhook's messages, and how far; `None` if none has so far.
    pub async fn webhook_delivery(&self, webhook: i64) -> Result<Option<LeasedTask>, GateFailure> {
        Ok(self.service.store.lease(LeaseTask::Webhook(webhook)).await?)
    }

    /// Records deliveries and parked messages, as the service.
    pub async fn record_webhook(&self, fact: Body) -> Result<(), GateFailure> {
        self.service.record_fact(&Principal::system("webhooks").into(), fact).await
    }

    /// Reads one event of the log; `None` if the log has none at this position.
    pub async fn event(&self, seq: i64) -> Result<Option<Arc<Event>>, GateFailure> {
        let page = self.service.store.events(&EventFilter::default(), seq - 1, 1).await?;
        Ok(page.items.into_iter().next().filter(|event| event.seq == seq).map(Arc::new))
    }

    /// Reads a call for a message; `None` if the thread has no such call.
    pub async fn call_for_webhook(
        &self,
        thread: &ThreadId,
        id: &CallId,
    ) -> Result<Option<api::Call>, GateFailure> {
        let now = self.clock().now();
        Ok(self.service.store.call(thread, id).await?.map(|call| view_call(&call, now)))
    }

    /// Counts an attempt to deliver a message.
    pub fn count_webhook_attempt(&self, delivered: bool) {
        self.service.metrics.count_webhook_attempt(delivered);
    }

    /// The clock that the log was opened with.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        self.service.store.clock()
    }
}
