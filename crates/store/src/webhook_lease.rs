//! The servers that deliver the messages of webhooks. They are not part of the log.

use crate::{
    Store, StoreError,
    database::SqlQuery,
    queries,
    writer::{self, MaintenanceTask, WriterRequest},
};
use countersign_events::Timestamp;

/// The right of one server to deliver the messages of a webhook until a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookLease {
    /// The webhook: the `seq` of the event that added it.
    pub webhook: i64,
    /// The name of the server process.
    pub holder: String,
    /// The time until which no other server delivers.
    pub until: Timestamp,
}

/// The lease of a webhook with the state of its delivery, as the last holder wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookDelivery {
    /// The lease. It may have ended.
    pub lease: WebhookLease,
    /// The state, in a form that only its writer knows; empty if none was written.
    pub state: String,
}

impl WebhookLease {
    fn hold_query(&self, state: String, now: Timestamp) -> SqlQuery {
        SqlQuery::new(queries::HOLD_WEBHOOK)
            .bind(self.webhook)
            .bind(self.holder.as_str())
            .bind(self.until.to_string())
            .bind(state)
            .bind(now.to_string())
    }
}

impl Store {
    /// Takes or keeps a lease, if at `now` no other server has it, and writes the state unless it is `None`. Returns the
    /// lease and the state that are in force afterwards; the lease may be that of another server. A lease `until` a time
    /// that has passed is given back.
    pub async fn hold_webhook(
        &self,
        lease: &WebhookLease,
        state: Option<String>,
        now: Timestamp,
    ) -> Result<WebhookDelivery, StoreError> {
        let task = MaintenanceTask::HoldWebhook(lease.hold_query(state.unwrap_or_default(), now));
        writer::send(&self.inner.queue, |answer| WriterRequest::Maintenance(task, answer)).await?;
        let written = self.webhook_delivery(lease.webhook).await?;
        Ok(written.unwrap_or_else(|| WebhookDelivery { lease: lease.clone(), state: String::new() }))
    }

    /// Reads the lease of a webhook and the state of its delivery; `None` if no server has delivered yet.
    pub async fn webhook_delivery(&self, webhook: i64) -> Result<Option<WebhookDelivery>, StoreError> {
        let query = SqlQuery::new(queries::WEBHOOK_DELIVERY).bind(webhook);
        let rows = self.query_rows("webhook_delivery", query).await?;
        let read = |row: &crate::database::SqlRow| {
            let lease = WebhookLease { webhook, holder: row.text(0)?, until: row.text(1)?.parse().ok()? };
            Some(WebhookDelivery { lease, state: row.text(2)? })
        };
        Ok(rows.first().and_then(read))
    }
}
