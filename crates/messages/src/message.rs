//! What is read of a message, in every format.

use countersign_events::{EventType, json::JsonTree};

/// The message content, as far as people and rules need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadMessage {
    /// The type of its event, which says who speaks.
    pub kind: EventType,
    /// Its text; empty if it has none. Parts are separated by empty lines.
    pub text: String,
    /// The call ids that it proposes.
    pub proposes: Vec<String>,
    /// The ids of calls whose result it reports.
    pub reports: Vec<String>,
    /// Whether it contains a decision about a call.
    pub decides: bool,
}

/// The JSON is not a format message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadMessage {
    /// It is not an object.
    #[error("a message is an object")]
    NotAnObject,
    /// This version does not know the format.
    #[error("this version does not know the format")]
    UnknownFormat,
    /// It names no speaker.
    #[error("{member} is {given}, and the format {format} has {known}")]
    UnknownSpeaker {
        /// The member that names the speaker.
        member: &'static str,
        /// Its value, as JSON.
        given: String,
        /// The format.
        format: &'static str,
        /// The values that the format has.
        known: &'static str,
    },
    /// A member has a form that the format does not have.
    #[error("{member} must be {expected}")]
    BadMember {
        /// The member.
        member: &'static str,
        /// The form.
        expected: &'static str,
    },
}

/// The message member that names its speaker.
pub(crate) struct SpeakerMember {
    pub(crate) format: &'static str,
    pub(crate) member: &'static str,
    /// The speakers that the format has.
    pub(crate) known: &'static str,
}

impl SpeakerMember {
    /// The error about a message whose speaker the format does not have.
    pub(crate) fn refuse(self, message: &JsonTree) -> BadMessage {
        let Self { format, member, known } = self;
        let given =
            message.get(member).map_or_else(|| "missing".to_owned(), |given| shorten(&given.to_string()));
        BadMessage::UnknownSpeaker { member, given, format, known }
    }
}

fn shorten(text: &str) -> String {
    const MOST: usize = 60;
    let mut letters = text.chars();
    let start: String = letters.by_ref().take(MOST).collect();
    if letters.next().is_some() { start + "…" } else { start }
}
