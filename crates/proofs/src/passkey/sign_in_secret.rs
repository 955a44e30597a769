//! The challenges of sign-ins. A process makes one without keeping it, and each process with the same secret recognises it.

use countersign_events::{SecretValue, Timestamp};
use ring::hmac;
use std::time::Duration;

/// The first bytes of a sign-in challenge. A decision challenge is a 32-byte hash, so an assertion for one is never
/// valid for the other.
pub const SIGN_IN_PREFIX: &[u8] = b"Countersign sign-in ";

/// The time in which a person answers.
const LONGEST: Duration = Duration::from_mins(5);

/// The parts' lengths after the prefix: random bytes, the end in milliseconds since 1970, and the HMAC-SHA-256 of all
/// before it.
const RANDOM: usize = 16;
const END: usize = 8;
const MARK: usize = 32;

/// The secret by which processes recognise the challenges of sign-ins. `{:?}` omits it.
#[derive(Debug, Clone)]
pub struct SignInSecret(SecretValue<String>);

impl SignInSecret {
    /// Takes the secret as a string.
    #[must_use]
    pub const fn new(secret: SecretValue<String>) -> Self {
        Self(secret)
    }

    /// The key. It exists only while it is used, because the library does not wipe it.
    fn key(&self) -> hmac::Key {
        hmac::Key::new(hmac::HMAC_SHA256, self.0.expose().as_bytes())
    }

    /// Makes a challenge from random bytes. It is accepted for five minutes.
    #[must_use]
    pub fn issue(&self, random: [u8; RANDOM], now: Timestamp) -> Vec<u8> {
        let end = now.after(LONGEST).as_millis().to_be_bytes();
        let mut challenge = [SIGN_IN_PREFIX, &random, &end].concat();
        let mark = hmac::sign(&self.key(), &challenge);
        challenge.extend_from_slice(mark.as_ref());
        challenge
    }

    /// Returns true if the challenge was made with this secret, and is accepted now.
    #[must_use]
    pub fn recognises(&self, challenge: &[u8], now: Timestamp) -> bool {
        let signed = SIGN_IN_PREFIX.len() + RANDOM + END;
        let Some((text, mark)) = challenge.split_at_checked(signed) else { return false };
        let Some(end) = text.last_chunk::<END>() else { return false };
        mark.len() == MARK
            && hmac::verify(&self.key(), text, mark).is_ok()
            && i64::from_be_bytes(*end) > now.as_millis()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenge_is_recognised_soon_and_by_its_secret() {
        let (secret, now) = (SignInSecret::new("a".into()), Timestamp::from_millis(1_000));
        let challenge = secret.issue([7; RANDOM], now);
        assert!(challenge.starts_with(SIGN_IN_PREFIX));
        assert!(SignInSecret::new("a".into()).recognises(&challenge, now), "in another process");
        assert!(!secret.recognises(&challenge, now.after(LONGEST)));
        assert!(!SignInSecret::new("b".into()).recognises(&challenge, now));
    }

    #[test]
    fn changed_challenge_is_not_recognised() {
        let (secret, now) = (SignInSecret::new("a".into()), Timestamp::from_millis(1_000));
        let challenge = secret.issue([7; RANDOM], now);
        for position in 0..challenge.len() {
            let mut changed = challenge.clone();
            changed[position] ^= 1;
            assert!(!secret.recognises(&changed, now), "byte {position}");
            assert!(!secret.recognises(&challenge[..position], now), "{position} bytes");
        }
        assert!(!secret.recognises(&[&challenge[..], b"x"].concat(), now));
    }
}
