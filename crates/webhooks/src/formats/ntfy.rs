//! An ntfy message, published as JSON (<https://docs.ntfy.sh/publish/#publish-as-json>). Its content is plain text
//! unless the message asks for Markdown, which it does not.

use crate::webhook_message::WebhookMessage;
use countersign_events::WebhookTopic;
use serde_json::{Value, json};

/// The longest text, in characters. A longer one than 4,096 bytes would become an attachment.
const MAX_MESSAGE: usize = 1_000;

pub(super) fn render(message: &WebhookMessage, topic: &str) -> Value {
    let (title, facts) = message.chat_texts();
    let facts: Vec<_> = facts.iter().map(|(label, text)| format!("{label}: {text}")).collect();
    // 1 is the lowest of five; 4 makes a longer sound, and 5 a loud one.
    let priority = match message.topic {
        WebhookTopic::Opened
        | WebhookTopic::Reminded
        | WebhookTopic::Escalated
        | WebhookTopic::OutcomeUnknown
        | WebhookTopic::Flagged => 4,
        WebhookTopic::Mismatch => 5,
        _ => 3,
    };
    json!({
        "topic": topic,
        "title": title,
        "message": facts.join("\n").chars().take(MAX_MESSAGE).collect::<String>(),
        "priority": priority,
        "markdown": false,
        "click": message.link,
        "actions": [{ "action": "view", "label": message.link_label(), "url": message.link }],
    })
}
