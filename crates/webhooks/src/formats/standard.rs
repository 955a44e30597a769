//! JSON, as Standard Webhooks describes it: `type`, `timestamp` and `data`.

use crate::{
    plain_text::clean,
    webhook_message::{CallSubject, WebhookMessage},
};
use countersign_events::{Json, Place, WebhookTopic};
use serde_json::{Map, Value, json};

/// The longest text, in characters.
const MAX_TEXT: usize = 4_000;

/// The largest arguments, in bytes. Larger ones are left out: the call's page shows them.
const MAX_ARGUMENT_BYTES: usize = 64 * 1024;

pub(super) fn render(message: &WebhookMessage) -> Value {
    let kind = match message.topic {
        _ if message.is_test => "call.test".to_owned(),
        WebhookTopic::AdvisorMode => "advisor.mode".to_owned(),
        topic => format!("call.{}", topic.as_str()),
    };
    let text = |text: &str| Value::from(clean(text, MAX_TEXT));
    let optional = |value: &Option<String>| value.as_deref().map(text);
    let call = message.call.as_ref();
    let of_call = |read: fn(&CallSubject) -> Option<&str>| call.and_then(read).map(text);
    let fields = [
        ("seq", Some(json!(message.seq))),
        ("thread", of_call(|call| Some(&call.thread))),
        ("call", of_call(|call| Some(&call.id))),
        ("tool", of_call(|call| Some(&call.tool))),
        ("agent", of_call(|call| Some(&call.agent))),
        ("risk", of_call(|call| call.risk.as_deref())),
        ("message", of_call(|call| call.message.as_deref())),
        ("description", of_call(|call| call.description.as_deref())),
        ("question", call.and_then(question_words)),
        ("arguments", call.and_then(|call| call.arguments.as_ref()).and_then(arguments_json)),
        ("place", call.and_then(|call| call.place.as_ref()).map(place_json)),
        ("rule", of_call(|call| call.rule.as_deref())),
        ("reason", of_call(|call| call.reason.as_deref())),
        ("level", of_call(|call| call.level.as_deref())),
        ("expiresAt", call.and_then(|call| call.deadline).map(|deadline| json!(deadline))),
        ("decision", message.decision.map(Value::from)),
        ("source", message.source.map(Value::from)),
        ("decidedBy", optional(&message.decided_by)),
        ("advisor", optional(&message.advisor)),
        ("advice", message.advice.map(|advice| Value::from(advice.as_str()))),
        ("mode", message.mode.map(|mode| Value::from(mode.as_str()))),
        ("by", optional(&message.by)),
        ("onBehalfOf", optional(&message.on_behalf_of)),
        ("comment", optional(&message.comment)),
        ("link", Some(Value::from(message.link.as_str()))),
    ];
    let data: Map<String, Value> =
        fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    json!({ "type": kind, "timestamp": message.at, "data": data })
}

/// What the call asks people, in lines.
fn question_words(call: &CallSubject) -> Option<Value> {
    let words = call.question()?.lines().join("\n");
    (words.len() <= MAX_ARGUMENT_BYTES).then(|| Value::from(clean_lines(&words)))
}

/// The arguments, unless they are too large for a message.
fn arguments_json(arguments: &Json) -> Option<Value> {
    (arguments.as_str().len() <= MAX_ARGUMENT_BYTES).then(|| arguments.read().ok().map(clean_value)).flatten()
}

fn clean_lines(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(|line| clean(line, MAX_ARGUMENT_BYTES)).collect();
    lines.join("\n")
}

/// The value with escaped hidden characters. Line ends stay, so that a script of two lines does not become one command.
fn clean_value(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean_lines(&text)),
        Value::Array(items) => items.into_iter().map(clean_value).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(key, value)| (clean_lines(&key), clean_value(value))).collect()
        }
        plain => plain,
    }
}

/// The fields of a place.
fn place_json(place: &Place) -> Value {
    let fields = place.fields().map(|(name, text)| (name.to_owned(), Value::from(clean(text, MAX_TEXT))));
    Value::Object(fields.collect())
}
