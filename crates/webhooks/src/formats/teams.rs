//! An Adaptive Card for a Microsoft Teams workflow
//! (<https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook>). A
//! `TextRun` has no markup, unlike a `TextBlock`, and a mention needs an entity, which the card does not have.

use crate::webhook_message::WebhookMessage;
use serde_json::{Value, json};

pub(super) fn render(message: &WebhookMessage) -> Value {
    let (title, facts) = message.chat_texts();
    let mut body = vec![paragraph(&[run(&title, "Large", true)])];
    let lines = facts.iter().map(|(label, text)| {
        paragraph(&[run(&format!("{label}: "), "Default", true), run(text, "Default", false)])
    });
    body.extend(lines);
    json!({
        "type": "message",
        "attachments": [{
            "contentType": "application/vnd.microsoft.card.adaptive",
            "contentUrl": null,
            "content": {
                "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
                "type": "AdaptiveCard",
                "version": "1.4",
                "body": body,
                "actions": [{ "type": "Action.OpenUrl", "title": message.link_label(), "url": message.link }],
            },
        }],
    })
}

fn paragraph(runs: &[Value]) -> Value {
    json!({ "type": "RichTextBlock", "inlines": runs })
}

/// Two braces would start a card function, such as `{{DATE(…)}}`.
fn run(text: &str, size: &str, bold: bool) -> Value {
    let text = text.replace("{{", "{ {").replace("${", "$ {");
    let weight = if bold { "Bolder" } else { "Default" };
    json!({ "type": "TextRun", "text": text, "size": size, "weight": weight })
}
