//! Passkey registration (WebAuthn, section 7.1), without attestation.

use super::{
    PasskeyPublicKey,
    authenticator_data::{check_end, check_head, new_credential},
    cbor::CborValue,
    client_data::{Ceremony, check_client_data},
};
use crate::{BadProof, base64url::decode_url, statement::passkey_creation};
use countersign_events::{Principal, Sha256};

/// The longest attestation object, in bytes. Without attestation, it has a few hundred.
const MAX_BYTES: usize = 16_384;

/// The browser answer after creating a passkey, in base64url.
#[derive(Debug, Clone, Copy)]
pub struct PasskeyRegistration<'a> {
    /// The client data.
    pub client_data: &'a str,
    /// The attestation object.
    pub attestation: &'a str,
}

/// The challenge with which a person creates a passkey for a log. It needs no secret and no memory: without
/// attestation, nothing is signed, and the request credential names the person.
#[must_use]
pub fn creation_challenge(log: Sha256, approver: &Principal) -> Sha256 {
    passkey_creation(log, approver).challenge()
}

impl PasskeyRegistration<'_> {
    /// Checks the registration for this person and site, and returns the new passkey.
    pub fn check(
        &self,
        log: Sha256,
        approver: &Principal,
        relying_party: &str,
    ) -> Result<PasskeyPublicKey, BadProof> {
        self.check_challenge(creation_challenge(log, approver).as_bytes(), relying_party)
    }

    /// Checks the registration for this challenge and site, and returns the new passkey.
    pub(crate) fn check_challenge(
        &self,
        challenge: &[u8],
        relying_party: &str,
    ) -> Result<PasskeyPublicKey, BadProof> {
        let decode = |name: &str, text: &str| {
            let bytes = decode_url(text).filter(|bytes| bytes.len() <= MAX_BYTES);
            bytes.ok_or_else(|| BadProof::new(format!("{name} is not base64url, or too long")))
        };
        let client_data = decode("the client data", self.client_data)?;
        let attestation = decode("the attestation object", self.attestation)?;
        check_client_data(&client_data, Ceremony::Create, challenge, relying_party)?;
        let damaged = || BadProof::new("the attestation object is damaged");
        let (object, rest) = CborValue::read(&attestation).ok_or_else(damaged)?;
        let data = object.member(&CborValue::Text("authData".to_owned())).and_then(CborValue::as_bytes);
        let data = data.filter(|_| rest.is_empty()).ok_or_else(damaged)?;
        check_head(data, relying_party)?;
        let (credential_id, from_key) = new_credential(data).ok_or_else(damaged)?;
        let (_, after_key) = CborValue::read(from_key).ok_or_else(damaged)?;
        check_end(data, after_key)?;
        let cose = &from_key[..from_key.len() - after_key.len()];
        PasskeyPublicKey::new(relying_party, credential_id, cose)
            .map_err(|why| BadProof::new(why.to_string()))
    }
}
