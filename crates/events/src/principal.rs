//! The actor of an event: a person, an agent, a policy rule or the service itself.

use crate::id::{BadName, MAX_NAME_BYTES};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, str::FromStr, sync::Arc};

/// The actor that caused an event, written `kind:name`: `user:ada`, `agent:deploy-bot`, `policy:<rule>`,
/// `system:expiry`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Principal(Arc<str>);

/// The kind of actor that a principal names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrincipalKind {
    /// A person, who may decide calls.
    User,
    /// A program that proposes and runs calls, and never decides.
    Agent,
    /// A rule of the policy.
    Policy,
    /// The service itself, for example when a request expires.
    System,
}

/// The reason why a text is not a valid principal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPrincipal {
    /// The text does not begin with a known `kind:`.
    #[error("{0:?} does not begin with user:, agent:, policy: or system:")]
    Kind(String),
    /// The name after the colon is invalid.
    #[error("the name of a principal cannot be used: {0}")]
    Name(#[from] BadName),
}

impl Principal {
    /// The person called `name`. Control characters are replaced with U+FFFD, and the text is truncated to
    /// [`MAX_NAME_BYTES`].
    #[must_use]
    pub fn user(name: &str) -> Self {
        Self::sanitize("user", name)
    }

    /// The agent called `name`, sanitized as by [`user`](Self::user).
    #[must_use]
    pub fn agent(name: &str) -> Self {
        Self::sanitize("agent", name)
    }

    /// The policy rule called `rule`, sanitized as by [`user`](Self::user).
    #[must_use]
    pub fn policy(rule: &str) -> Self {
        Self::sanitize("policy", rule)
    }

    /// The task of the service called `task`, for example `expiry`.
    #[must_use]
    pub fn system(task: &str) -> Self {
        Self::sanitize("system", task)
    }

    fn sanitize(kind: &str, name: &str) -> Self {
        let mut text = format!("{kind}:");
        for c in name.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }) {
            if text.len() + c.len_utf8() > MAX_NAME_BYTES {
                break;
            }
            text.push(c);
        }
        if name.is_empty() {
            text.push('?');
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
            _ => PrincipalKind::System,
        }
    }

    /// The full text, `kind:name`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Principal {
    type Err = BadPrincipal;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = ["user:", "agent:", "policy:", "system:"];
        let Some(name) = known.iter().find_map(|kind| text.strip_prefix(kind)) else {
            return Err(BadPrincipal::Kind(text.to_owned()));
        };
        if name.is_empty() {
            return Err(BadName::Empty.into());
        }
        if text.len() > MAX_NAME_BYTES {
            return Err(BadName::TooLong(text.len()).into());
        }
        if let Some(control) = name.chars().find(|c| c.is_control()) {
            return Err(BadName::Control(u32::from(control)).into());
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
    }

    #[test]
    fn principal_with_unknown_kind_or_name_is_rejected() {
        for text in ["ada", "root:ada", "user:", "user:a\0"] {
            assert!(text.parse::<Principal>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn user_with_any_name_is_a_valid_principal() {
        assert_eq!(Principal::user("a\nb").as_str(), "user:a\u{FFFD}b");
        assert_eq!(Principal::user("").as_str(), "user:?");
        let long = Principal::user(&"é".repeat(600));
        assert_eq!(long.as_str().parse::<Principal>().expect("fits"), long);
    }
}
