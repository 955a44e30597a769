//! Event actors: a person, an agent, a policy rule, an advisor or the service itself.

use crate::{
    fold_spelling,
    id::{BadName, MAX_NAME_BYTES, check_controls, check_name},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, str::FromStr, sync::Arc};

/// The actor that caused an event, written `kind:name`: `user:ada`, `agent:deploy-bot`, `policy:<rule>`,
/// `advisor:reviewer`, `system:expiry`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Principal(Arc<str>);

/// The kind of actor that a principal names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrincipalKind {
    /// A person, who may decide calls.
    User,
    /// A program that proposes and runs calls, and never decides.
    Agent,
    /// A policy rule.
    Policy,
    /// A program that the policy asks about calls.
    Advisor,
    /// The service itself, for example when a request expires.
    System,
}

/// The reason why a string is not a valid principal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPrincipal {
    /// The string does not start with a known `kind:`.
    #[error("{0:?} does not begin with user:, agent:, policy:, advisor: or system:")]
    Kind(String),
    /// The name after the colon is invalid.
    #[error("the name of a principal cannot be used: {0}")]
    Name(#[from] BadName),
}

impl Principal {
    /// The person called `name`. Each character that a name must not have is replaced with U+FFFD, and the text is
    /// truncated to [`MAX_NAME_BYTES`].
    #[must_use]
    pub fn user(name: &str) -> Self {
        Self::sanitize_actor("user:", name)
    }

    /// The agent called `name`, sanitized as by [`user`](Self::user).
    #[must_use]
    pub fn agent(name: &str) -> Self {
        Self::sanitize_actor("agent:", name)
    }

    /// The policy rule called `rule`. Control characters are replaced with U+FFFD. The policy author chooses the name,
    /// and a rule decides nothing as a person, so its name may mix scripts.
    #[must_use]
    pub fn policy(rule: &str) -> Self {
        Self(replace_characters("policy:", rule, char::is_control).into())
    }

    /// The advisor called `name`. Control characters are replaced with U+FFFD.
    #[must_use]
    pub fn advisor(name: &str) -> Self {
        Self(replace_characters("advisor:", name, char::is_control).into())
    }

    /// The service task called `task`, for example `expiry`.
    #[must_use]
    pub fn system(task: &str) -> Self {
        Self(replace_characters("system:", task, char::is_control).into())
    }

    fn sanitize_actor(kind: &str, name: &str) -> Self {
        let is_bad = |c: char| c.is_control() || check_name(c.encode_utf8(&mut [0; 4])) != Ok(()) && c != ' ';
        let replace = |name: &str, is_bad: &dyn Fn(char) -> bool| {
            let mut text = replace_characters(kind, name.trim_matches(' '), is_bad);
            // The byte limit may cut the string after a blank.
            text.truncate(text.trim_end_matches(' ').len());
            text
        };
        let mut text = replace(name, &is_bad);
        if check_name(&text[kind.len()..]).is_err() {
            // Only mixed scripts remain.
            text = replace(&text[kind.len()..], &|c| !c.is_ascii());
        }
        Self(text.into())
    }

    /// The kind of actor.
    #[must_use]
    pub fn kind(&self) -> PrincipalKind {
        match self.0.split(':').next() {
            Some("user") => PrincipalKind::User,
            Some("agent") => PrincipalKind::Agent,
            Some("policy") => PrincipalKind::Policy,
            Some("advisor") => PrincipalKind::Advisor,
            _ => PrincipalKind::System,
        }
    }

    /// The name, without the kind.
    #[must_use]
    pub fn actor_name(&self) -> &str {
        self.0.split_once(':').map_or("", |(_, name)| name)
    }

    /// Whether both are the same actor: of one kind, with names that are spellings of each other ([`fold_spelling`]).
    #[must_use]
    pub fn is_same_actor(&self, other: &Self) -> bool {
        self == other
            || self.kind() == other.kind()
                && fold_spelling(self.actor_name()) == fold_spelling(other.actor_name())
    }

    /// Who decided, and in whose place, for a sentence: "user:ben on behalf of user:ada".
    #[must_use]
    pub fn describe_decider(&self, on_behalf_of: Option<&Self>) -> String {
        match on_behalf_of {
            Some(person) => format!("{self} on behalf of {person}"),
            None => self.to_string(),
        }
    }

    /// The full text, `kind:name`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// `kind` and `name`, with U+FFFD in place of each bad character, truncated to [`MAX_NAME_BYTES`].
fn replace_characters(kind: &str, name: &str, is_bad: impl Fn(char) -> bool) -> String {
    let mut text = kind.to_owned();
    for c in name.chars().map(|c| if is_bad(c) { char::REPLACEMENT_CHARACTER } else { c }) {
        if text.len() + c.len_utf8() > MAX_NAME_BYTES {
            break;
        }
        text.push(c);
    }
    if text.len() == kind.len() {
        text.push('?');
    }
    text
}

impl FromStr for Principal {
    type Err = BadPrincipal;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = ["user:", "agent:", "policy:", "advisor:", "system:"];
        let Some(name) = known.iter().find_map(|kind| text.strip_prefix(kind)) else {
            return Err(BadPrincipal::Kind(text.to_owned()));
        };
        if text.len() > MAX_NAME_BYTES {
            return Err(BadName::TooLong(text.len()).into());
        }
        if ["policy:", "advisor:", "system:"].iter().any(|kind| text.starts_with(kind)) {
            if name.is_empty() {
                return Err(BadName::Empty.into());
            }
            check_controls(name)?;
        } else {
            check_name(name)?;
        }
        Ok(Self(text.into()))
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Serialize for Principal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Principal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_kind_is_read_from_prefix() {
        assert_eq!("user:ada".parse::<Principal>().expect("valid").kind(), PrincipalKind::User);
        assert_eq!(Principal::agent("bot").kind(), PrincipalKind::Agent);
        assert_eq!(Principal::policy("no force").as_str(), "policy:no force");
        assert_eq!("advisor:reviewer".parse::<Principal>().expect("valid").kind(), PrincipalKind::Advisor);
    }

    #[test]
    fn same_actor_has_one_kind_and_name() {
        let ada = Principal::user("ada");
        for same in ["user:ada", "user:Ada", "user:\u{ff41}da"] {
            assert!(ada.is_same_actor(&same.parse().expect("valid")), "{same}");
        }
        for other in ["agent:ada", "user:adam", "user:ad\u{e4}"] {
            assert!(!ada.is_same_actor(&other.parse().expect("valid")), "{other}");
        }
    }

    #[test]
    fn principal_with_unknown_kind_or_name_is_rejected() {
        for text in ["ada", "root:ada", "user:", "user:a\0"] {
            assert!(text.parse::<Principal>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn principal_that_looks_like_another_is_rejected() {
        for name in [
            "bob ",
            " bob",
            "bob\u{a0}",
            "bo\u{200b}b",
            "\u{202e}bob",
            "bo\u{ad}b",
            "b\u{43e}b",
            "bob\u{2028}",
        ] {
            for kind in ["user", "agent"] {
                let text = format!("{kind}:{name}");
                assert!(text.parse::<Principal>().is_err(), "{text:?}");
            }
            let json = serde_json::to_string(&format!("user:{name}")).expect("a string");
            assert!(serde_json::from_str::<Principal>(&json).is_err(), "{json}");
        }
        for text in ["user:zoë", "user:Боб", "agent:日本 bot", "policy:Правило для bash", "user:ada lovelace"]
        {
            assert_eq!(text.parse::<Principal>().expect(text).as_str(), text);
        }
    }

    #[test]
    fn user_with_misleading_name_is_sanitized() {
        for (name, text) in [
            ("bob ", "user:bob"),
            ("b\u{200b}ob", "user:b\u{FFFD}ob"),
            ("b\u{43e}b", "user:b\u{FFFD}b"),
            (" ", "user:?"),
        ] {
            let user = Principal::user(name);
            assert_eq!(user.as_str(), text);
            assert_eq!(user.as_str().parse::<Principal>().expect("valid"), user);
        }
    }

    #[test]
    fn user_with_any_name_is_a_valid_principal() {
        assert_eq!(Principal::user("a\nb").as_str(), "user:a\u{FFFD}b");
        assert_eq!(Principal::user("").as_str(), "user:?");
        let long = Principal::user(&"é".repeat(600));
        assert_eq!(long.as_str().parse::<Principal>().expect("fits"), long);
        let cut = Principal::user(&format!("{} b", "a".repeat(506)));
        assert_eq!(cut.as_str().parse::<Principal>().expect("no blank at the end"), cut);
        // The replacement characters are longer than the letters, so the second replacement also cuts the string.
        for latin in 1..4 {
            let name = format!("{}{} b", "o".repeat(latin), "\u{43e}".repeat(168));
            let mixed = Principal::user(&name);
            assert_eq!(mixed.as_str().parse::<Principal>().expect("no blank at the end"), mixed);
        }
    }
}
