//! The caller to whom the limits apply.

use crate::PeerAddress;
use axum::{
    extract::FromRequestParts,
    http::{Extensions, HeaderMap, HeaderValue, request::Parts},
};
use countersign_api::PRINCIPAL_HEADER;
use std::{
    convert::Infallible,
    hash::{BuildHasher, RandomState},
    sync::LazyLock,
};

/// The caller to whom the limits apply: a hash of its identity, so that a table of callers is small. The hash has a
/// secret, so that no caller can choose the key of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CallerKey(u64);

/// The secret of the keys of this process.
static SECRET: LazyLock<RandomState> = LazyLock::new(RandomState::new);

impl CallerKey {
    /// The caller of a request: the principal that it names, or else its address. Agents of one machine share an address,
    /// so the address alone would limit them together.
    pub(crate) fn of_request(headers: &HeaderMap, extensions: &Extensions) -> Self {
        let principal = headers.get(PRINCIPAL_HEADER).map(HeaderValue::as_bytes);
        let peer = extensions.get::<PeerAddress>();
        let peer = if principal.is_some() { None } else { peer };
        Self(SECRET.hash_one((principal, peer)))
    }

    #[cfg(test)]
    pub(super) const fn numbered(number: u64) -> Self {
        Self(number)
    }
}

impl<S: Sync> FromRequestParts<S> for CallerKey {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of_request(&parts.headers, &parts.extensions))
    }
}
