//! The formats of messages about events. Each has a link to the call's page and no button that decides. Chat apps are in `chats`.

mod discord;
mod jira;
mod ntfy;
mod opsgenie;
mod pagerduty;
mod slack;
mod standard;
mod teams;

use crate::{alert_step::AlertStep, target_url::TargetUrl, webhook_message::WebhookMessage};
use countersign_events::{Sha256, WebhookFormat};
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use serde_json::Value;
use url::Url;

/// The header with the secret of an automation rule of Jira.
const JIRA_TOKEN: HeaderName = HeaderName::from_static("x-automation-webhook-token");

/// A message as it is sent.
pub(crate) struct RenderedMessage {
    pub(crate) url: Url,
    pub(crate) body: Value,
    pub(crate) key_header: Option<KeyHeader>,
    /// Whether the answer 404 says that there is nothing to do, so that the message is not sent again.
    pub(crate) accepts_missing: bool,
}

/// A header with the key of the target.
pub(crate) struct KeyHeader {
    pub(crate) name: HeaderName,
    pub(crate) value: HeaderValue,
}

impl KeyHeader {
    /// `{:?}` of a request omits the value.
    fn new(name: HeaderName, text: &str) -> Option<Self> {
        let mut value = HeaderValue::from_str(text).ok()?;
        value.set_sensitive(true);
        Some(Self { name, value })
    }
}

/// Renders a message for a target. `log` is the log id.
pub(crate) fn render(
    format: WebhookFormat,
    message: &WebhookMessage,
    target: &TargetUrl,
    log: Sha256,
) -> RenderedMessage {
    let url = target.url().clone();
    let plain = |url, body| RenderedMessage { url, body, key_header: None, accepts_missing: false };
    match format {
        WebhookFormat::Standard | WebhookFormat::Other => plain(url, standard::render(message)),
        WebhookFormat::Slack => plain(url, slack::render(message)),
        WebhookFormat::Teams => plain(url, teams::render(message)),
        WebhookFormat::Discord => plain(url, discord::render(message)),
        WebhookFormat::Ntfy => {
            let (base, topic) = target.split_topic().unwrap_or_else(|| (url, String::new()));
            plain(base, ntfy::render(message, &topic))
        }
        WebhookFormat::PagerDuty => {
            plain(url, pagerduty::render(message, log, target.key().unwrap_or_default()))
        }
        WebhookFormat::Opsgenie => {
            let is_closing = message.alert_step() == AlertStep::Close;
            let rendered = if is_closing {
                plain(opsgenie::close_url(&url, message, log), opsgenie::render_close(message))
            } else {
                plain(url, opsgenie::render_open(message, log))
            };
            let key = target.key().unwrap_or_default();
            let key_header = KeyHeader::new(AUTHORIZATION, &format!("GenieKey {key}"));
            // A person may have closed and deleted the alert.
            RenderedMessage { key_header, accepts_missing: is_closing, ..rendered }
        }
        WebhookFormat::SlackApp
        | WebhookFormat::Telegram
        | WebhookFormat::DiscordApp
        | WebhookFormat::Mattermost => plain(url, Value::Null),
        WebhookFormat::Jira => {
            let key_header = target.key().and_then(|key| KeyHeader::new(JIRA_TOKEN, key));
            RenderedMessage { key_header, ..plain(url, jira::render(message, log)) }
        }
    }
}

#[cfg(test)]
mod tests;
