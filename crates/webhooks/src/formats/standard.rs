//! JSON, as Standard Webhooks describes it: `type`, `timestamp` and `data`.

use crate::{call_message::CallMessage, plain_text::clean};
use serde_json::{Map, Value, json};

/// The longest text, in characters.
const MAX_TEXT: usize = 4_000;

pub(super) fn render(message: &CallMessage) -> Value {
    let kind = if message.is_test { "test" } else { message.topic.as_str() };
    let text = |text: &str| Value::from(clean(text, MAX_TEXT));
    let optional = |value: &Option<String>| value.as_deref().map(text);
    let fields = [
        ("seq", Some(json!(message.seq))),
        ("thread", Some(text(&message.thread))),
        ("call", Some(text(&message.call))),
        ("tool", Some(text(&message.tool))),
        ("agent", Some(text(&message.agent))),
        ("risk", optional(&message.risk)),
        ("message", optional(&message.message)),
        ("rule", optional(&message.rule)),
        ("reason", optional(&message.reason)),
        ("level", optional(&message.level)),
        ("expiresAt", message.deadline.map(|deadline| json!(deadline))),
        ("decision", message.decision.map(Value::from)),
        ("source", message.source.map(Value::from)),
        ("by", optional(&message.by)),
        ("comment", optional(&message.comment)),
        ("link", Some(Value::from(message.link.as_str()))),
    ];
    let data: Map<String, Value> =
        fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    json!({ "type": format!("call.{kind}"), "timestamp": message.at, "data": data })
}
