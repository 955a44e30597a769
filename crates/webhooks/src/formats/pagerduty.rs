//! An event for the Events API v2 of `PagerDuty` (<https://developer.pagerduty.com/docs/events-api-v2/trigger-events/>). Its
//! strings are plain text. The routing key is in the body, where the API expects it.

use crate::{
    alert_step::{AlertStep, members_object},
    plain_text::cut_text,
    webhook_message::WebhookMessage,
};
use countersign_events::{RiskLevel, Sha256};
use serde_json::{Value, json};
use url::Url;

/// The longest summary, in characters.
const MAX_SUMMARY: usize = 1_024;

pub(super) fn render(message: &WebhookMessage, log: Sha256, routing_key: &str) -> Value {
    // PagerDuty accepts a resolve event for an alert that it does not have, and ignores it.
    let action = if message.alert_step() == AlertStep::Close { "resolve" } else { "trigger" };
    let members = message.alert_members();
    let member = |name: &str| members.iter().find(|(known, _)| *known == name).map(|(_, text)| text);
    json!({
        "routing_key": routing_key,
        "event_action": action,
        "dedup_key": message.alert_key(log),
        "client": "Countersign",
        "client_url": message.link,
        "links": [{ "href": message.link, "text": message.link_label() }],
        "payload": {
            "summary": cut_text(&message.chat_texts().0, MAX_SUMMARY),
            "source": source_host(message),
            "severity": severity(message),
            "timestamp": message.at,
            "component": member("tool"),
            "group": member("thread"),
            "class": message.topic.as_str(),
            "custom_details": members_object(&members),
        },
    })
}

/// The server that people open to decide.
fn source_host(message: &WebhookMessage) -> String {
    let link = Url::parse(&message.link).ok();
    link.and_then(|link| link.host_str().map(str::to_owned)).unwrap_or_else(|| "countersign".to_owned())
}

fn severity(message: &WebhookMessage) -> &'static str {
    match message.alert_risk() {
        RiskLevel::Critical => "critical",
        RiskLevel::High | RiskLevel::Other => "error",
        RiskLevel::Medium => "warning",
        RiskLevel::Low => "info",
    }
}
