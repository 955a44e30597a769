//! Passkey assertions (WebAuthn, section 7.2).

use super::{
    PasskeyPublicKey,
    authenticator_data::{check_assertion_end, check_head, signed_bytes},
    client_data::{Ceremony, check_client_data},
};
use crate::{BadProof, base64url::decode_url, public_key::SignatureForm};

/// The maximum size of an assertion field, in bytes.
const MAX_BYTES: usize = 4_096;

/// The browser answer after using a passkey, in base64url.
#[derive(Debug, Clone, Copy)]
pub struct PasskeyAssertion<'a> {
    /// The client data.
    pub client_data: &'a str,
    /// The authenticator data.
    pub authenticator_data: &'a str,
    /// The signature.
    pub signature: &'a str,
}

impl PasskeyAssertion<'_> {
    /// Checks that the owner of this passkey was present and verified, and signed the challenge on a page of its site.
    ///
    /// The authenticator's counter is not compared: synced passkeys have none, and each challenge is used once.
    pub fn check(&self, key: &PasskeyPublicKey, challenge: &[u8]) -> Result<(), BadProof> {
        let decode = |name: &str, text: &str| {
            let bytes = decode_url(text).filter(|bytes| bytes.len() <= MAX_BYTES);
            bytes.ok_or_else(|| BadProof::new(format!("{name} is not base64url, or too long")))
        };
        let client_data = decode("clientData", self.client_data)?;
        let data = decode("authenticatorData", self.authenticator_data)?;
        let signature = decode("signature", self.signature)?;
        check_client_data(&client_data, Ceremony::Get, challenge, &key.relying_party)?;
        check_head(&data, &key.relying_party)?;
        check_assertion_end(&data)?;
        let signed = signed_bytes(&data, &client_data);
        if key.key.verifies(SignatureForm::Usual, &signed, &signature) {
            Ok(())
        } else {
            Err(BadProof::new("the signature is not one of this passkey"))
        }
    }
}
