//! A Discord embed (<https://docs.discord.com/developers/resources/webhook#execute-webhook>). A backslash before a
//! punctuation character makes it a plain one, and `allowed_mentions` prevents notifications.

use crate::{plain_text::escape_punctuation, webhook_message::WebhookMessage};
use serde_json::{Value, json};

/// The longest string, in characters. Escapes may double it, a title has 256, and all strings together 6,000.
const MAX_TEXT: usize = 120;

pub(super) fn render(message: &WebhookMessage) -> Value {
    let (title, facts) = message.chat_texts();
    let short = |text: &str| text.chars().take(MAX_TEXT).collect::<String>();
    let field = |(label, text): &(&str, String)| json!({ "name": label, "value": escape_punctuation(&short(text)), "inline": text.chars().count() <= 40 });
    json!({
        "allowed_mentions": { "parse": [] },
        "embeds": [{
            "title": escape_punctuation(&short(&title)),
            "url": message.link,
            "timestamp": message.at,
            "fields": facts.iter().map(field).collect::<Vec<_>>(),
        }],
    })
}
