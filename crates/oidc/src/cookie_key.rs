//! The seal of the cookies in which a browser keeps what a sign-in and a sign-out need (AES-256-GCM). Only servers with
//! the same client secret can read or write them.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use countersign_events::SecretValue;
use ring::{
    aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    hkdf::{HKDF_SHA256, Salt},
    rand::{SecureRandom, SystemRandom},
};
use serde::{Serialize, de::DeserializeOwned};

/// The most characters of a cookie's value. Browsers keep 4,096 bytes with its name and attributes.
const MAX_COOKIE: usize = 3_900;

/// A salt's length, in bytes.
const SALT_LEN: usize = 32;

/// What a sealed cookie is for. A cookie for one purpose opens for no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CookiePurpose {
    /// The state of a sign-in.
    SignIn,
    /// The state of a sign-out.
    SignOut,
    /// The ID token of the account that is signed in.
    Account,
}

impl CookiePurpose {
    const fn as_bytes(self) -> &'static [u8] {
        match self {
            Self::SignIn => b"countersign: the state of a sign-in, version 2",
            Self::SignOut => b"countersign: the state of a sign-out, version 1",
            Self::Account => b"countersign: the ID token of an account, version 1",
        }
    }
}

/// What the keys of cookies are derived from. Each cookie has a random salt and so a key of its own: no key can be
/// computed before its cookie exists, and none comes twice.
pub(crate) struct CookieKey {
    client_secret: SecretValue<String>,
    issuer: String,
    client_id: String,
}

impl CookieKey {
    pub(crate) fn new(client_secret: SecretValue<String>, issuer: &str, client_id: &str) -> Self {
        Self { client_secret, issuer: issuer.to_owned(), client_id: client_id.to_owned() }
    }

    /// Seals a value for a cookie: letters, digits, `_` and `-`. `None` if it is too large for a cookie, or the system
    /// has no randomness.
    pub(crate) fn seal(&self, purpose: CookiePurpose, value: &impl Serialize) -> Option<String> {
        let mut text = serde_json::to_vec(value).ok()?;
        let mut start = [0; SALT_LEN + NONCE_LEN];
        SystemRandom::new().fill(&mut start).ok()?;
        let (salt, nonce) = start.split_at(SALT_LEN);
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        self.derive(salt, purpose)?.seal_in_place_append_tag(nonce, Aad::empty(), &mut text).ok()?;
        let cookie = URL_SAFE_NO_PAD.encode([&start[..], &text].concat());
        (cookie.len() <= MAX_COOKIE).then_some(cookie)
    }

    /// Opens a cookie. `None` if it was not sealed with this client secret for this purpose.
    pub(crate) fn open<T: DeserializeOwned>(&self, purpose: CookiePurpose, cookie: &str) -> Option<T> {
        let bytes = (cookie.len() <= MAX_COOKIE).then(|| URL_SAFE_NO_PAD.decode(cookie).ok())??;
        let (salt, rest) = bytes.split_at_checked(SALT_LEN)?;
        let (nonce, text) = rest.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut text = SecretValue::new(text.to_vec());
        let opened =
            self.derive(salt, purpose)?.open_in_place(nonce, Aad::empty(), text.expose_mut()).ok()?;
        serde_json::from_slice(opened).ok()
    }

    /// Derives the key of one cookie. `None` if the system refuses, which it does not for keys of this length.
    fn derive(&self, salt: &[u8], purpose: CookiePurpose) -> Option<LessSafeKey> {
        let start = Salt::new(HKDF_SHA256, salt).extract(self.client_secret.expose().as_bytes());
        let parts = [purpose.as_bytes(), b"\0", self.issuer.as_bytes(), b"\0", self.client_id.as_bytes()];
        let key = UnboundKey::from(start.expand(&parts, &AES_256_GCM).ok()?);
        Some(LessSafeKey::new(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(secret: &str, issuer: &str) -> CookieKey {
        CookieKey::new(secret.into(), issuer, "client")
    }

    fn opened(key: &CookieKey, cookie: &str) -> Option<String> {
        key.open(CookiePurpose::SignIn, cookie)
    }

    #[test]
    fn cookie_opens_with_its_secret_and_purpose() {
        let own = key("secret", "i");
        let cookie = own.seal(CookiePurpose::SignIn, &"value").expect("seals");
        assert_eq!(opened(&own, &cookie).as_deref(), Some("value"));
        assert_eq!(opened(&key("secret", "i"), &cookie).as_deref(), Some("value"), "in another process");
        assert_eq!(opened(&key("other", "i"), &cookie), None, "another secret");
        assert_eq!(opened(&key("secret", "j"), &cookie), None, "another issuer");
        assert_eq!(own.open::<String>(CookiePurpose::SignOut, &cookie), None, "another purpose");
    }

    #[test]
    fn each_cookie_has_a_key_of_its_own() {
        let own = key("secret", "i");
        let cookies = [0, 1].map(|_| own.seal(CookiePurpose::SignIn, &"value").expect("seals"));
        let bytes = cookies.map(|cookie| URL_SAFE_NO_PAD.decode(cookie).expect("base64"));
        assert_ne!(bytes[0][..SALT_LEN], bytes[1][..SALT_LEN], "the salts are random");
        let mixed = [&bytes[0][..SALT_LEN], &bytes[1][SALT_LEN..]].concat();
        assert_eq!(opened(&own, &URL_SAFE_NO_PAD.encode(mixed)), None, "the salt is a part of the key");
    }

    #[test]
    fn changed_or_large_cookie_does_not_open() {
        let own = key("secret", "i");
        let cookie = own.seal(CookiePurpose::SignIn, &"value").expect("seals");
        let middle = cookie.len() / 2;
        let flipped = if cookie.as_bytes()[middle] == b'A' { "B" } else { "A" };
        let changed = format!("{}{flipped}{}", &cookie[..middle], &cookie[middle + 1..]);
        for bad in ["", "0", "!!", &cookie[..SALT_LEN], &changed, &"0".repeat(MAX_COOKIE + 1)] {
            assert_eq!(opened(&own, bad), None, "{bad}");
        }
        assert_eq!(own.seal(CookiePurpose::Account, &"x".repeat(MAX_COOKIE)), None);
    }
}
