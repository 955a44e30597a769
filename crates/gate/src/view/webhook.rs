//! Webhooks in API types.

use crate::webhook_delivery::WebhookProgress;
use countersign_api as api;
use countersign_approvals::webhook_directory::{ParkedMessage, WebhookRecord};
use countersign_events::Timestamp;

/// The most parked messages in a view.
const MAX_PARKED: usize = 100;

/// The API type of a webhook, with the delivery state beside the log.
pub(crate) fn view_webhook(
    record: &WebhookRecord,
    progress: WebhookProgress,
    now: Timestamp,
) -> api::Webhook {
    let added = &record.added.what;
    api::Webhook {
        name: added.name.clone(),
        seq: record.id(),
        format: added.format,
        host: added.host.clone(),
        topics: added.topics.clone(),
        threads: added.threads.clone(),
        allow_private: added.allow_private,
        arguments: added.arguments,
        old_secret_until: record.old_secret_until(now),
        created_at: record.added.at,
        created_by: record.added.by.clone(),
        delivered_up_to: record.cursor.max(progress.cursor),
        failing: progress.failing,
        parked_count: record.parked.len(),
        parked: record.parked.values().take(MAX_PARKED).map(view_parked).collect(),
    }
}

fn view_parked(message: &ParkedMessage) -> api::ParkedMessageView {
    let parked = &message.parked;
    api::ParkedMessageView {
        event: parked.what.event,
        attempts: parked.what.attempts,
        reason: parked.what.reason.clone(),
        at: parked.at,
        retried: message.is_retried,
    }
}
