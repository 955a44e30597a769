//! What the formats have in common: a speaker, and content that is a text or a list of parts.

use crate::message::BadMessage;
use serde_json::{Map, Value};

/// The members of an object.
pub(crate) type MessageMembers = Map<String, Value>;

/// The error about a speaker that the format does not have.
pub(crate) fn unknown_speaker(
    (format, member, known): (&'static str, &'static str, &'static str),
    given: Option<&Value>,
) -> BadMessage {
    let given = given.map_or_else(|| "missing".to_owned(), |given| shorten(&given.to_string()));
    BadMessage::UnknownSpeaker { member, given, format, known }
}

fn shorten(text: &str) -> String {
    const MOST: usize = 60;
    let mut letters = text.chars();
    let start: String = letters.by_ref().take(MOST).collect();
    if letters.next().is_some() { start + "…" } else { start }
}

/// Calls `read` with each part of a list of objects.
pub(crate) fn for_each_part<'a>(
    (member, expected): (&'static str, &'static str),
    list: &'a Value,
    mut read: impl FnMut(&'a MessageMembers),
) -> Result<(), BadMessage> {
    let bad = BadMessage::BadMember { member, expected };
    let parts = list.as_array().ok_or(bad.clone())?;
    for part in parts {
        read(part.as_object().ok_or(bad.clone())?);
    }
    Ok(())
}

/// The string under `name`, if there is one.
pub(crate) fn string<'a>(members: &'a MessageMembers, name: &str) -> Option<&'a str> {
    members.get(name)?.as_str()
}

/// Adds a part to a text, after an empty line.
pub(crate) fn add_text(text: &mut String, part: &str) {
    if !text.is_empty() && !part.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(part);
}
