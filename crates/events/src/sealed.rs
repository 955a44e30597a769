//! The sealed form of event data, which the hash chain covers: erasable content is replaced by its hash. The content
//! can therefore be erased later, and no link changes.
//!
//! In the sealed form of a call event or a message event, the [`TEXTS`] members, the [`ADVICE_TEXTS`] members of an
//! advice, and a `scope` that is a pattern are left out. A last member `erased` has their hashes, in the order of their
//! names: `{"id":"call_1","name":"bash","erased":{"arguments":"<SHA-256>"}}`. Each hash covers the member's value, byte
//! for byte. An event without such members is its own sealed form. In a type that only a newer version knows, the same
//! members are erasable content if the type name starts like those of these types.
//!
//! An event whose content is erased has its sealed form as its data.

use crate::{EventType, Json, Sha256};
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;
use std::{borrow::Cow, fmt};

/// The members of call events and messages that hold content from people and agents. `docs/verify_log.py` has the same
/// list.
pub const TEXTS: [&str; 8] =
    ["arguments", "impact", "description", "effects", "suggestedScopes", "comment", "changes", "content"];

/// The further content members of an advice. In other events, members with these names hold policy content.
pub const ADVICE_TEXTS: [&str; 2] = ["labels", "reason"];

/// The member that holds the hashes of erased content.
const ERASED: &str = "erased";

/// The sealed form's hash, which the event's link covers.
#[must_use]
pub fn digest(kind: EventType, data: &Json) -> Sha256 {
    Sha256::digest(sealed_text(kind, data).as_bytes())
}

/// The sealed form: the event data after its content is erased.
#[must_use]
pub fn erase_texts(kind: EventType, data: &Json) -> Json {
    match sealed_text(kind, data) {
        Cow::Borrowed(_) => data.clone(),
        // The text is put together from valid JSON, so the fallback is never reached.
        Cow::Owned(text) => Json::stored(text).unwrap_or_else(|_| data.clone()),
    }
}

/// Returns true if the event's content is erased.
#[must_use]
pub fn has_erased_texts(kind: EventType, data: &Json) -> bool {
    may_have_texts(kind)
        && data.as_str().contains(r#""erased""#)
        && data.read::<Members<'_>>().is_ok_and(|members| members.0.iter().any(|(name, _)| name == ERASED))
}

/// The name prefixes of types that only a newer version knows and that may have erasable content.
const BEGINNINGS: [&str; 7] = ["TOOL_", "CALL_FLAGGED", "USER_", "AGENT_", "SYSTEM_", "LOCAL_", "COMPACTION"];

fn may_have_texts(kind: EventType) -> bool {
    match kind {
        EventType::Newer(newer) => BEGINNINGS.iter().any(|beginning| newer.as_str().starts_with(beginning)),
        known => known.is_about_a_call() || known.is_message(),
    }
}

fn sealed_text(kind: EventType, data: &Json) -> Cow<'_, str> {
    let text = data.as_str();
    let unchanged = Cow::Borrowed(text);
    if !may_have_texts(kind) {
        return unchanged;
    }
    let Ok(Members(members)) = data.read::<Members<'_>>() else { return unchanged };
    let is_text = |(name, value): &(Cow<'_, str>, &RawValue)| {
        TEXTS.contains(&name.as_ref())
            || kind == EventType::ApprovalAdvice && ADVICE_TEXTS.contains(&name.as_ref())
            || name == "scope" && value.get().starts_with('{')
    };
    if members.iter().any(|(name, _)| name == ERASED) || !members.iter().any(is_text) {
        return unchanged;
    }
    let (mut texts, kept): (Vec<_>, Vec<_>) = members.into_iter().partition(is_text);
    texts.sort_by(|(one, _), (other, _)| one.cmp(other));
    let kept = kept.iter().map(|(name, value)| format!("{}:{}", quote(name), value.get()));
    let hash = |value: &RawValue| Sha256::digest(value.get().as_bytes());
    let hashes: Vec<_> =
        texts.iter().map(|(name, value)| format!("{}:\"{}\"", quote(name), hash(value))).collect();
    let members: Vec<_> = kept.chain([format!("\"erased\":{{{}}}", hashes.join(","))]).collect();
    Cow::Owned(format!("{{{}}}", members.join(",")))
}

fn quote(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}

/// The object members in their order, each value as written.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MemberCollector;
        impl<'de> Visitor<'de> for MemberCollector {
            type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((Name(name), value)) = map.next_entry::<Name<'de>, &'de RawValue>()? {
                    members.push((name, value));
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(MemberCollector).map(Members)
    }
}

/// A name that borrows from the text if it has no escape.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::stored(text.to_owned()).expect("valid")
    }

    fn hash(text: &str) -> Sha256 {
        Sha256::digest(text.as_bytes())
    }

    #[test]
    fn erased_event_keeps_its_digest() {
        let data = json(r#"{ "id":"c", "arguments" : { "n": 1.00 },"argumentsHash":"x","description":"é" }"#);
        let erased = erase_texts(EventType::ToolCall, &data);
        let expected = format!(
            r#"{{"id":"c","argumentsHash":"x","erased":{{"arguments":"{}","description":"{}"}}}}"#,
            hash(r#"{ "n": 1.00 }"#),
            hash(r#""é""#)
        );
        assert_eq!(erased.as_str(), expected);
        assert_eq!(digest(EventType::ToolCall, &erased), digest(EventType::ToolCall, &data));
        assert_eq!(erase_texts(EventType::ToolCall, &erased), erased, "erasing twice changes nothing");
        assert!(
            has_erased_texts(EventType::ToolCall, &erased) && !has_erased_texts(EventType::ToolCall, &data)
        );
    }

    #[test]
    fn changed_text_or_kept_member_changes_the_digest() {
        let digests = [
            r#"{"id":"c","arguments":{"n":1}}"#,
            r#"{"id":"c","arguments":{"n":2}}"#,
            r#"{"id":"d","arguments":{"n":1}}"#,
            r#"{"id":"c","arguments":{"n": 1}}"#,
        ]
        .map(|text| digest(EventType::ToolCall, &json(text)).to_string());
        let different: std::collections::BTreeSet<_> = digests.iter().collect();
        assert_eq!(different.len(), digests.len(), "{digests:?}");
    }

    /// Every version computes the same link for an event that it does not know.
    #[test]
    fn texts_of_newer_types_are_sealed() {
        let data = json(r#"{"toolCallId":"c","comment":"x"}"#);
        for (name, has_texts) in [("TOOL_PAUSED", true), ("CALL_FOUND", false), ("THREAD_FROZEN", false)] {
            let kind = EventType::of_event(name).expect("a name");
            assert_eq!(erase_texts(kind, &data) != data, has_texts, "{name}");
        }
        for kind in EventType::ALL.iter().filter(|kind| may_have_texts(**kind)) {
            let begins_so = BEGINNINGS.iter().any(|beginning| kind.as_str().starts_with(beginning));
            assert!(begins_so || *kind == EventType::CallErased, "{kind}");
        }
    }

    #[test]
    fn only_a_pattern_scope_is_a_text() {
        let whole = json(r#"{"toolCallId":"c","scope":"tool"}"#);
        assert_eq!(erase_texts(EventType::ApprovalResponse, &whole), whole);
        let pattern =
            erase_texts(EventType::ApprovalResponse, &json(r#"{"toolCallId":"c","scope":{"path":"/x"}}"#));
        assert!(!pattern.as_str().contains("/x"), "{pattern:?}");
    }
}
