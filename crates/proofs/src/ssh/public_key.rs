//! An SSH public key, as in a `.pub` file (RFC 4253, RFC 5656, RFC 8709, and `PROTOCOL.u2f` of OpenSSH).

use super::wire::WireReader;
use crate::{
    base64url::{decode_ssh, encode_ssh},
    public_key::{PublicKey, without_leading_zeros},
};
use countersign_events::Sha256;
use std::fmt;

/// The maximum length of a public key line, in bytes. An RSA key with 8,192 bits has 1,400.
const MAX_LINE_BYTES: usize = 4_096;

/// An SSH public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SshPublicKey {
    algorithm: &'static str,
    /// The key in the wire format, whose SHA-256 is the fingerprint.
    blob: Vec<u8>,
    pub(super) key: PublicKey,
    /// The application that a FIDO token key is for, such as `ssh:`.
    pub(super) application: Option<Vec<u8>>,
}

/// The string is not a public key that can prove a decision.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadSshKey(String);

/// The types of keys that are accepted. RSA signs with SHA-512 or SHA-256, as `ssh-keygen` does by default.
const ALGORITHMS: [&str; 5] = [
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ssh-rsa",
    "sk-ssh-ed25519@openssh.com",
    "sk-ecdsa-sha2-nistp256@openssh.com",
];

impl SshPublicKey {
    /// Reads a `.pub` file line: `ssh-ed25519 AAAA… comment`.
    pub fn parse(line: &str) -> Result<Self, BadSshKey> {
        let bad = |why: &str| BadSshKey(why.to_owned());
        if line.len() > MAX_LINE_BYTES {
            return Err(BadSshKey(format!("the key is longer than {MAX_LINE_BYTES} bytes")));
        }
        if line.contains("PRIVATE KEY") {
            return Err(bad("this is a private key: keep it secret, and send the line of the .pub file"));
        }
        let mut words = line.split_whitespace();
        let (Some(algorithm), Some(encoded)) = (words.next(), words.next()) else {
            return Err(bad("a public key is a line such as \"ssh-ed25519 AAAA… ada@laptop\""));
        };
        let blob = decode_ssh(encoded).ok_or_else(|| bad("the second word of the key is not base64"))?;
        let key = Self::from_blob(blob)?;
        if key.algorithm != algorithm {
            return Err(BadSshKey(format!(
                "the key is of type {}, and its line says {algorithm:?}",
                key.algorithm
            )));
        }
        Ok(key)
    }

    /// Reads a key in the wire format.
    pub(super) fn from_blob(blob: Vec<u8>) -> Result<Self, BadSshKey> {
        let name = WireReader::new(&blob).text().unwrap_or_default();
        let Some(algorithm) = ALGORITHMS.into_iter().find(|known| *known == name) else {
            let known = ALGORITHMS.join(", ");
            let name: String = name.chars().take(40).collect();
            return Err(BadSshKey(format!(
                "keys of type {name:?} cannot prove a decision; use one of {known}"
            )));
        };
        let read = read_key(algorithm, &blob);
        let (key, application) = read.ok_or_else(|| BadSshKey(format!("the {algorithm} key is damaged")))?;
        let key = key.require_strong().map_err(|why| BadSshKey(why.to_owned()))?;
        Ok(Self { algorithm, blob, key, application })
    }

    /// The SHA-256 of the key in wire format.
    #[must_use]
    pub fn hash(&self) -> Sha256 {
        Sha256::digest(&self.blob)
    }

    /// The key's type, such as `ssh-ed25519`.
    #[must_use]
    pub const fn algorithm(&self) -> &'static str {
        self.algorithm
    }
}

/// The key as a `.pub` file line, without a comment.
impl fmt::Display for SshPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.algorithm, encode_ssh(&self.blob))
    }
}

fn read_key(algorithm: &str, blob: &[u8]) -> Option<(PublicKey, Option<Vec<u8>>)> {
    let mut fields = WireReader::new(blob);
    fields.string()?;
    let key = match algorithm {
        "ssh-rsa" => {
            let (e, n) = (fields.string()?, fields.string()?);
            let number = |bytes| without_leading_zeros(bytes).to_vec();
            PublicKey::Rsa { n: number(n), e: number(e) }
        }
        "ecdsa-sha2-nistp256" | "sk-ecdsa-sha2-nistp256@openssh.com" => {
            let (curve, point) = (fields.text()?, fields.string()?);
            (curve == "nistp256" && point.len() == 65 && point[0] == 4)
                .then(|| PublicKey::P256(point.to_vec()))?
        }
        _ => {
            let key = fields.string()?;
            (key.len() == 32).then(|| PublicKey::Ed25519(key.to_vec()))?
        }
    };
    let application = if algorithm.starts_with("sk-") { Some(fields.string()?.to_vec()) } else { None };
    fields.end()?;
    Some((key, application))
}
