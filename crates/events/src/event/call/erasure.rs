//! Content erasure.

use crate::event::{Event, EventType};
use crate::{CallId, Json, Sha256, sealed};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, collections::BTreeMap};

/// The names of erased members, each with the SHA-256 of its value.
pub type ErasedTexts = BTreeMap<String, Sha256>;

/// `CALL_ERASED`: the call's content was erased, for example because a law requires it. The call's rows have their
/// [sealed form](crate::sealed) from then on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallErased {
    /// The call.
    pub tool_call_id: CallId,
    /// The reason.
    pub reason: String,
    /// The rows that had erasable content, in `seq` order.
    pub rows: Vec<ErasedRow>,
}

/// A row whose content was erased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ErasedRow {
    /// Its `seq`.
    pub seq: i64,
    /// The hashes of its content, as the row now has them in `erased`.
    pub texts: ErasedTexts,
}

impl ErasedRow {
    /// This event's entry in a `CALL_ERASED` event; `None` if the event has no erasable content.
    #[must_use]
    pub fn of_event(event: &Event) -> Option<Self> {
        let sealed = sealed::erase_texts(event.kind, &event.data);
        let texts = sealed.read::<ErasedMember>().ok()?.erased;
        Some(Self { seq: event.seq, texts })
    }
}

/// The data with placeholders for erased content on which the call state depends. People see that a pattern is erased,
/// and no call matches it.
pub(in crate::event) fn with_placeholders(kind: EventType, data: &Json) -> Cow<'_, Json> {
    if !sealed::has_erased_texts(kind, data) {
        return Cow::Borrowed(data);
    }
    let erased: ErasedTexts = data.read::<ErasedMember>().map(|member| member.erased).unwrap_or_default();
    let placeholder = |name: &String| match name.as_str() {
        "arguments" | "content"
            if matches!(kind, EventType::ToolCall | EventType::ToolResult | EventType::ExecutionMismatch) =>
        {
            Some(format!("\"{name}\":null"))
        }
        // Decision arguments are optional, and null would mean that there were none.
        "arguments" => Some(r#""arguments":{}"#.to_owned()),
        "scope" => Some(r#""scope":{"command":"erased"}"#.to_owned()),
        _ => None,
    };
    let text = data.as_str().trim_end().trim_end_matches('}').to_owned();
    let members: Vec<_> = erased.keys().filter_map(placeholder).collect();
    // The hashes are the last member, so the text ends with the end of two objects.
    match Json::stored(format!("{text}}},{}}}", members.join(","))) {
        Ok(data) if !members.is_empty() => Cow::Owned(data),
        _ => Cow::Borrowed(data),
    }
}

/// The member that names an erased row's content.
#[derive(Deserialize)]
struct ErasedMember {
    erased: ErasedTexts,
}
