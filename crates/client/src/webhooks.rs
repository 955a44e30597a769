//! The webhooks of a server's log.

use crate::connection::ServerConnection;
use countersign_api::{self as api, GateError};
use reqwest::Method;
use serde_json::json;

impl ServerConnection {
    pub(crate) async fn webhooks(&self) -> Result<api::WebhookList, GateError> {
        self.send(self.client.get(self.url(&["webhooks"]))).await
    }

    pub(crate) async fn add_webhook(
        &self,
        request: &api::WebhookRequest,
    ) -> Result<api::NewWebhook, GateError> {
        self.post(self.url(&["webhooks"]), request).await
    }

    pub(crate) async fn remove_webhook(&self, name: &str) -> Result<api::Webhook, GateError> {
        self.send(self.client.delete(self.url(&["webhooks", name]))).await
    }

    pub(crate) async fn test_webhook(&self, name: &str) -> Result<api::WebhookTestReport, GateError> {
        self.send_body(Method::POST, self.url(&["webhooks", name, "test"]), &json!({})).await
    }

    pub(crate) async fn retry_webhook(
        &self,
        name: &str,
        request: &api::RetryWebhookRequest,
    ) -> Result<api::Webhook, GateError> {
        self.post(self.url(&["webhooks", name, "retry"]), request).await
    }
}
