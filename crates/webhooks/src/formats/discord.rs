//! A Discord embed (<https://docs.discord.com/developers/resources/webhook#execute-webhook>). A backslash before a
//! punctuation character makes it a plain one, and `allowed_mentions` prevents notifications.

use crate::webhook_message::WebhookMessage;
use serde_json::{Value, json};

/// The longest string, in characters. Escapes may double it, a title has 256, and all strings together 6,000.
const MAX_TEXT: usize = 120;

pub(super) fn render(message: &WebhookMessage) -> Value {
    let (title, facts) = message.chat_texts();
    let short = |text: &str| text.chars().take(MAX_TEXT).collect::<String>();
    let field = |(label, text): &(&str, String)| json!({ "name": label, "value": escape(&short(text)), "inline": text.chars().count() <= 40 });
    json!({
        "allowed_mentions": { "parse": [] },
        "embeds": [{
            "title": escape(&short(&title)),
            "url": message.link,
            "timestamp": message.at,
            "fields": facts.iter().map(field).collect::<Vec<_>>(),
        }],
    })
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
