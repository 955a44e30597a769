//! Keys that sign, for tests. Each is made from a number, so that a test gives the same result each time.

use crate::{
    ApproverPublicKey, Statement,
    base64url::{encode_ssh, encode_url},
    ssh::NAMESPACE,
};
use countersign_events::{DecisionProof, ProofKind, Sha256};
use ring::{
    digest,
    signature::{Ed25519KeyPair, KeyPair},
};

/// The authenticator flags: the person was present and verified.
pub const PRESENT_AND_VERIFIED: u8 = 0x05;

/// A key that signs.
#[derive(Debug)]
pub struct TestKey(Ed25519KeyPair);

/// The assertion fields that a test may forge.
#[derive(Debug, Clone)]
pub struct AssertionParts {
    /// The purpose in the client data.
    pub purpose: &'static str,
    /// The origin in the client data.
    pub origin: String,
    /// The site whose hash is in the authenticator data.
    pub site: String,
    /// The flags in the authenticator data.
    pub flags: u8,
}

impl AssertionParts {
    /// What a browser sends for this site.
    #[must_use]
    pub fn honest(site: &str) -> Self {
        let origin = format!("https://{site}");
        Self { purpose: "webauthn.get", origin, site: site.to_owned(), flags: PRESENT_AND_VERIFIED }
    }
}

fn push(bytes: &mut Vec<u8>, string: &[u8]) {
    bytes.extend(u32::try_from(string.len()).unwrap_or(u32::MAX).to_be_bytes());
    bytes.extend(string);
}

impl TestKey {
    /// The key with this number.
    ///
    /// # Panics
    /// Never: every seed is a key.
    #[must_use]
    pub fn number(number: u8) -> Self {
        Self(Ed25519KeyPair::from_seed_unchecked(&[number; 32]).expect("every seed is a key"))
    }

    /// The public key, 32 bytes.
    #[cfg(test)]
    pub(crate) fn public_bytes(&self) -> &[u8] {
        self.0.public_key().as_ref()
    }

    fn ssh_blob(&self) -> Vec<u8> {
        let mut blob = Vec::new();
        push(&mut blob, b"ssh-ed25519");
        push(&mut blob, self.0.public_key().as_ref());
        blob
    }

    /// The line of its `.pub` file.
    #[must_use]
    pub fn ssh_line(&self) -> String {
        format!("ssh-ed25519 {}", encode_ssh(&self.ssh_blob()))
    }

    /// The key as a passkey string for this site.
    #[must_use]
    pub fn passkey_line(&self, site: &str) -> String {
        let public = self.0.public_key().as_ref();
        // {1: 1, 3: -8, -1: 6, -2: the key}
        let cose = [&[0xa4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20], public].concat();
        format!("passkey {site} {} {}", encode_url(&public[..16]), encode_url(&cose))
    }

    fn id(kind: ProofKind, line: &str) -> String {
        ApproverPublicKey::parse(kind, line).map(|key| key.id()).unwrap_or_default()
    }

    /// The proof of `ssh-keygen -Y sign` over a statement.
    #[must_use]
    pub fn sign_ssh(&self, statement: &Statement) -> DecisionProof {
        self.sign_ssh_for(NAMESPACE, statement.as_str())
    }

    /// The proof that `ssh-keygen -Y sign -n NAMESPACE` makes over a message.
    #[must_use]
    pub fn sign_ssh_for(&self, namespace: &str, text: &str) -> DecisionProof {
        let mut signed = b"SSHSIG".to_vec();
        for part in [namespace.as_bytes(), b"", b"sha512"] {
            push(&mut signed, part);
        }
        push(&mut signed, digest::digest(&digest::SHA512, text.as_bytes()).as_ref());
        let mut signature = Vec::new();
        push(&mut signature, b"ssh-ed25519");
        push(&mut signature, self.0.sign(&signed).as_ref());
        let mut blob = [b"SSHSIG".as_slice(), &1_u32.to_be_bytes()].concat();
        for part in [&self.ssh_blob(), namespace.as_bytes(), b"", b"sha512", &signature] {
            push(&mut blob, part);
        }
        let armored =
            format!("-----BEGIN SSH SIGNATURE-----\n{}\n-----END SSH SIGNATURE-----\n", encode_ssh(&blob));
        DecisionProof {
            kind: ProofKind::Ssh,
            key: Self::id(ProofKind::Ssh, &self.ssh_line()),
            signature: armored,
            authenticator_data: None,
            client_data: None,
        }
    }

    /// The assertion over a statement, made with the key as a passkey of this site.
    #[must_use]
    pub fn assert(&self, site: &str, statement: &Statement) -> DecisionProof {
        let challenge = statement.challenge();
        self.assert_challenge(site, challenge.as_bytes(), &AssertionParts::honest(site))
    }

    /// The client data, the authenticator data with these flags and this end, and the signature, for an assertion over
    /// a challenge on a page of this site.
    #[cfg(test)]
    pub(crate) fn assert_data(
        &self,
        site: &str,
        challenge: &[u8],
        flags: u8,
        end: &[u8],
    ) -> (String, String, String) {
        let parts = AssertionParts { flags, ..AssertionParts::honest(site) };
        let (client_data, data, signature) = self.sign_assertion(challenge, &parts, end);
        (encode_url(client_data.as_bytes()), encode_url(&data), encode_url(&signature))
    }

    fn sign_assertion(
        &self,
        challenge: &[u8],
        parts: &AssertionParts,
        end: &[u8],
    ) -> (String, Vec<u8>, Vec<u8>) {
        let client_data = format!(
            r#"{{"type":"{}","challenge":"{}","origin":"{}","crossOrigin":false}}"#,
            parts.purpose,
            encode_url(challenge),
            parts.origin
        );
        let site_hash = Sha256::digest(parts.site.as_bytes());
        let data = [site_hash.as_bytes(), [parts.flags].as_slice(), &[0, 0, 0, 0], end].concat();
        let signed = [&data, Sha256::digest(client_data.as_bytes()).as_bytes().as_slice()].concat();
        let signature = self.0.sign(&signed).as_ref().to_vec();
        (client_data, data, signature)
    }

    /// The assertion over a challenge, made with the key as a passkey of `site`, with these fields.
    #[must_use]
    pub fn assert_challenge(&self, site: &str, challenge: &[u8], parts: &AssertionParts) -> DecisionProof {
        let (client_data, data, signature) = self.sign_assertion(challenge, parts, &[]);
        DecisionProof {
            kind: ProofKind::Passkey,
            key: Self::id(ProofKind::Passkey, &self.passkey_line(site)),
            signature: encode_url(&signature),
            authenticator_data: Some(encode_url(&data)),
            client_data: Some(encode_url(client_data.as_bytes())),
        }
    }
}
