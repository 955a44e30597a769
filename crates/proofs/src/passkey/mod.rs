//! Passkeys: the registration and the assertions of WebAuthn (W3C Web Authentication, Level 3).
//!
//! Attestation is not asked for and not checked: a person registers a key under a credential of their own, and
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
pub use public_key::{BadPasskey, PasskeyPublicKey, is_origin_of};
pub use registration::{PasskeyRegistration, creation_challenge};
pub use sign_in_secret::{SIGN_IN_PREFIX, SignInSecret};

use crate::base64url;

/// Writes bytes as base64url without padding, as WebAuthn does.
#[must_use]
pub fn encode_bytes(bytes: &[u8]) -> String {
    base64url::encode_url(bytes)
}
