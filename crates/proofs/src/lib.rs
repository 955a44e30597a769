//! Decision proofs: the statement that a person signs, and the signature check.
//!
//! A proof is a signature by an SSH key ([`ssh`]) or a passkey assertion ([`passkey`]) over a [`Statement`]. The check
//! needs the public key and the log alone, so it works offline, years later.

mod base64url;
pub mod key;
pub mod passkey;
pub mod pinned;
mod public_key;
pub mod ssh;
mod statement;
#[cfg(any(test, feature = "test-keys"))]
pub mod test_keys;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;
#[cfg(test)]
mod weak_keys;

pub use key::{ApproverPublicKey, BadKey, check_proof};
pub use statement::{
    DecisionStatement, KeyStatement, PASSKEY_CHALLENGE_VERSION, ScopeOrHash, Statement, hash_text,
};

/// The reason why a proof is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadProof(pub(crate) String);

impl BadProof {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}
