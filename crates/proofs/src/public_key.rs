//! The algorithms of both kinds of key.

use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey,
    VerificationAlgorithm,
};

/// A public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PublicKey {
    /// Ed25519, 32 bytes.
    Ed25519(Vec<u8>),
    /// A point of NIST P-256, uncompressed: 0x04, x and y.
    P256(Vec<u8>),
    /// RSA.
    Rsa {
        /// The modulus, without leading zeros.
        n: Vec<u8>,
        /// The public exponent, without leading zeros.
        e: Vec<u8>,
    },
}

/// The form of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignatureForm {
    /// The usual one of Ed25519, ECDSA as ASN.1, and RSA with SHA-256.
    Usual,
    /// ECDSA as two numbers of 32 bytes.
    Fixed,
    /// RSA with SHA-512.
    RsaSha512,
}

impl PublicKey {
    /// True if the owner of this key signed the message.
    pub(crate) fn verifies(&self, form: SignatureForm, message: &[u8], signature: &[u8]) -> bool {
        match self {
            Self::Ed25519(key) => is_valid(&ED25519, key, message, signature),
            Self::P256(key) if form == SignatureForm::Fixed => {
                is_valid(&ECDSA_P256_SHA256_FIXED, key, message, signature)
            }
            Self::P256(key) => is_valid(&ECDSA_P256_SHA256_ASN1, key, message, signature),
            Self::Rsa { n, e } => {
                let parameters: &RsaParameters = match form {
                    SignatureForm::RsaSha512 => &RSA_PKCS1_2048_8192_SHA512,
                    _ => &RSA_PKCS1_2048_8192_SHA256,
                };
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signature).is_ok()
            }
        }
    }
}

fn is_valid(
    algorithm: &'static dyn VerificationAlgorithm,
    key: &[u8],
    message: &[u8],
    signature: &[u8],
) -> bool {
    UnparsedPublicKey::new(algorithm, key).verify(message, signature).is_ok()
}

/// A big-endian number without leading zeros.
pub(crate) fn without_leading_zeros(bytes: &[u8]) -> &[u8] {
    let first = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len());
    &bytes[first..]
}
