//! A device whose browser has subscribed at a push service: it decrypts what the server sends, as RFC 8291 says.

use crate::ReceivedMessage;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use p256::{PublicKey, SecretKey, ecdh::diffie_hellman, elliptic_curve::sec1::ToSec1Point};
use ring::{
    aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    hmac,
};
use serde_json::{Value, json};

/// A device with a subscription.
pub struct PushSubscriber {
    private: SecretKey,
    public: Vec<u8>,
    secret: [u8; 16],
    endpoint: String,
}

impl PushSubscriber {
    /// Creates a device with this number, whose push service has this address.
    #[must_use]
    pub fn new(number: u8, endpoint: &str) -> Self {
        let private = SecretKey::from_slice(&[number; 32]).expect("a key");
        let public = private.public_key().to_sec1_point(false).as_bytes().to_vec();
        Self { private, public, secret: [number; 16], endpoint: endpoint.to_owned() }
    }

    /// Returns the body of a request that registers the device, with these members besides.
    #[must_use]
    pub fn request(&self, members: &Value) -> Value {
        let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let keys = json!({"p256dh": encode(&self.public), "auth": encode(&self.secret)});
        let mut request = json!({"name": "phone", "endpoint": self.endpoint, "keys": keys});
        let members = members.as_object().expect("an object").clone();
        request.as_object_mut().expect("an object").extend(members);
        request
    }

    /// Decrypts a message of the push service.
    #[must_use]
    pub fn decrypts(&self, message: &ReceivedMessage) -> Value {
        assert_eq!(message.header("content-encoding"), "aes128gcm");
        assert!(message.bytes.len() <= 4_096, "{} bytes", message.bytes.len());
        let (salt, rest) = message.bytes.split_at(16);
        let (server, record) = rest[5..].split_at(65);
        let theirs = PublicKey::from_sec1_bytes(server).expect("a point");
        let shared = diffie_hellman(self.private.to_nonzero_scalar(), theirs.as_affine());
        let start = hash(&self.secret, &[shared.raw_secret_bytes()]);
        let input = hash(&start, &[b"WebPush: info\0", &self.public, server, &[1]]);
        let own = hash(salt, &[&input]);
        let key = hash(&own, &[b"Content-Encoding: aes128gcm\0\x01"]);
        let nonce = hash(&own, &[b"Content-Encoding: nonce\0\x01"]);
        let cipher = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key[..16]).expect("a key"));
        let nonce = Nonce::try_assume_unique_for_key(&nonce[..12]).expect("a nonce");
        let mut record = record.to_vec();
        let plain =
            cipher.open_in_place(nonce, Aad::empty(), &mut record).expect("only this device reads it");
        let end = plain.iter().rposition(|byte| *byte != 0).expect("a delimiter");
        serde_json::from_slice(&plain[..end]).expect("the message is JSON")
    }
}

fn hash(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, key);
    hmac::sign(&key, &parts.concat()).as_ref().to_vec()
}
