//! Names that callers choose: thread ids, call ids and tool names. Each is validated once, on construction.

use crate::look::{find_foreign_letter, find_hidden_character};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, sync::Arc};

/// The maximum length of ids and names, in bytes of UTF-8.
pub const MAX_NAME_BYTES: usize = 512;

/// The reason why a string is not a valid thread id, call id, tool name, executor or principal name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// The string is empty.
    #[error("it is empty")]
    Empty,
    /// The string is longer than [`MAX_NAME_BYTES`].
    #[error("it has {0} bytes; the limit is {MAX_NAME_BYTES}")]
    TooLong(usize),
    /// The string contains a control character (NUL, a line break, an escape), which cannot be shown to an approver.
    #[error("it contains the control character U+{0:04X}")]
    Control(u32),
    /// The string contains a character that is invisible, changes the direction of text or looks like a space.
    #[error("it contains the invisible character U+{0:04X}")]
    Hidden(u32),
    /// The string starts or ends with a blank, so it looks like the string without it.
    #[error("it begins or ends with a blank")]
    SurroundingBlank,
    /// The string mixes scripts. Letters of different scripts look alike: `bоb` with a Cyrillic о is not `bob`.
    #[error("it mixes scripts, whose letters can look alike: {0:?} (U+{code:04X}) is of another script than the letters before it", code = u32::from(*.0))]
    MixedScripts(char),
    /// An actor name contains a comma. A proxy joins several header values with commas, so such a string may be two
    /// names.
    #[error("it contains a comma, which separates names")]
    Comma,
    /// The string is `.` or `..`, which HTTP clients remove from a URL path before they send it.
    #[error("it is \".\" or \"..\", which cannot be used in a URL")]
    Dots,
}

/// Checks a string by which people identify an actor or a thing, so two different strings must not look the same: 1 to
/// [`MAX_NAME_BYTES`] bytes, no control or invisible characters, no blanks around it, and letters of one script.
pub fn check_name(text: &str) -> Result<(), BadName> {
    if text.is_empty() {
        return Err(BadName::Empty);
    }
    if text.len() > MAX_NAME_BYTES {
        return Err(BadName::TooLong(text.len()));
    }
    check_controls(text)?;
    if text.starts_with(' ') || text.ends_with(' ') {
        return Err(BadName::SurroundingBlank);
    }
    if let Some(hidden) = find_hidden_character(text) {
        return Err(BadName::Hidden(u32::from(hidden)));
    }
    find_foreign_letter(text).map_or(Ok(()), |letter| Err(BadName::MixedScripts(letter)))
}

/// Checks a new actor name: as [`check_name`], and it has no comma. Old logs may have names with commas.
pub fn check_actor_name(name: &str) -> Result<(), BadName> {
    check_name(name)?;
    if name.contains(',') { Err(BadName::Comma) } else { Ok(()) }
}

/// Checks that a string contains no control characters.
pub(crate) fn check_controls(text: &str) -> Result<(), BadName> {
    text.chars().find(|c| c.is_control()).map_or(Ok(()), |control| Err(BadName::Control(u32::from(control))))
}

fn validate_name(text: &str) -> Result<Arc<str>, BadName> {
    check_name(text)?;
    match text {
        "." | ".." => Err(BadName::Dots),
        _ => Ok(text.into()),
    }
}

macro_rules! define_name {
    ($(#[$doc:meta])* $name:ident, $called:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Accepts the strings that [`check_name`] accepts, except `.` and `..`.
            pub fn new(text: &str) -> Result<Self, BadName> {
                validate_name(text).map(Self)
            }

            /// The name as a string, unchanged.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Self::new(&text).map_err(|reason| {
                    de::Error::custom(format!(concat!($called, " cannot be used: {}"), reason))
                })
            }
        }
    };
}

define_name! {
    /// The id of one conversation of one agent. The program that runs the agent chooses it.
    ThreadId, "the thread id"
}
define_name! {
    /// A tool call's id. It is unique only within its thread, because models reuse ids such as `call_0`.
    CallId, "the call id"
}
define_name! {
    /// The tool name in a call.
    ToolName, "the tool name"
}

impl ThreadId {
    /// The thread id of log-wide events. It is empty, so no caller can name it.
    #[must_use]
    pub fn whole_log() -> Self {
        Self("".into())
    }

    /// Returns true for [`whole_log`](Self::whole_log).
    #[must_use]
    pub fn is_whole_log(&self) -> bool {
        self.0.is_empty()
    }

    /// Accepts the thread ids that an event can have: those of [`new`](Self::new), and the empty one.
    pub fn of_event(text: &str) -> Result<Self, BadName> {
        if text.is_empty() { Ok(Self::whole_log()) } else { Self::new(text) }
    }

    /// Deserializes a thread id as [`of_event`](Self::of_event) accepts it.
    pub fn deserialize_of_event<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::of_event(&text)
            .map_err(|reason| de::Error::custom(format!("the thread id cannot be used: {reason}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visible_name_of_one_script_is_accepted() {
        for text in ["call_0", "日本/語 %2F?#", "🚀", "a.b", "...", "a  b", "Боб", "e\u{301}"] {
            assert_eq!(CallId::new(text).expect(text).as_str(), text);
        }
    }

    #[test]
    fn name_with_control_character_or_dots_is_rejected() {
        assert_eq!(ThreadId::new(""), Err(BadName::Empty));
        assert_eq!(ThreadId::new(".."), Err(BadName::Dots));
        assert_eq!(ThreadId::new("a\0b"), Err(BadName::Control(0)));
        assert_eq!(ThreadId::new("a\nb"), Err(BadName::Control(10)));
        assert_eq!(ThreadId::new(&"x".repeat(513)), Err(BadName::TooLong(513)));
    }

    #[test]
    fn actor_name_with_comma_is_rejected() {
        assert_eq!(check_actor_name("x,ada"), Err(BadName::Comma));
        assert_eq!(check_actor_name("ada lovelace"), Ok(()));
    }

    #[test]
    fn name_that_looks_like_another_is_rejected() {
        for (text, why) in [
            (" t", BadName::SurroundingBlank),
            ("t ", BadName::SurroundingBlank),
            ("\u{a0}t", BadName::Hidden(0xa0)),
            ("t\u{200b}", BadName::Hidden(0x200b)),
            ("\u{202e}t", BadName::Hidden(0x202e)),
            ("t\u{ad}t", BadName::Hidden(0xad)),
            ("a\u{2028}b", BadName::Hidden(0x2028)),
            ("b\u{43e}b", BadName::MixedScripts('\u{43e}')),
        ] {
            assert_eq!(ThreadId::new(text), Err(why.clone()), "{text:?}");
            assert_eq!(CallId::new(text), Err(why.clone()), "{text:?}");
            assert_eq!(ToolName::new(text), Err(why.clone()), "{text:?}");
            assert_eq!(check_name(text), Err(why), "{text:?}");
        }
    }

    #[test]
    fn deserialize_error_names_the_field() {
        let error = serde_json::from_str::<ToolName>(r#""a\u0000b""#).expect_err("NUL");
        assert!(
            error
                .to_string()
                .starts_with("the tool name cannot be used: it contains the control character U+0000")
        );
    }
}
