//! The names of what can happen.

use super::{
    access::access_events, advisor::advisor_events, call::call_events, conversation::conversation_events,
    definition::definition_events, policy::policy_events, thread::thread_events, webhook::webhook_events,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, str::FromStr};

/// The maximum length of a type name, in bytes. The table has the same limit.
const LONGEST_NAME: usize = 64;

/// An event type name that a newer version has added: capitals, digits and `_`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct NewerType {
    /// Padded with zeros.
    bytes: [u8; LONGEST_NAME],
}

impl NewerType {
    fn new(name: &str) -> Option<Self> {
        let is_of_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        if !name.starts_with(|first: char| first.is_ascii_uppercase()) || !name.bytes().all(is_of_name) {
            return None;
        }
        let mut bytes = [0; LONGEST_NAME];
        bytes.get_mut(..name.len())?.copy_from_slice(name.as_bytes());
        Some(Self { bytes })
    }

    /// As the `type` column spells it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let end = self.bytes.iter().position(|byte| *byte == 0).unwrap_or(LONGEST_NAME);
        str::from_utf8(&self.bytes[..end]).unwrap_or_default()
    }
}

impl fmt::Debug for NewerType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The string is not an event type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no event type {0:?}")]
pub struct UnknownType(pub String);

macro_rules! define_event_types {
    ([] $($group:ident { $(
        $(#[doc = $doc:literal])+ $name:ident($data:ty) = $text:literal {
            $(call: $($call:ident).+,)? $(once_per: [$($once:literal),+],)? $(content: [$($content:literal),+],)?
        },
    )+ })+) => {
        /// Event subjects. Each group has a file, which describes its types.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum EventGroup {
            $(#[doc = concat!("See the types of this group in `event/", stringify!($group), "`.")] $group,)+
        }

        /// What happened.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum EventType {
            $($($(#[doc = $doc])+ $name,)+)+
            /// Something that only a newer version knows. It is listed, streamed and verified, and allows nothing.
            Newer(NewerType),
        }

        impl EventType {
            /// All that this version knows.
            pub const ALL: &[Self] = &[$($(Self::$name,)+)+];

            /// As the `type` column spells it.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self { $($(Self::$name => $text,)+)+ Self::Newer(newer) => newer.as_str() }
            }

            /// The group; `None` for a type that only a newer version knows.
            #[must_use]
            pub const fn group(self) -> Option<EventGroup> {
                match self { $($(Self::$name => Some(EventGroup::$group),)+)+ Self::Newer(_) => None }
            }

            /// The columns and members of `data` that no two events of this type share. Empty if there may be any
            /// number of them. The thread belongs to each call id.
            #[must_use]
            pub const fn unique_members(self) -> &'static [&'static str] {
                match self { $($(Self::$name => &[$($($once),+)?],)+)+ Self::Newer(_) => &[] }
            }

            /// The members of `data` that hold content of people and agents, which can be erased.
            #[must_use]
            pub const fn content_members(self) -> &'static [&'static str] {
                match self { $($(Self::$name => &[$($($content),+)?],)+)+ Self::Newer(_) => &[] }
            }

            /// What happened, as a sentence for people. Empty for a type that only a newer version knows.
            #[must_use]
            pub fn description(self) -> &'static str {
                match self { $($(Self::$name => concat!($($doc),+),)+)+ Self::Newer(_) => "" }.trim_ascii()
            }
        }
    };
}

call_events! { [
    policy_events, thread_events, access_events, webhook_events, definition_events, advisor_events,
    conversation_events, define_event_types
] }

impl EventType {
    /// Returns true for an event about one call.
    #[must_use]
    pub const fn is_about_a_call(self) -> bool {
        matches!(self.group(), Some(EventGroup::Call))
    }

    /// Returns true for a conversation message.
    #[must_use]
    pub const fn is_message(self) -> bool {
        matches!(self.group(), Some(EventGroup::Conversation))
    }

    /// Returns true for a log-wide event, which belongs to no thread.
    #[must_use]
    pub fn is_of_whole_log(self) -> bool {
        self.group().is_some_and(EventGroup::is_of_whole_log)
    }
}

impl EventGroup {
    /// Returns true for log-wide events, which belong to no thread.
    #[must_use]
    pub const fn is_of_whole_log(self) -> bool {
        match self {
            Self::Call | Self::Thread | Self::Conversation => false,
            Self::Policy | Self::Access | Self::Webhook | Self::Definition | Self::Advisor => true,
        }
    }
}

impl EventType {
    /// A logged event's type, which a newer version may have written.
    pub fn of_event(name: &str) -> Result<Self, UnknownType> {
        let newer = || NewerType::new(name).map(Self::Newer);
        name.parse().ok().or_else(newer).ok_or_else(|| UnknownType(name.to_owned()))
    }
}

/// Only the types that this version knows.
impl FromStr for EventType {
    type Err = UnknownType;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.iter().find(|kind| kind.as_str() == text);
        found.copied().ok_or_else(|| UnknownType(text.to_owned()))
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for EventType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for EventType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::of_event(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_of_a_newer_version_keeps_its_name() {
        for name in ["TOOL_APPROVAL_DELEGATED", "X", &"A".repeat(LONGEST_NAME)] {
            let newer = EventType::of_event(name).expect("a name");
            assert_eq!(newer.as_str(), name);
            let json = serde_json::to_string(&newer).expect("serialises");
            assert_eq!(serde_json::from_str::<EventType>(&json).expect("reads"), newer);
            assert!(name.parse::<EventType>().is_err(), "a filter names a type that is known");
        }
        assert_eq!(EventType::of_event("TOOL_CALL"), Ok(EventType::ToolCall));
        for name in ["", "tool_call", "1A", "_A", "A-B", "A B", "Ä", "A\0", &"A".repeat(LONGEST_NAME + 1)] {
            assert_eq!(EventType::of_event(name), Err(UnknownType(name.to_owned())));
        }
    }
}
