//! The log's webhooks: list, add, remove, test, and send parked messages again.

use super::EmbeddedService;
use crate::{GateFailure, SecretChange, WebhookProgress, WebhookTransport, view::view_webhook};
use countersign_api as api;
use countersign_approvals::{
    CommandCaller, Refused,
    webhook_directory::{WebhookDirectory, WebhookRecord},
};
use countersign_events::{Body, WebhookRemoved, WebhookRetried};
use countersign_store::LeaseTask;
use std::{sync::Arc, time::Duration};

/// The most parked messages that one request sends again.
const MAX_RETRIED: usize = 1_000;

/// The time for which an old signing secret signs beside the new one, unless the caller chooses another.
const OLD_SECRET: Duration = Duration::from_hours(24);

impl EmbeddedService {
    pub(crate) async fn webhooks(&self) -> Result<api::WebhookList, GateFailure> {
        let directory = self.read_webhooks().await?;
        let mut webhooks = Vec::new();
        for record in directory.records() {
            webhooks.push(self.view_webhook(record).await?);
        }
        Ok(api::WebhookList { webhooks })
    }

    pub(crate) async fn add_webhook(
        &self,
        by: &CommandCaller,
        transport: Option<&dyn WebhookTransport>,
        request: &api::WebhookRequest,
    ) -> Result<api::NewWebhook, GateFailure> {
        let prepared = require(transport)?.prepare(request).await?;
        let name = prepared.added.name.clone();
        self.record_fact(by, Body::WebhookAdded(prepared.added)).await?;
        let webhook = self.view_webhook(&self.find_webhook(&name).await?).await?;
        Ok(api::NewWebhook { secret: prepared.secret, webhook })
    }

    pub(crate) async fn remove_webhook(
        &self,
        by: &CommandCaller,
        name: &str,
    ) -> Result<api::Webhook, GateFailure> {
        let record = self.find_webhook(name).await?;
        let removed = self.view_webhook(&record).await?;
        self.record_fact(by, Body::WebhookRemoved(WebhookRemoved { webhook: record.id() })).await?;
        Ok(removed)
    }

    pub(crate) async fn test_webhook(
        &self,
        transport: Option<&dyn WebhookTransport>,
        name: &str,
    ) -> Result<api::WebhookTestReport, GateFailure> {
        let record = self.find_webhook(name).await?;
        Ok(require(transport)?.test(&record, self.store.clock().now()).await)
    }

    pub(crate) async fn retry_webhook(
        &self,
        by: &CommandCaller,
        name: &str,
        request: &api::RetryWebhookRequest,
    ) -> Result<api::Webhook, GateFailure> {
        let record = self.find_webhook(name).await?;
        if request.events.len() > MAX_RETRIED {
            return Err(GateFailure::invalid(
                "events",
                &format!("name up to {MAX_RETRIED}, or none for all"),
            ));
        }
        let mut events = request.events.clone();
        if events.is_empty() {
            let parked = record.parked.iter().filter(|(_, message)| !message.is_retried);
            events = parked.map(|(event, _)| *event).take(MAX_RETRIED).collect();
        }
        events.sort_unstable();
        events.dedup();
        self.record_fact(by, Body::WebhookRetried(WebhookRetried { webhook: record.id(), events })).await?;
        self.view_webhook(&self.find_webhook(name).await?).await
    }

    pub(crate) async fn rotate_webhook(
        &self,
        by: &CommandCaller,
        transport: Option<&dyn WebhookTransport>,
        name: &str,
        request: &api::RotateWebhookRequest,
    ) -> Result<api::NewWebhook, GateFailure> {
        let span = request.old_secret_seconds.map_or(OLD_SECRET, Duration::from_secs);
        let old_until = (!span.is_zero()).then(|| self.store.clock().now().after(span));
        let change = SecretChange::Rotate { secret: request.secret.as_deref(), old_until };
        let prepared = require(transport)?.change_secret(&self.find_webhook(name).await?, change)?;
        self.record_fact(by, Body::WebhookSecretSet(prepared.set)).await?;
        let webhook = self.view_webhook(&self.find_webhook(name).await?).await?;
        Ok(api::NewWebhook { secret: Some(prepared.secret), webhook })
    }

    pub(crate) async fn end_old_secret(
        &self,
        by: &CommandCaller,
        transport: Option<&dyn WebhookTransport>,
        name: &str,
    ) -> Result<api::Webhook, GateFailure> {
        let record = self.find_webhook(name).await?;
        if record.old_secret_until(self.store.clock().now()).is_some() {
            let prepared = require(transport)?.change_secret(&record, SecretChange::EndOld)?;
            self.record_fact(by, Body::WebhookSecretSet(prepared.set)).await?;
        }
        self.view_webhook(&self.find_webhook(name).await?).await
    }

    pub(crate) async fn read_webhooks(&self) -> Result<Arc<WebhookDirectory>, GateFailure> {
        Ok(self.webhooks.read(&self.store).await?)
    }

    /// The number of parked messages, by the names of their webhooks; `None` if there are none.
    pub(crate) async fn webhook_trouble(&self) -> Result<Option<String>, GateFailure> {
        let directory = self.read_webhooks().await?;
        let parked = directory.records().filter(|record| !record.parked.is_empty());
        let texts: Vec<_> =
            parked.map(|record| format!("{} ({})", record.added.what.name, record.parked.len())).collect();
        Ok((!texts.is_empty()).then(|| format!("undelivered messages of webhooks: {}", texts.join(", "))))
    }

    pub(crate) async fn find_webhook(&self, name: &str) -> Result<WebhookRecord, GateFailure> {
        let directory = self.read_webhooks().await?;
        directory.find(name).cloned().ok_or_else(|| Refused::UnknownWebhook.into())
    }

    async fn view_webhook(&self, record: &WebhookRecord) -> Result<api::Webhook, GateFailure> {
        let delivery = self.store.lease(LeaseTask::Webhook(record.id())).await?;
        let progress = delivery.map(|delivery| WebhookProgress::parse(&delivery.state)).unwrap_or_default();
        Ok(view_webhook(record, progress, self.store.clock().now()))
    }
}

/// Fails in a program that cannot send messages.
pub(super) fn require(
    transport: Option<&dyn WebhookTransport>,
) -> Result<&dyn WebhookTransport, GateFailure> {
    transport.ok_or_else(|| {
        GateFailure::invalid("webhook", &"this program cannot send messages; use `countersign webhook`")
    })
}
