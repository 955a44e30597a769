//! Message formats. A chat gets a link to the call's page and no button that decides.

mod discord;
mod ntfy;
mod slack;
mod standard;
mod teams;

use crate::{target_url::TargetUrl, webhook_message::WebhookMessage};
use countersign_events::WebhookFormat;
use serde_json::Value;
use url::Url;

/// A message as it is sent.
pub(crate) struct RenderedMessage {
    pub(crate) url: Url,
    pub(crate) body: Value,
}

/// Renders a message for a target.
pub(crate) fn render(format: WebhookFormat, message: &WebhookMessage, target: &TargetUrl) -> RenderedMessage {
    let url = target.url().clone();
    match format {
        WebhookFormat::Standard | WebhookFormat::Other => {
            RenderedMessage { url, body: standard::render(message) }
        }
        WebhookFormat::Slack => RenderedMessage { url, body: slack::render(message) },
        WebhookFormat::Teams => RenderedMessage { url, body: teams::render(message) },
        WebhookFormat::Discord => RenderedMessage { url, body: discord::render(message) },
        WebhookFormat::Ntfy => {
            let (base, topic) = target.split_topic().unwrap_or_else(|| (url, String::new()));
            RenderedMessage { url: base, body: ntfy::render(message, &topic) }
        }
    }
}

#[cfg(test)]
mod tests;
