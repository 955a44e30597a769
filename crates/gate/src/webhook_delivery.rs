//! What a gate offers to the crate that sends webhook messages: the webhook list as it changes, the events for
//! messages, the delivery lease, and the delivery record.

use crate::{GateFailure, known_directory::KnownWebhooks};
use async_trait::async_trait;
use countersign_api as api;
use countersign_approvals::{
    Refused,
    access::{ChatAccountRecord, DeviceRejection, TokenHolder},
    webhook_directory::{WebhookDirectory, WebhookRecord},
};
use countersign_events::{CallId, Sha256, ThreadId, Timestamp, WebhookAdded, WebhookSecretSet};
use countersign_store::{EventWaiter, Store};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Seals the addresses and secrets of webhooks, and sends test messages.
#[async_trait]
pub trait WebhookTransport: Send + Sync {
    /// Checks a new webhook's target, and seals its address and secret. Fails if the target is not permitted.
    async fn prepare(&self, request: &api::WebhookRequest) -> Result<PreparedWebhook, Refused>;

    /// Seals a webhook's address with other signing secrets. Fails if the webhook signs no messages.
    fn change_secret(
        &self,
        webhook: &WebhookRecord,
        change: SecretChange<'_>,
    ) -> Result<PreparedSecret, Refused>;

    /// Reads the code that a chat gave to an account which is not linked to a person yet. `log` is the log id.
    fn read_link_code(&self, code: &str, log: Sha256, now: Timestamp) -> Result<ChatLinkCode, Refused>;

    /// Sends a test message to a webhook.
    async fn test(&self, webhook: &WebhookRecord, now: Timestamp) -> api::WebhookTestReport;
}

/// An account of a chat, which a link code names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatLinkCode {
    /// The `seq` of the event that added the chat's webhook.
    pub webhook: i64,
    /// The account, as the chat names it permanently.
    pub account: String,
    /// The account name, as the chat shows it.
    pub name: String,
}

/// A chat account, and for whom it decides now.
#[derive(Debug, Clone)]
pub struct CheckedChatAccount {
    /// The account.
    pub record: Arc<ChatAccountRecord>,
    /// Its person, or the reason why it decides nothing.
    pub holder: Result<Arc<TokenHolder>, DeviceRejection>,
}

/// A webhook that can be added.
pub struct PreparedWebhook {
    /// The event that adds it.
    pub added: WebhookAdded,
    /// The signing secret, for the answer to the caller alone.
    pub secret: Option<String>,
}

/// A change of a webhook's signing secrets.
#[derive(Clone, Copy)]
pub enum SecretChange<'a> {
    /// A new secret.
    Rotate {
        /// The new secret; `None` for a random one.
        secret: Option<&'a str>,
        /// The time until which the old secret signs, too; `None` if it ends at once.
        old_until: Option<Timestamp>,
    },
    /// Only the current secret signs.
    EndOld,
}

/// The signing secrets that a webhook can have from now on.
pub struct PreparedSecret {
    /// The event that sets them.
    pub set: WebhookSecretSet,
    /// The current secret, for the answer to the caller alone.
    pub secret: String,
}

/// A webhook's delivery state, which the delivering server writes beside the log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WebhookProgress {
    /// The messages about the events up to this `seq` are delivered or parked.
    pub cursor: i64,
    /// The events up to this `seq` were looked at.
    pub seen: i64,
    /// Whether reading pauses until one of those messages is delivered.
    pub is_full: bool,
    /// The events after the cursor whose messages are delivered or parked.
    pub done: Vec<i64>,
    /// The messages that failed and are sent again.
    pub failing: Vec<api::FailingMessage>,
    /// The claims whose outcome is not known yet.
    pub claims: Vec<OpenClaim>,
    /// The deliveries since the cursor was written to the log.
    pub unrecorded: usize,
    /// The chat messages about calls that are not decided yet, which change with their calls.
    pub posted: Vec<PostedMessage>,
}

/// A chat message about a call that is not decided yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PostedMessage {
    /// The `seq` of the approval request.
    pub request: i64,
    /// The message, as its platform names it.
    pub message: String,
}

/// The buttons that the rules permit on a chat message about a call. None of them is there if the message cannot show the
/// whole call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChatOffer {
    /// Allow this call.
    pub allow: bool,
    /// Allow this call and the later ones that it stands for, for an hour.
    pub allow_hour: bool,
    /// Deny this call.
    pub deny: bool,
}

/// A claim whose outcome is not known yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenClaim {
    /// The claim's `seq`.
    pub seq: i64,
    /// The call's thread.
    pub thread: ThreadId,
    /// The call.
    pub call: CallId,
    /// When the lease ends, if known. The executor may have renewed it.
    pub ends_at: Timestamp,
}

impl WebhookProgress {
    /// Reads the state. One that this version cannot read is ignored: messages may then be sent again.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// The cursor to write to the log. It stays before the claims whose outcome is open, because only this state has them.
    #[must_use]
    pub fn durable_cursor(&self) -> i64 {
        let oldest = self.claims.iter().map(|claim| claim.seq).min();
        oldest.map_or(self.cursor, |oldest| self.cursor.min(oldest - 1))
    }

    /// The state's text.
    #[must_use]
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The webhooks of a log, as it changes.
pub struct WebhookFollower {
    pub(crate) store: Store,
    pub(crate) known: Arc<KnownWebhooks>,
    pub(crate) waiter: EventWaiter,
}

impl WebhookFollower {
    /// Waits for a log-wide event.
    pub async fn changed(&mut self) {
        self.waiter.woken().await;
    }

    /// Reads the webhooks as they are now.
    pub async fn read(&self) -> Result<Arc<WebhookDirectory>, GateFailure> {
        Ok(self.known.read(&self.store).await?)
    }
}
