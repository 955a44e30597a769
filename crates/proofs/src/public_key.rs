//! The algorithms of both kinds of key.

use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey,
    VerificationAlgorithm,
};
use std::ops::RangeInclusive;

/// The y coordinates of the Ed25519 points whose order is 8 or less, little-endian. With such a key, one constant
/// signature is valid for every message.
const SMALL_ORDER: [[u8; 32]; 5] = [
    [0; 32],
    [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    [
        0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f,
    ],
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5,
        0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ],
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a,
        0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ],
];

/// The product of all odd primes below 59. A modulus that shares a factor with it has a small prime factor.
const SMALL_PRIMES: u64 = 16_294_579_238_595_022_365;

/// The accepted RSA modulus sizes in bits; signatures with other sizes cannot be checked.
const RSA_BITS: RangeInclusive<usize> = 2_048..=8_192;

/// The public exponents of RSA that are accepted (FIPS 186-5, and the longest that signatures are checked with).
const RSA_EXPONENTS: RangeInclusive<u64> = 65_537..=0x1_ffff_ffff;

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

/// The signature format.
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
    /// Returns the key, or the reason why signatures by it prove nothing.
    pub(crate) fn require_strong(self) -> Result<Self, &'static str> {
        match &self {
            Self::Ed25519(key) if !has_large_order(key) => {
                Err("it is a weak Ed25519 key: one signature would be valid for every text")
            }
            Self::Rsa { n, e } => check_rsa(n, e).map(|()| self),
            Self::Ed25519(_) | Self::P256(_) => Ok(self),
        }
    }

    /// Returns true if this key's owner signed the message.
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

/// Returns true for an Ed25519 key that is in its usual form and not a point of a small order.
fn has_large_order(key: &[u8]) -> bool {
    let Ok(mut y) = <[u8; 32]>::try_from(key) else { return false };
    // The sign of x, which a point and its inverse differ in.
    y[31] &= 0x7f;
    // The prime 2^255 - 19 and the numbers above it are other forms of 0 to 18.
    let is_reduced = y[31] != 0x7f || y[1..31].iter().any(|byte| *byte != 0xff) || y[0] < 0xed;
    is_reduced && !SMALL_ORDER.contains(&y)
}

fn check_rsa(n: &[u8], e: &[u8]) -> Result<(), &'static str> {
    let bits = n.len() * 8 - n.first().map_or(0, |first| first.leading_zeros() as usize);
    if !RSA_BITS.contains(&bits) {
        return Err("an RSA key must have 2,048 to 8,192 bits");
    }
    let modulo = |divisor: u64| {
        let rest = n.iter().fold(0, |rest, byte| (rest << 8 | u128::from(*byte)) % u128::from(divisor));
        u64::try_from(rest).unwrap_or_default()
    };
    if modulo(2) == 0 || greatest_divisor(SMALL_PRIMES, modulo(SMALL_PRIMES)) != 1 {
        return Err("the modulus of the RSA key has a small factor");
    }
    let exponent = (e.len() <= 8).then(|| e.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)));
    let is_accepted = exponent.is_some_and(|number| number % 2 == 1 && RSA_EXPONENTS.contains(&number));
    if is_accepted {
        Ok(())
    } else {
        Err("the public exponent of the RSA key must be odd, from 65,537 to 2^33")
    }
}

const fn greatest_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
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
