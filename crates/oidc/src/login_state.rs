//! The sign-in state between its two requests. The browser keeps it in a cookie that only servers with the same client
//! secret can read or write (AES-256-GCM).

use countersign_events::Timestamp;
use ring::{
    aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    hmac,
    rand::{SecureRandom, SystemRandom},
};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The time in which a sign-in is completed.
pub(crate) const LOGIN_SPAN: Duration = Duration::from_mins(10);

/// The most characters of the cookie.
const MAX_COOKIE: usize = 4_000;

/// The key's purpose, so that it has no other use.
const KEY_PURPOSE: &[u8] = b"countersign: the state of a sign-in, version 1";

/// Sign-in state.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LoginState {
    /// `state` of the request to the provider, which its answer repeats.
    pub(crate) state: String,
    /// The nonce, which the ID token repeats.
    pub(crate) nonce: String,
    /// The secret of PKCE (RFC 7636).
    pub(crate) verifier: String,
    /// The address to which the provider sends the browser back.
    pub(crate) redirect_uri: String,
    /// When the sign-in started, in milliseconds.
    pub(crate) began_at: i64,
}

/// The cookie key, derived from the client secret.
pub(crate) struct LoginKey(LessSafeKey);

impl LoginKey {
    /// Derives the key for an issuer client. `None` if the system refuses, which it does not for keys of this length.
    pub(crate) fn derive(client_secret: &str, issuer: &str, client_id: &str) -> Option<Self> {
        let secret = hmac::Key::new(hmac::HMAC_SHA256, client_secret.as_bytes());
        let mut context = hmac::Context::with_key(&secret);
        for part in [KEY_PURPOSE, b"\0", issuer.as_bytes(), b"\0", client_id.as_bytes()] {
            context.update(part);
        }
        let key = UnboundKey::new(&AES_256_GCM, context.sign().as_ref()).ok()?;
        Some(Self(LessSafeKey::new(key)))
    }

    /// Seals a state as a cookie's value: hexadecimal digits. `None` if the system has no randomness.
    pub(crate) fn seal(&self, state: &LoginState) -> Option<String> {
        let mut text = serde_json::to_vec(state).ok()?;
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).ok()?;
        let sealed = Nonce::assume_unique_for_key(nonce);
        self.0.seal_in_place_append_tag(sealed, Aad::empty(), &mut text).ok()?;
        Some(hex::encode(nonce) + &hex::encode(text))
    }

    /// Opens a cookie. `None` if it was not sealed with this key, or longer than [`LOGIN_SPAN`] ago.
    pub(crate) fn open(&self, cookie: &str, now: Timestamp) -> Option<LoginState> {
        let bytes = (cookie.len() <= MAX_COOKIE).then(|| hex::decode(cookie).ok())??;
        let (nonce, text) = bytes.split_at_checked(NONCE_LEN)?;
        let (nonce, mut text) = (Nonce::try_assume_unique_for_key(nonce).ok()?, text.to_vec());
        let opened = self.0.open_in_place(nonce, Aad::empty(), &mut text).ok()?;
        let state: LoginState = serde_json::from_slice(opened).ok()?;
        (now < Timestamp::from_millis(state.began_at).after(LOGIN_SPAN)).then_some(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(key: &LoginKey) -> String {
        let state = LoginState {
            state: "s".to_owned(),
            nonce: "n".to_owned(),
            verifier: "v".to_owned(),
            redirect_uri: "http://127.0.0.1/".to_owned(),
            began_at: 0,
        };
        key.seal(&state).expect("seals")
    }

    fn key(secret: &str, issuer: &str) -> LoginKey {
        LoginKey::derive(secret, issuer, "client").expect("a key")
    }

    #[test]
    fn cookie_opens_with_its_key_in_time() {
        let (own, now) = (key("secret", "i"), Timestamp::from_millis(0));
        let cookie = sealed(&own);
        assert_eq!(own.open(&cookie, now).expect("opens").verifier, "v");
        assert_eq!(key("secret", "i").open(&cookie, now).expect("another process opens it").nonce, "n");
        assert!(own.open(&cookie, now.after(LOGIN_SPAN)).is_none(), "too late");
        assert!(key("other", "i").open(&cookie, now).is_none(), "another secret");
        assert!(key("secret", "j").open(&cookie, now).is_none(), "another issuer");
    }

    #[test]
    fn changed_cookie_does_not_open() {
        let (own, now) = (key("secret", "i"), Timestamp::from_millis(0));
        let cookie = sealed(&own);
        assert_ne!(cookie, sealed(&own), "each has a nonce of its own");
        let flipped = if cookie.ends_with('0') { "1" } else { "0" };
        let changed = format!("{}{flipped}", &cookie[..cookie.len() - 1]);
        for bad in ["", "0", "zz", &cookie[..NONCE_LEN * 2], &changed, &"0".repeat(MAX_COOKIE + 1)] {
            assert!(own.open(bad, now).is_none(), "{bad}");
        }
    }
}
