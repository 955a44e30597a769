//! Slack blocks (<https://docs.slack.dev/reference/block-kit>). All strings are `plain_text`, which has no markup and
//! no mentions. `&`, `<` and `>` are still escaped, because the summary for notifications is not.

use crate::webhook_message::WebhookMessage;
use serde_json::{Value, json};

/// The longest strings in a header and in a section, in characters.
const MAX_HEADER: usize = 150;
const MAX_SECTION: usize = 3_000;

pub(super) fn render(message: &WebhookMessage) -> Value {
    let (title, facts) = message.chat_texts();
    let facts: Vec<_> = facts.iter().map(|(label, text)| format!("{label}: {text}")).collect();
    json!({
        "text": escape(&title),
        "mrkdwn": false,
        "unfurl_links": false,
        "unfurl_media": false,
        "blocks": [
            { "type": "header", "text": plain(&title, MAX_HEADER) },
            { "type": "section", "text": plain(&facts.join("\n"), MAX_SECTION) },
            { "type": "actions", "elements": [
                { "type": "button", "action_id": "open", "text": plain(message.link_label(), MAX_HEADER), "url": message.link }
            ]},
        ],
    })
}

fn plain(text: &str, limit: usize) -> Value {
    let mut length = 0;
    let fits = |c: &char| {
        length += escape(&c.to_string()).len();
        length <= limit
    };
    let text: String = text.chars().take_while(fits).collect();
    json!({ "type": "plain_text", "text": escape(&text), "emoji": false })
}

/// The escapes of <https://docs.slack.dev/messaging/formatting-message-text#escaping>.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
