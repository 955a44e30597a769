//! Encrypts a message for one device (RFC 8291): only the browser that made the subscription can read it, and the push service
//! learns its size alone.

use countersign_api::fill_random;
use ring::{
    aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral},
    hmac::{self, HMAC_SHA256},
    rand::SystemRandom,
};

/// The largest message, in bytes, so that a body has at most 4,096 (RFC 8291, section 4).
pub(crate) const MAX_PLAIN_BYTES: usize = 3_993;

/// The record size that the header names. A message is one record.
const RECORD_BYTES: u32 = 4_096;

/// Messages are padded to a multiple of this size, so that their length tells less.
const PADDING: usize = 256;

/// The bytes of a public key on the curve P-256, not compressed.
pub(crate) const POINT_BYTES: usize = 65;

/// The bytes of the secret that a device shares.
pub(crate) const SECRET_BYTES: usize = 16;

/// The keys of a device.
#[derive(Clone)]
pub(crate) struct DeviceKeys {
    pub(crate) public: [u8; POINT_BYTES],
    pub(crate) secret: [u8; SECRET_BYTES],
}

/// Encrypts a message with a new key pair and a new salt. `None` if it is too large, if the device's key is no point of the
/// curve, or if the system has no randomness.
pub(crate) fn encrypt(keys: &DeviceKeys, plain: &[u8]) -> Option<Vec<u8>> {
    if plain.len() > MAX_PLAIN_BYTES {
        return None;
    }
    let own = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).ok()?;
    let public = own.compute_public_key().ok()?;
    let mut salt = [0; 16];
    fill_random(&mut salt).ok()?;
    let theirs = UnparsedPublicKey::new(&ECDH_P256, keys.public);
    let (key, nonce) =
        agree_ephemeral(own, &theirs, |shared| derive_keys(keys, public.as_ref(), &salt, shared)).ok()?;
    let mut record = plain.to_vec();
    // The delimiter of the last record, and zeros.
    record.push(2);
    record.resize(record.len().next_multiple_of(PADDING).min(MAX_PLAIN_BYTES + 1), 0);
    let cipher = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).ok()?);
    cipher.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut record).ok()?;
    let length = u8::try_from(public.as_ref().len()).ok()?;
    Some([&salt[..], &RECORD_BYTES.to_be_bytes(), &[length], public.as_ref(), &record].concat())
}

/// The key and the nonce of the record.
fn derive_keys(keys: &DeviceKeys, public: &[u8], salt: &[u8], shared: &[u8]) -> ([u8; 16], [u8; 12]) {
    let start = hash(&keys.secret, &[shared]);
    let input = hash(&start, &[b"WebPush: info\0", &keys.public, public, &[1]]);
    let own = hash(salt, &[&input]);
    let (key, nonce) = (
        hash(&own, &[b"Content-Encoding: aes128gcm\0", &[1]]),
        hash(&own, &[b"Content-Encoding: nonce\0", &[1]]),
    );
    (first_bytes(&key), first_bytes(&nonce))
}

fn first_bytes<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut first = [0; N];
    first.copy_from_slice(&bytes[..N]);
    first
}

/// HMAC with SHA-256 over the parts.
pub(crate) fn hash(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let mut context = hmac::Context::with_key(&hmac::Key::new(HMAC_SHA256, key));
    for part in parts {
        context.update(part);
    }
    context.sign().as_ref().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
    use p256::{PublicKey, SecretKey, ecdh::diffie_hellman, elliptic_curve::sec1::ToSec1Point};

    fn decode(text: &str) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(text).expect("base64url")
    }

    /// The device of RFC 8291, appendix A.
    fn device_of_rfc() -> (SecretKey, DeviceKeys) {
        let private =
            SecretKey::from_slice(&decode("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94")).expect("a key");
        let public = private.public_key().to_sec1_point(false);
        let keys = DeviceKeys {
            public: first_bytes(public.as_bytes()),
            secret: first_bytes(&decode("BTBZMqHH6r4Tts7J_aSIgg")),
        };
        (private, keys)
    }

    /// Decrypts as a browser does.
    fn decrypt(private: &SecretKey, keys: &DeviceKeys, body: &[u8]) -> Vec<u8> {
        let (salt, rest) = body.split_at(16);
        let (head, rest) = rest.split_at(5);
        assert_eq!(head[4], 65);
        let (public, record) = rest.split_at(65);
        let theirs = PublicKey::from_sec1_bytes(public).expect("a point");
        let shared = diffie_hellman(private.to_nonzero_scalar(), theirs.as_affine());
        let (key, nonce) = derive_keys(keys, public, salt, shared.raw_secret_bytes());
        let cipher = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).expect("a key"));
        let mut record = record.to_vec();
        let plain = cipher
            .open_in_place(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut record)
            .expect("opens");
        let end = plain.iter().rposition(|byte| *byte != 0).expect("a delimiter");
        assert_eq!(plain[end], 2, "the delimiter of the last record");
        plain[..end].to_vec()
    }

    #[test]
    fn key_schedule_is_that_of_the_rfc() {
        let (private, keys) = device_of_rfc();
        let body = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
        let plain = decrypt(&private, &keys, &decode(body));
        assert_eq!(String::from_utf8(plain).expect("text"), "When I grow up, I want to be a watermelon");
    }

    #[test]
    fn device_reads_what_the_server_encrypts() {
        let (private, keys) = device_of_rfc();
        for plain in [Vec::new(), b"deploy".to_vec(), vec![7; 255], vec![7; MAX_PLAIN_BYTES]] {
            let body = encrypt(&keys, &plain).expect("encrypted");
            assert!(body.len() <= 4_096, "{}", body.len());
            assert_eq!(decrypt(&private, &keys, &body), plain);
        }
        assert!(encrypt(&keys, &[0; MAX_PLAIN_BYTES + 1]).is_none());
        let off_curve = DeviceKeys { public: [4; POINT_BYTES], ..keys };
        assert!(encrypt(&off_curve, b"x").is_none());
    }

    #[test]
    fn length_tells_little() {
        let (_, keys) = device_of_rfc();
        let length = |plain: &[u8]| encrypt(&keys, plain).expect("encrypted").len();
        assert_eq!(length(b"ls"), length(&[7; 200]));
    }
}
