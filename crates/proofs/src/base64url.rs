//! Base64url without padding (RFC 4648), as WebAuthn writes bytes.

use base64::{
    Engine as _,
    alphabet::{STANDARD, URL_SAFE},
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

/// Padding is accepted and not written.
const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_encode_padding(false)
    .with_decode_padding_mode(DecodePaddingMode::Indifferent);

/// Base64url, as WebAuthn writes bytes.
const FOR_URLS: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, CONFIG);

/// The alphabet of RFC 4648, as SSH writes bytes.
const FOR_SSH: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Writes bytes as base64url without padding.
pub(crate) fn encode_url(bytes: &[u8]) -> String {
    FOR_URLS.encode(bytes)
}

/// Reads base64url.
pub(crate) fn decode_url(text: &str) -> Option<Vec<u8>> {
    FOR_URLS.decode(text).ok()
}

/// Writes bytes as SSH does.
pub(crate) fn encode_ssh(bytes: &[u8]) -> String {
    FOR_SSH.encode(bytes)
}

/// Reads bytes as SSH writes them.
pub(crate) fn decode_ssh(text: &str) -> Option<Vec<u8>> {
    FOR_SSH.decode(text).ok()
}
