//! Approver public keys: SSH keys and passkeys.

use crate::{
    BadProof, Statement,
    passkey::{PasskeyAssertion, PasskeyPublicKey},
    ssh::{SshPublicKey, SshSignature},
};
use countersign_events::{DecisionProof, ProofKind, Sha256};
use std::fmt;

/// The number of hexadecimal digits in a key id.
const ID_DIGITS: usize = 16;

/// An approver public key. As a string, it is a `.pub` file line, or `passkey SITE CREDENTIAL KEY`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApproverPublicKey {
    /// An SSH key.
    Ssh(SshPublicKey),
    /// A passkey.
    Passkey(PasskeyPublicKey),
}

/// The string is not a public key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadKey(String);

impl ApproverPublicKey {
    /// Reads a key of this kind.
    pub fn parse(kind: ProofKind, text: &str) -> Result<Self, BadKey> {
        match kind {
            ProofKind::Ssh => SshPublicKey::parse(text).map(Self::Ssh).map_err(|why| BadKey(why.to_string())),
            ProofKind::Passkey => {
                PasskeyPublicKey::parse(text).map(Self::Passkey).map_err(|why| BadKey(why.to_string()))
            }
            ProofKind::Other => Err(BadKey("the kind of the key is unknown".to_owned())),
        }
    }

    /// The kind of its proofs.
    #[must_use]
    pub const fn kind(&self) -> ProofKind {
        match self {
            Self::Ssh(_) => ProofKind::Ssh,
            Self::Passkey(_) => ProofKind::Passkey,
        }
    }

    /// The hash that a person signs to register the key.
    #[must_use]
    pub fn hash(&self) -> Sha256 {
        match self {
            Self::Ssh(key) => key.hash(),
            Self::Passkey(key) => key.hash(),
        }
    }

    /// The id: the first 16 hexadecimal digits of the hash.
    #[must_use]
    pub fn id(&self) -> String {
        let mut id = self.hash().to_string();
        id.truncate(ID_DIGITS);
        id
    }

    /// The passkey, if it is one.
    #[must_use]
    pub const fn passkey(&self) -> Option<&PasskeyPublicKey> {
        match self {
            Self::Passkey(key) => Some(key),
            Self::Ssh(_) => None,
        }
    }
}

impl fmt::Display for ApproverPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ssh(key) => key.fmt(f),
            Self::Passkey(key) => key.fmt(f),
        }
    }
}

/// Checks that the key owner signed the statement.
pub fn check_proof(
    key: &ApproverPublicKey,
    proof: &DecisionProof,
    statement: &Statement,
) -> Result<(), BadProof> {
    match (key, proof.kind) {
        (ApproverPublicKey::Ssh(key), ProofKind::Ssh) => {
            SshSignature::parse(&proof.signature)?.check(key, statement.as_str().as_bytes())
        }
        (ApproverPublicKey::Passkey(key), ProofKind::Passkey) => {
            let missing = |name: &str| BadProof::new(format!("the proof of a passkey needs {name}"));
            let client_data = proof.client_data.as_deref().ok_or_else(|| missing("clientData"))?;
            let data = proof.authenticator_data.as_deref().ok_or_else(|| missing("authenticatorData"))?;
            let assertion =
                PasskeyAssertion { client_data, authenticator_data: data, signature: &proof.signature };
            assertion.check(key, statement.challenge().as_bytes())
        }
        _ => Err(BadProof::new("the proof is of another kind than its key")),
    }
}
