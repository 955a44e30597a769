//! Passkeys: the registration and the assertions of WebAuthn (W3C Web Authentication, Level 3).
//!
//! Attestation is neither requested nor checked: a person registers a key under their own credential, and
//! `verify --approver-keys` pins keys.

mod assertion;
mod authenticator_data;
mod cbor;
mod client_data;
mod cose;
mod public_key;
mod registration;
mod sign_in_secret;

pub use assertion::PasskeyAssertion;
pub use client_data::read_origin;
pub use public_key::{BadPasskey, PasskeyPublicKey, is_origin_of, is_web_origin};
pub use registration::{PasskeyRegistration, creation_challenge};
pub use sign_in_secret::{SIGN_IN_PREFIX, SignInSecret};

use crate::base64url;

/// Returns true if the passkey in the attestation object signed this data; `None` if the key has another algorithm.
#[cfg(test)]
pub(crate) fn signed_by(
    attestation: &[u8],
    data: &[u8],
    client_data: &[u8],
    signature: &[u8],
) -> Option<bool> {
    let (object, _) = cbor::CborValue::read(attestation)?;
    let created = object.member(&cbor::CborValue::Text("authData".to_owned()))?.as_bytes()?;
    let (_, from_key) = authenticator_data::new_credential(created)?;
    let key = cose::read_cose_key(&cbor::CborValue::read(from_key)?.0)?;
    let signed = authenticator_data::signed_bytes(data, client_data);
    Some(key.verifies(crate::public_key::SignatureForm::Usual, &signed, signature))
}

/// Writes bytes as base64url without padding, as WebAuthn does.
#[must_use]
pub fn encode_bytes(bytes: &[u8]) -> String {
    base64url::encode_url(bytes)
}
