//! Webhooks: targets to which a server sends messages about calls.

use countersign_events::{Principal, Timestamp, WebhookFormat, WebhookTopic};
use serde::{Deserialize, Serialize};

/// A new webhook.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "name": "ops", "url": "https://hooks.example.com/countersign", "format": "standard", "topics": ["opened", "decided"]
}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebhookRequest {
    /// The name: up to 64 letters, digits, `-`, `_` and `.`.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 64))]
    pub name: String,
    /// The target address. It may be a secret, so the log keeps it sealed.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 2048))]
    pub url: String,
    /// The message format.
    #[serde(default = "default_format")]
    #[cfg_attr(feature = "openapi", schema(default = "standard"))]
    pub format: WebhookFormat,
    /// The message topics; empty for all topics.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topics: Vec<WebhookTopic>,
    /// Globs over thread ids. Messages are about threads that one of them matches. Empty for all threads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<String>,
    /// The signing secret of the format `standard`: `whsec_` and 24 to 64 bytes in base64. Absent for a random one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// Whether the target may have a private address, and may be reached without TLS.
    #[serde(default)]
    pub allow_private: bool,
    /// Whether messages have the call arguments, as the log keeps them: with masked secrets.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub arguments: bool,
}

const fn default_format() -> WebhookFormat {
    WebhookFormat::Standard
}

impl std::fmt::Debug for WebhookRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebhookRequest").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A webhook without its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "name": "ops", "seq": 7, "format": "standard", "host": "https://hooks.example.com", "topics": ["opened", "decided"],
    "allowPrivate": false, "createdAt": "2026-01-31T12:00:00.000Z", "createdBy": "user:ada", "deliveredUpTo": 42,
    "parkedCount": 0
}))))]
#[serde(rename_all = "camelCase")]
pub struct Webhook {
    /// The name.
    pub name: String,
    /// The `seq` of the event that added it.
    pub seq: i64,
    /// The message format.
    pub format: WebhookFormat,
    /// The scheme, host and port of the target.
    pub host: String,
    /// The message topics; empty for all topics.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topics: Vec<WebhookTopic>,
    /// The globs over thread ids; empty for all threads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<String>,
    /// Whether the target may have a private address.
    pub allow_private: bool,
    /// Whether messages have the call arguments.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub arguments: bool,
    /// The time until which an old signing secret signs beside the current one; absent if only one signs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_secret_until: Option<Timestamp>,
    /// When it was added.
    pub created_at: Timestamp,
    /// Who added it.
    pub created_by: Principal,
    /// The messages about the events up to this `seq` are delivered or parked.
    pub delivered_up_to: i64,
    /// The messages that failed and are sent again, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<FailingMessage>,
    /// The number of parked messages.
    pub parked_count: usize,
    /// The parked messages, the oldest first, 100 at most. They are not sent again until a person asks for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parked: Vec<ParkedMessageView>,
}

/// A message that failed and is sent again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "event": 43, "attempts": 2, "reason": "the target answered 500", "nextAttemptAt": "2026-01-31T12:00:05.000Z"
}))))]
#[serde(rename_all = "camelCase")]
pub struct FailingMessage {
    /// The `seq` of the event that the message is about.
    pub event: i64,
    /// The number of attempts so far.
    pub attempts: u32,
    /// The last failure.
    pub reason: String,
    /// The next attempt's time.
    pub next_attempt_at: Timestamp,
}

/// A message that is not sent again until a person asks for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "event": 43, "attempts": 11, "reason": "the target answered 500", "at": "2026-01-31T15:00:00.000Z", "retried": false
}))))]
#[serde(rename_all = "camelCase")]
pub struct ParkedMessageView {
    /// The `seq` of the event that the message is about.
    pub event: i64,
    /// The number of attempts.
    pub attempts: u32,
    /// The last failure.
    pub reason: String,
    /// When it was parked.
    pub at: Timestamp,
    /// Whether a person asked for it to be sent again, and it is not delivered yet.
    pub retried: bool,
}

/// A webhook that was just added, or has a new secret. The secret is shown this once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"secret": "whsec_…", "webhook": {
    "name": "ops", "seq": 7, "format": "standard", "host": "https://hooks.example.com", "allowPrivate": false,
    "createdAt": "2026-01-31T12:00:00.000Z", "createdBy": "user:ada", "deliveredUpTo": 7, "parkedCount": 0
}}))))]
#[serde(rename_all = "camelCase")]
pub struct NewWebhook {
    /// The signing secret, with which the receiver checks messages. Only the format `standard` has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// The webhook.
    pub webhook: Webhook,
}

impl std::fmt::Debug for NewWebhook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewWebhook").field("webhook", &self.webhook).finish_non_exhaustive()
    }
}

/// All webhooks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"webhooks": [{
    "name": "ops", "seq": 7, "format": "standard", "host": "https://hooks.example.com", "allowPrivate": false,
    "createdAt": "2026-01-31T12:00:00.000Z", "createdBy": "user:ada", "deliveredUpTo": 42, "parkedCount": 0
}]}))))]
#[serde(rename_all = "camelCase")]
pub struct WebhookList {
    /// The webhooks, the oldest first.
    pub webhooks: Vec<Webhook>,
}

/// A test message's outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"delivered": true, "detail": "the target answered 204"}))))]
#[serde(rename_all = "camelCase")]
pub struct WebhookTestReport {
    /// Whether the target accepted the message.
    pub delivered: bool,
    /// The target's answer, or the failure.
    pub detail: String,
}

/// The parked messages to send again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"events": [43]}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RetryWebhookRequest {
    /// The `seq` of the events that the messages are about; empty for all parked messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(max_items = 1000))]
    pub events: Vec<i64>,
}

/// A new signing secret for a webhook.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"oldSecretSeconds": 86_400}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RotateWebhookRequest {
    /// The new secret: `whsec_` and 24 to 64 bytes in base64. Absent for a random one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// The time for which the old secret signs, too, up to 30 days; 0 to end it at once. Absent for a day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(maximum = 2_592_000, default = 86_400))]
    pub old_secret_seconds: Option<u64>,
}

impl std::fmt::Debug for RotateWebhookRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RotateWebhookRequest")
            .field("old_secret_seconds", &self.old_secret_seconds)
            .finish_non_exhaustive()
    }
}
