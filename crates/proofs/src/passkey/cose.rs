//! Passkey public keys in COSE (RFC 9053, RFC 8812).

use super::cbor::CborValue;
use crate::public_key::{PublicKey, without_leading_zeros};

/// Reads a key of ES256, EdDSA or RS256.
pub(super) fn read_cose_key(key: &CborValue) -> Option<PublicKey> {
    let member = |name| key.member(&CborValue::Int(name));
    let bytes = |name| member(name)?.as_bytes();
    let number = |name| match member(name) {
        Some(CborValue::Int(number)) => Some(*number),
        _ => None,
    };
    match (number(1)?, number(3)?) {
        // EC2 with ES256, on P-256.
        (2, -7) if number(-1) == Some(1) => {
            let (x, y) = (bytes(-2)?, bytes(-3)?);
            let point = [&[4], x, y].concat();
            (x.len() == 32 && y.len() == 32).then_some(PublicKey::P256(point))
        }
        // OKP with EdDSA, on Ed25519.
        (1, -8) if number(-1) == Some(6) => {
            let key = bytes(-2)?;
            (key.len() == 32).then(|| PublicKey::Ed25519(key.to_vec()))
        }
        (3, -257) => {
            let (n, e) = (without_leading_zeros(bytes(-1)?), without_leading_zeros(bytes(-2)?));
            Some(PublicKey::Rsa { n: n.to_vec(), e: e.to_vec() })
        }
        _ => None,
    }
}
