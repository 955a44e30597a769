//! The names that callers choose: threads, tool calls, tools. Checked once, where they come in.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, sync::Arc};

/// The longest id or name taken, in bytes of UTF-8.
pub const MAX_NAME_BYTES: usize = 512;

/// Why a text cannot name a thread, a call or a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// Nothing was given.
    #[error("it is empty")]
    Empty,
    /// More than [`MAX_NAME_BYTES`].
    #[error("it has {0} bytes, and {MAX_NAME_BYTES} is the most")]
    TooLong(usize),
    /// NUL, a line break, an escape: nothing that could be shown for what it is.
    #[error("it holds the control character U+{0:04X}")]
    Control(u32),
    /// `.` and `..` vanish from a URL's path before any server sees them.
    #[error("\".\" and \"..\" cannot stand in a URL")]
    Dots,
}

fn checked(text: &str) -> Result<Arc<str>, BadName> {
    if let Some(control) = text.chars().find(|c| c.is_control()) {
        return Err(BadName::Control(u32::from(control)));
    }
    match text {
        "" => Err(BadName::Empty),
        "." | ".." => Err(BadName::Dots),
        _ if text.len() > MAX_NAME_BYTES => Err(BadName::TooLong(text.len())),
        _ => Ok(text.into()),
    }
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $called:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Takes 1 to [`MAX_NAME_BYTES`] bytes of any Unicode but control characters.
            pub fn new(text: &str) -> Result<Self, BadName> {
                checked(text).map(Self)
            }

            /// As it was given.
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
                Self::new(&text).map_err(|why| {
                    de::Error::custom(format!(concat!($called, " cannot be used: {}"), why))
                })
            }
        }
    };
}

name! {
    /// One conversation of one agent, named by whoever runs it.
    ThreadId, "the thread's name"
}
name! {
    /// A tool call's id, unique only within its thread: models do repeat `call_0`.
    CallId, "the call's id"
}
name! {
    /// The tool that a call wants to run.
    ToolName, "the tool's name"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_all_of_unicode() {
        for text in ["call_0", "日本/語 %2F?#", "🧑‍🚀", "a.b", "...", " x "] {
            assert_eq!(CallId::new(text).expect(text).as_str(), text);
        }
    }

    #[test]
    fn refuses_what_cannot_be_shown_or_addressed() {
        assert_eq!(ThreadId::new(""), Err(BadName::Empty));
        assert_eq!(ThreadId::new(".."), Err(BadName::Dots));
        assert_eq!(ThreadId::new("a\0b"), Err(BadName::Control(0)));
        assert_eq!(ThreadId::new("a\nb"), Err(BadName::Control(10)));
        assert_eq!(ThreadId::new(&"x".repeat(513)), Err(BadName::TooLong(513)));
    }

    #[test]
    fn says_which_name_was_bad() {
        let error = serde_json::from_str::<ToolName>(r#""a\u0000b""#).expect_err("NUL");
        assert!(
            error
                .to_string()
                .starts_with("the tool's name cannot be used: it holds the control character U+0000")
        );
    }
}
