//! The caller to whom the limits apply.

use crate::{
    PeerAddress,
    identity::{CallerIdentity, IdentifiedRequest},
};
use axum::http::Extensions;
use std::{
    hash::{BuildHasher, RandomState},
    sync::LazyLock,
};

/// The caller to whom the limits apply: a hash of its identity, so that a table of callers is small. The hash has a
/// secret, so that no caller can choose the key of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CallerKey(u64);

/// The secret from which this process makes keys.
static SECRET: LazyLock<RandomState> = LazyLock::new(RandomState::new);

impl CallerKey {
    /// The caller of a request: the holder of its credential, or else its address. Agents on one machine share an
    /// address, so the address alone would limit them together.
    pub(crate) fn of_request(extensions: &Extensions) -> Self {
        match extensions.get::<IdentifiedRequest>().map(AsRef::as_ref) {
            Some(Ok(identity)) => Self::of_identity(identity),
            _ => Self(SECRET.hash_one(extensions.get::<PeerAddress>())),
        }
    }

    /// A credential holder.
    pub(crate) fn of_identity(identity: &CallerIdentity) -> Self {
        Self(SECRET.hash_one((identity.token(), &identity.holder.name, &identity.holder.roles)))
    }

    #[cfg(test)]
    pub(super) const fn numbered(number: u64) -> Self {
        Self(number)
    }
}
