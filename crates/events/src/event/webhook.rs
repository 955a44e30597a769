//! Webhooks: addresses to which a server sends messages about events. The log keeps the address and the secret only in
//! sealed form, because its readers must not be able to send or to forge messages.

use super::{EventType, WebhookFormat, WebhookTopic};
use crate::Timestamp;
use serde::{Deserialize, Serialize};

macro_rules! webhook_events {
    ([$next:ident $(, $rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest),*] $($rows)* Webhook {
            /// Messages are sent to a target from here on. It belongs to the log as a whole.
            WebhookAdded(WebhookAdded) = "WEBHOOK_ADDED" {},
            /// No message is sent to the target any more.
            WebhookRemoved(WebhookRemoved) = "WEBHOOK_REMOVED" {},
            /// The messages up to a position are delivered or parked.
            WebhookDelivered(WebhookDelivered) = "WEBHOOK_DELIVERED" {},
            /// A message could not be delivered.
            WebhookParked(WebhookParked) = "WEBHOOK_PARKED" {},
            /// A person asks for parked messages to be sent again.
            WebhookRetried(WebhookRetried) = "WEBHOOK_RETRIED" {},
            /// Messages are signed with another secret from here on, or no longer with an old one.
            WebhookSecretSet(WebhookSecretSet) = "WEBHOOK_SECRET_SET" {},
        } }
    };
}
pub(super) use webhook_events;

impl WebhookTopic {
    /// The types of the events that messages of this topic are about.
    #[must_use]
    pub const fn event_types(self) -> &'static [EventType] {
        match self {
            Self::Opened => &[EventType::ApprovalRequest],
            Self::Reminded => &[EventType::ApprovalReminder],
            Self::Escalated => &[EventType::ApprovalEscalated],
            Self::Voted => &[EventType::ApprovalVote],
            Self::Decided | Self::Expired => &[EventType::ApprovalResponse],
            Self::OutcomeUnknown => {
                &[EventType::ExecutionStarted, EventType::ExecutionTakenOver, EventType::ToolResult]
            }
            Self::Advised => &[EventType::ApprovalAdvice],
            Self::Flagged => &[EventType::CallFlagged],
            Self::Mismatch => &[EventType::ExecutionMismatch],
            Self::AdvisorMode => &[EventType::AdvisorModeSet],
            Self::Other => &[],
        }
    }
}

impl WebhookFormat {
    /// Returns true if the target is a pager: a message opens or closes an alert there, which calls a person.
    #[must_use]
    pub const fn is_pager(self) -> bool {
        matches!(self, Self::PagerDuty | Self::Opsgenie)
    }

    /// Returns true if the target is a chat app: each call has one message there, which changes with the call and may have
    /// buttons that decide.
    #[must_use]
    pub const fn is_chat_app(self) -> bool {
        matches!(self, Self::SlackApp | Self::Telegram | Self::DiscordApp | Self::Mattermost)
    }

    /// Returns true if the format has messages about the topic. A vote or an advisor's answer neither opens nor closes
    /// an alert, so pagers have no messages about them.
    #[must_use]
    pub const fn has_topic(self, topic: WebhookTopic) -> bool {
        let is_note =
            matches!(topic, WebhookTopic::Voted | WebhookTopic::Advised | WebhookTopic::AdvisorMode);
        !(self.is_pager() && is_note)
    }
}

/// `WEBHOOK_ADDED`: from the next event on, messages are sent to this target. The event is log-wide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookAdded {
    /// The name, unique among the webhooks that are not removed.
    pub name: String,
    /// The message format.
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
    /// Whether the target may have a private address.
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
    /// The webhook id: the `seq` at which it was added.
    pub webhook: i64,
}

/// `WEBHOOK_DELIVERED`: the durable webhook cursor. It is written now and then, not after each message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookDelivered {
    /// The webhook id: the `seq` at which it was added.
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
    /// The webhook id: the `seq` at which it was added.
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
    /// The webhook id: the `seq` at which it was added.
    pub webhook: i64,
    /// The events whose messages are sent again.
    pub events: Vec<i64>,
}

/// `WEBHOOK_SECRET_SET`: messages are signed with another secret from here on, or no longer with an old one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookSecretSet {
    /// The webhook id: the `seq` at which it was added.
    pub webhook: i64,
    /// The address and the signing secrets, sealed with a key that the log does not have. It replaces the earlier one.
    pub sealed: String,
    /// The time until which the secret before this one signs, too; absent if only this one signs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_secret_until: Option<Timestamp>,
}
