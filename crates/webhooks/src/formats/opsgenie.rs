//! An alert for the Alert API of Opsgenie (<https://docs.opsgenie.com/docs/alert-api>), or of Jira Service Management
//! (<https://developer.atlassian.com/cloud/jira/service-desk-ops/rest/v1/api-group-integration-events/>), which has the same
//! one. Both answer 202 and work later, so the order of messages is that of their queue.

use crate::{
    plain_text::{clean_for_chat, cut_text},
    webhook_message::WebhookMessage,
};
use countersign_events::{RiskLevel, Sha256};
use serde_json::{Map, Value, json};
use url::Url;

/// The longest strings, in characters: the message, the entity, the description and the note, and all details together.
const MAX_MESSAGE: usize = 130;
const MAX_ENTITY: usize = 512;
const MAX_TEXT: usize = 15_000;
const MAX_DETAILS: usize = 8_000;

/// The request that opens an alert, or counts it again if it is open.
pub(super) fn render_open(message: &WebhookMessage, log: Sha256) -> Value {
    let tool = message.call.as_ref().map_or("", |call| &call.tool);
    json!({
        "message": cut_text(&message.chat_texts().0, MAX_MESSAGE),
        "alias": message.alert_key(log),
        "description": cut_text(&describe(message), MAX_TEXT),
        "details": details(message),
        "entity": cut_text(&clean_for_chat(tool, MAX_ENTITY), MAX_ENTITY),
        "source": "Countersign",
        "tags": ["countersign", message.topic.as_str()],
        "priority": priority(message),
    })
}

/// The request that closes an alert. Its note says who decided.
pub(super) fn render_close(message: &WebhookMessage) -> Value {
    let (title, _) = message.chat_texts();
    json!({
        "source": "Countersign",
        "note": cut_text(&format!("{title}\n{}", describe(message)), MAX_TEXT),
    })
}

/// The address that closes an alert.
pub(super) fn close_url(alerts: &Url, message: &WebhookMessage, log: Sha256) -> Url {
    let mut url = alerts.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.push(&message.alert_key(log)).push("close");
    }
    url.set_query(Some("identifierType=alias"));
    url
}

/// The link is first, because the end may be cut.
fn describe(message: &WebhookMessage) -> String {
    let (_, facts) = message.chat_texts();
    let facts = facts.iter().map(|(label, text)| format!("{label}: {text}"));
    std::iter::once(message.link.clone()).chain(facts).collect::<Vec<_>>().join("\n")
}

/// The members that fit. Opsgenie refuses an alert with more.
fn details(message: &WebhookMessage) -> Map<String, Value> {
    let mut left = MAX_DETAILS;
    let mut details = Map::new();
    for (name, text) in message.alert_members() {
        let length = name.len() + text.chars().count();
        if length <= left {
            left -= length;
            details.insert(name.to_owned(), Value::from(text));
        }
    }
    details
}

fn priority(message: &WebhookMessage) -> &'static str {
    match message.alert_risk() {
        _ if message.is_test => "P5",
        RiskLevel::Critical => "P1",
        RiskLevel::High | RiskLevel::Other => "P2",
        RiskLevel::Medium => "P3",
        RiskLevel::Low => "P4",
    }
}
