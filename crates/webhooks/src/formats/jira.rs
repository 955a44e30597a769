//! Flat JSON for an automation rule of Jira with the trigger "Incoming webhook"
//! (<https://support.atlassian.com/cloud-automation/docs/jira-automation-triggers/>). A rule reads a member as
//! `{{webhookData.key}}`. The member names are stable, because rules name them.

use crate::{
    alert_step::{AlertStep, members_object},
    webhook_message::WebhookMessage,
};
use countersign_events::{Sha256, WebhookTopic};
use serde_json::Value;

pub(super) fn render(message: &WebhookMessage, log: Sha256) -> Value {
    let (title, facts) = message.chat_texts();
    let facts: Vec<_> = facts.iter().map(|(label, text)| format!("{label}: {}", plain(text))).collect();
    let members: Vec<_> =
        message.alert_members().into_iter().map(|(name, text)| (name, plain(&text))).collect();
    let mut body = members_object(&members);
    // A rule that creates issues must create none for a test.
    let (topic, step) = match message.topic {
        _ if message.is_test => ("test", AlertStep::Note),
        WebhookTopic::OutcomeUnknown | WebhookTopic::Flagged | WebhookTopic::Mismatch => {
            (message.topic.as_str(), AlertStep::Note)
        }
        topic => (topic.as_str(), message.alert_step()),
    };
    let own = [
        ("key", message.call_key(log)),
        ("action", step.as_str().to_owned()),
        ("topic", topic.to_owned()),
        ("id", message.id.clone()),
        ("timestamp", message.at.to_string()),
        ("title", plain(&title)),
        ("text", facts.join("\n")),
        ("link", message.link.clone()),
    ];
    body.extend(own.map(|(name, text)| (name.to_owned(), Value::from(text))));
    Value::Object(body)
}

/// A brace would begin a macro or a smart value, and `[~` a mention.
fn plain(text: &str) -> String {
    text.replace('{', "{ ").replace("[~", "[ ~")
}
