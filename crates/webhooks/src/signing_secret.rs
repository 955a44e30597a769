//! Message signatures, as Standard Webhooks describes them:
//! <https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>.

use base64::{Engine, engine::general_purpose::STANDARD};
use countersign_api::fill_random;
use countersign_events::SecretValue;
use ring::hmac;
use std::fmt;

/// The prefix of every secret.
const PREFIX: &str = "whsec_";

/// The bytes of a secret: the specification asks for 24 to 64.
const LENGTHS: std::ops::RangeInclusive<usize> = 24..=64;

/// How many bytes a generated secret has.
const RANDOM_BYTES: usize = 32;

/// The secret with which a receiver checks that messages come from this server. `{:?}` omits it.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningSecret(SecretValue<Vec<u8>>);

/// The string is not a signing secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("use whsec_ and 24 to 64 bytes in base64, or none for a random one")]
pub struct BadSigningSecret;

impl SigningSecret {
    /// Reads `whsec_…`.
    pub fn parse(text: &str) -> Result<Self, BadSigningSecret> {
        let digits = text.trim().strip_prefix(PREFIX).ok_or(BadSigningSecret)?;
        let bytes = SecretValue::new(STANDARD.decode(digits).map_err(|_| BadSigningSecret)?);
        if LENGTHS.contains(&bytes.expose().len()) { Ok(Self(bytes)) } else { Err(BadSigningSecret) }
    }

    /// Makes a secret from the system's randomness; `None` if it has none.
    #[must_use]
    pub fn random() -> Option<Self> {
        let mut bytes = SecretValue::new(vec![0; RANDOM_BYTES]);
        fill_random(bytes.expose_mut()).ok()?;
        Some(Self(bytes))
    }

    /// The text, for the receiver alone.
    #[must_use]
    pub fn expose(&self) -> SecretValue<String> {
        // The text has its full length at once, because growing it would leave a part of it in memory.
        let mut text = String::with_capacity(PREFIX.len() + LENGTHS.end() * 2);
        text.push_str(PREFIX);
        STANDARD.encode_string(self.0.expose(), &mut text);
        text.into()
    }

    /// One signature, as the `webhook-signature` header has it. `timestamp` is in seconds since 1970.
    #[must_use]
    pub fn sign(&self, id: &str, timestamp: i64, body: &str) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.0.expose());
        let tag = hmac::sign(&key, format!("{id}.{timestamp}.{body}").as_bytes());
        format!("v1,{}", STANDARD.encode(tag))
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example in the Standard Webhooks libraries.
    #[test]
    fn signature_equals_that_of_the_specification() {
        let secret = SigningSecret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").expect("a secret");
        let signature = secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, r#"{"test": 2432232314}"#);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn secret_survives_its_text() {
        let secret = SigningSecret::random().expect("randomness");
        assert_eq!(SigningSecret::parse(secret.expose().expose()), Ok(secret.clone()));
        assert_eq!(format!("{secret:?}"), "SigningSecret");
    }

    #[test]
    fn short_or_malformed_secret_is_rejected() {
        for text in ["", "whsec_", "whsec_AAAA", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_!!!!"] {
            assert_eq!(SigningSecret::parse(text), Err(BadSigningSecret), "{text}");
        }
    }
}
