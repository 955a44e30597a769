//! Webhooks: addresses to which a server sends messages about events. The log keeps the address and the secret only in
//! sealed form, because its readers must not be able to send or to forge messages.

use super::{WebhookFormat, WebhookTopic};
use serde::{Deserialize, Serialize};

/// `WEBHOOK_ADDED`: from the next event on, messages are sent to this target. It belongs to the log as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookAdded {
    /// The name, unique among the webhooks that are not removed.
    pub name: String,
    /// The form of the messages.
    pub format: WebhookFormat,
    /// The scheme, host and port of the target. The rest of its address may be a secret.
    pub host: String,
    /// The address and the signing secret, sealed with a key that the log does not have.
    pub sealed: String,
    /// The topics of its messages; empty for all topics.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topics: Vec<WebhookTopic>,
    /// Globs over thread ids. Messages are about threads that one of them matches. Empty for all threads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<String>,
    /// True if the target may have a private address.
    #[serde(default)]
    pub allow_private: bool,
    /// Whether messages have the call arguments, with masked secrets.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub arguments: bool,
}

/// `WEBHOOK_REMOVED`: no message is sent to the target from here on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookRemoved {
    /// The webhook: the `seq` of the event that added it.
    pub webhook: i64,
}

/// `WEBHOOK_DELIVERED`: the durable cursor of a webhook. It is written now and then, not after each message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookDelivered {
    /// The webhook: the `seq` of the event that added it.
    pub webhook: i64,
    /// The messages about the events up to this `seq` are delivered or parked.
    pub up_to: i64,
    /// The events whose parked messages are delivered now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retried: Vec<i64>,
}

/// `WEBHOOK_PARKED`: a message was not delivered, and is not sent again until a person asks for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookParked {
    /// The webhook: the `seq` of the event that added it.
    pub webhook: i64,
    /// The `seq` of the event that the message is about.
    pub event: i64,
    /// The number of attempts.
    pub attempts: u32,
    /// The last failure. It never contains text of the target.
    pub reason: String,
}

/// `WEBHOOK_RETRIED`: a person asks for parked messages to be sent again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookRetried {
    /// The webhook: the `seq` of the event that added it.
    pub webhook: i64,
    /// The events whose messages are sent again.
    pub events: Vec<i64>,
}
