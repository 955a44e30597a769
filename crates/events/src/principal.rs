//! Who did it: a person, an agent, a policy's rule, or the system itself.

use crate::id::{BadName, MAX_NAME_BYTES};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, str::FromStr, sync::Arc};

/// Who caused an event, written `kind:name`: `user:ada`, `agent:deploy-bot`, `policy:<rule>`,
/// `system:expiry`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Principal(Arc<str>);

/// What sort of actor a principal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrincipalKind {
    /// A person, who may decide.
    User,
    /// A program that proposes and runs calls, and never decides.
    Agent,
    /// A rule of the policy.
    Policy,
    /// The service itself, as with expiry.
    System,
}

/// Why a text names no principal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPrincipal {
    /// No `kind:` that is known.
    #[error("{0:?} does not begin with user:, agent:, policy: or system:")]
    Kind(String),
    /// The name behind the colon cannot be used.
    #[error("the name of a principal cannot be used: {0}")]
    Name(#[from] BadName),
}

impl Principal {
    /// The person of that name. Characters that no name may hold are replaced, and it is cut to fit.
    #[must_use]
    pub fn user(name: &str) -> Self {
        Self::of("user", name)
    }

    /// The agent of that name, made to fit as [`user`](Self::user) does.
    #[must_use]
    pub fn agent(name: &str) -> Self {
        Self::of("agent", name)
    }

    /// A rule of the policy, made to fit as [`user`](Self::user) does.
    #[must_use]
    pub fn policy(rule: &str) -> Self {
        Self::of("policy", rule)
    }

    /// A duty of the service itself.
    #[must_use]
    pub fn system(duty: &str) -> Self {
        Self::of("system", duty)
    }

    fn of(kind: &str, name: &str) -> Self {
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

    /// What sort of actor this is.
    #[must_use]
    pub fn kind(&self) -> PrincipalKind {
        match self.0.split(':').next() {
            Some("user") => PrincipalKind::User,
            Some("agent") => PrincipalKind::Agent,
            Some("policy") => PrincipalKind::Policy,
            _ => PrincipalKind::System,
        }
    }

    /// The whole of it, with its kind.
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
    fn names_its_kind() {
        assert_eq!("user:ada".parse::<Principal>().expect("valid").kind(), PrincipalKind::User);
        assert_eq!(Principal::agent("bot").kind(), PrincipalKind::Agent);
        assert_eq!(Principal::policy("no force").as_str(), "policy:no force");
    }

    #[test]
    fn refuses_strangers() {
        for text in ["ada", "root:ada", "user:", "user:a\0"] {
            assert!(text.parse::<Principal>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_login_name_always_makes_one() {
        assert_eq!(Principal::user("a\nb").as_str(), "user:a\u{FFFD}b");
        assert_eq!(Principal::user("").as_str(), "user:?");
        let long = Principal::user(&"é".repeat(600));
        assert_eq!(long.as_str().parse::<Principal>().expect("fits"), long);
    }
}
