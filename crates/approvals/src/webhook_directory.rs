//! The webhooks in a log, built from its events.

use crate::{access::VisibleThreads, call::RecordedFact};
use countersign_events::{
    Body, Event, ThreadId, Timestamp, WebhookAdded, WebhookDelivered, WebhookParked, WebhookRetried,
    WebhookSecretSet, WebhookTopic,
};
use std::collections::BTreeMap;

/// The webhooks that are not removed, by the `seq` of the event that added each.
#[derive(Debug, Clone, Default)]
pub struct WebhookDirectory {
    webhooks: BTreeMap<i64, WebhookRecord>,
}

/// One webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookRecord {
    /// The event that added it, with its author. Its `seq` names the webhook in other events.
    pub added: RecordedFact<WebhookAdded>,
    /// The event that last changed its signing secrets.
    pub secret_set: Option<RecordedFact<WebhookSecretSet>>,
    /// The threads that its messages are about.
    pub threads: VisibleThreads,
    /// The durable cursor: the messages about the events up to this `seq` are delivered or parked.
    pub cursor: i64,
    /// When the cursor was last written.
    pub recorded_at: Timestamp,
    /// The parked messages, by the `seq` of the event that each is about.
    pub parked: BTreeMap<i64, ParkedMessage>,
}

/// A message that was not delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParkedMessage {
    /// The event that parked it.
    pub parked: RecordedFact<WebhookParked>,
    /// Whether a person asked for it to be sent again.
    pub is_retried: bool,
}

impl WebhookDirectory {
    /// Applies an event. Events about other things change nothing.
    pub fn evolve(&mut self, event: &Event, body: &Body) {
        match body {
            Body::WebhookAdded(added) => {
                self.webhooks.insert(event.seq, WebhookRecord::new(event, added));
            }
            Body::WebhookRemoved(removed) => {
                self.webhooks.remove(&removed.webhook);
            }
            Body::WebhookDelivered(delivered) => self.change(delivered.webhook, |webhook| {
                webhook.deliver(delivered);
                webhook.recorded_at = event.timestamp;
            }),
            Body::WebhookParked(parked) => self.change(parked.webhook, |webhook| {
                let fact = RecordedFact::from_event(event, parked.clone());
                webhook.parked.insert(parked.event, ParkedMessage { parked: fact, is_retried: false });
            }),
            Body::WebhookRetried(retried) => self.change(retried.webhook, |webhook| webhook.retry(retried)),
            Body::WebhookSecretSet(set) => self.change(set.webhook, |webhook| {
                webhook.secret_set = Some(RecordedFact::from_event(event, set.clone()));
            }),
            _ => {}
        }
    }

    fn change(&mut self, webhook: i64, change: impl FnOnce(&mut WebhookRecord)) {
        if let Some(webhook) = self.webhooks.get_mut(&webhook) {
            change(webhook);
        }
    }

    /// The webhook that the event with this `seq` added.
    #[must_use]
    pub fn get(&self, webhook: i64) -> Option<&WebhookRecord> {
        self.webhooks.get(&webhook)
    }

    /// The webhook with this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&WebhookRecord> {
        self.webhooks.values().find(|webhook| webhook.added.what.name == name)
    }

    /// The webhooks, the oldest first.
    pub fn records(&self) -> impl Iterator<Item = &WebhookRecord> {
        self.webhooks.values()
    }

    /// The number of webhooks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.webhooks.len()
    }

    /// Returns true if the log has no webhook.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.webhooks.is_empty()
    }
}

impl WebhookRecord {
    fn new(event: &Event, added: &WebhookAdded) -> Self {
        // A glob that this version cannot read matches nothing. No thread id is `.`.
        let nothing = || VisibleThreads::parse(&[".".to_owned()]).unwrap_or_default();
        Self {
            added: RecordedFact::from_event(event, added.clone()),
            secret_set: None,
            threads: VisibleThreads::parse(&added.threads).unwrap_or_else(|_| nothing()),
            cursor: event.seq,
            recorded_at: event.timestamp,
            parked: BTreeMap::new(),
        }
    }

    fn deliver(&mut self, delivered: &WebhookDelivered) {
        self.cursor = self.cursor.max(delivered.up_to);
        for event in &delivered.retried {
            self.parked.remove(event);
        }
    }

    fn retry(&mut self, retried: &WebhookRetried) {
        for event in &retried.events {
            if let Some(message) = self.parked.get_mut(event) {
                message.is_retried = true;
            }
        }
    }

    /// The `seq` of the event that added it, which names it in other events.
    #[must_use]
    pub const fn id(&self) -> i64 {
        self.added.seq
    }

    /// The sealed address and secrets, as they are now.
    #[must_use]
    pub fn sealed(&self) -> &str {
        self.secret_set.as_ref().map_or(&self.added.what.sealed, |set| &set.what.sealed)
    }

    /// The time until which an old secret signs, too; `None` if only one signs now.
    #[must_use]
    pub fn old_secret_until(&self, now: Timestamp) -> Option<Timestamp> {
        self.secret_set.as_ref()?.what.old_secret_until.filter(|until| *until > now)
    }

    /// Returns true if the webhook gets messages about this topic.
    #[must_use]
    pub fn has_topic(&self, topic: WebhookTopic) -> bool {
        let added = &self.added.what;
        added.format.has_topic(topic) && (added.topics.is_empty() || added.topics.contains(&topic))
    }

    /// Returns true if the webhook gets messages about calls in this thread.
    #[must_use]
    pub fn has_thread(&self, thread: &ThreadId) -> bool {
        self.threads.admits(thread)
    }
}
