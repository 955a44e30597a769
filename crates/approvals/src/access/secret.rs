//! The token string: `csgn_ID_SECRET`. Secret scanners find it by its prefix, lists and events name it by its id, and
//! its last six digits are a checksum, so that a scanner recognises a token without asking a server.

use countersign_events::{SecretValue, Sha256};
use std::fmt;

/// The prefix of every token.
pub const TOKEN_PREFIX: &str = "csgn_";

/// The digit alphabet, and the lengths of id and secret: 60 bits and 200 bits.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const ID_DIGITS: usize = 12;
const SECRET_DIGITS: usize = 40;
const CHECK_DIGITS: usize = 6;

/// A page key's digits: 200 bits.
const PAGE_KEY_DIGITS: usize = 40;

/// The whole token string. `{:?}` omits the secret.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenSecret {
    text: SecretValue<String>,
    page_key: Option<PageKey>,
}

/// The second part of a session secret. The pages of one origin keep it and send it as a header. Browsers also send the
/// first part, a cookie, to other programs on the same host, so the cookie alone must be worthless.
#[derive(Clone, PartialEq, Eq)]
pub struct PageKey(SecretValue<String>);

impl PageKey {
    /// The number of random bytes that a key is made from.
    pub const RANDOM_BYTES: usize = PAGE_KEY_DIGITS;

    /// Makes a key from random bytes. Five bits of each byte are used.
    #[must_use]
    pub fn from_random(bytes: &[u8; Self::RANDOM_BYTES]) -> Self {
        Self(write_digits(bytes).into())
    }

    /// Reads a key; `None` if the form is wrong.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        (text.len() == PAGE_KEY_DIGITS && is_digits(text)).then(|| Self(text.into()))
    }

    /// The whole key, for the pages alone.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose()
    }
}

impl fmt::Debug for PageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PageKey")
    }
}

/// The string is not a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is not a token: a token begins with csgn_ and has 64 letters, digits and _")]
pub struct BadToken;

impl TokenSecret {
    /// The number of random bytes that a token is made from.
    pub const RANDOM_BYTES: usize = ID_DIGITS + SECRET_DIGITS;

    /// Makes a token from random bytes. Five bits of each byte are used.
    #[must_use]
    pub fn from_random(bytes: &[u8; Self::RANDOM_BYTES]) -> Self {
        let digits = SecretValue::new(write_digits(bytes));
        let (id, secret) = digits.expose().split_at(ID_DIGITS);
        let body = SecretValue::new(format!("{TOKEN_PREFIX}{id}_{secret}"));
        let check = check_digits(body.expose());
        Self { text: format!("{}{check}", body.expose()).into(), page_key: None }
    }

    /// Reads a token. Fails if the form or the check sum is wrong.
    pub fn parse(text: &str) -> Result<Self, BadToken> {
        let rest = text.strip_prefix(TOKEN_PREFIX).ok_or(BadToken)?;
        let (id, secret) = rest.split_once('_').ok_or(BadToken)?;
        let has_form = id.len() == ID_DIGITS && secret.len() == SECRET_DIGITS + CHECK_DIGITS;
        if !has_form || !is_digits(id) || !is_digits(secret) {
            return Err(BadToken);
        }
        let (body, check) = text.split_at(text.len() - CHECK_DIGITS);
        if check == check_digits(body) {
            Ok(Self { text: text.into(), page_key: None })
        } else {
            Err(BadToken)
        }
    }

    /// A session secret: this token in the cookie, and a key in the pages.
    #[must_use]
    pub fn bound_to(self, key: &PageKey) -> Self {
        Self { page_key: Some(key.clone()), ..self }
    }

    /// Whether this is a session secret.
    #[must_use]
    pub const fn is_bound(&self) -> bool {
        self.page_key.is_some()
    }

    /// The public part, which names the token.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.expose()[TOKEN_PREFIX.len()..TOKEN_PREFIX.len() + ID_DIGITS]
    }

    /// The SHA-256 of the whole token string, which the log keeps. For a session, the string is the cookie, a line
    /// break and the page key. A slow hash is not needed: the secret has 200 random bits.
    #[must_use]
    pub fn hash(&self) -> Sha256 {
        match &self.page_key {
            None => Sha256::digest(self.expose().as_bytes()),
            Some(key) => {
                let both = SecretValue::new(format!("{}\n{}", self.expose(), key.expose()));
                Sha256::digest(both.expose().as_bytes())
            }
        }
    }

    /// The whole token string, for the holder alone, without the page key.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.text.expose()
    }
}

impl fmt::Debug for TokenSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{TOKEN_PREFIX}{}_…", self.id())
    }
}

fn is_digits(part: &str) -> bool {
    part.bytes().all(|byte| DIGITS.contains(&byte))
}

/// One digit for each byte; only five bits of the byte are used.
fn write_digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(DIGITS[usize::from(byte % 32)])).collect()
}

/// The first 30 bits of the string's SHA-256, in six digits.
fn check_digits(body: &str) -> String {
    let hex = Sha256::digest(body.as_bytes()).to_string();
    let bits = u64::from_str_radix(&hex[..8], 16).unwrap_or_default();
    let digit = |index: usize| char::from(DIGITS[usize::try_from((bits >> (5 * index)) & 31).unwrap_or(0)]);
    (0..CHECK_DIGITS).map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> TokenSecret {
        let mut bytes = [0_u8; TokenSecret::RANDOM_BYTES];
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::try_from(index * 7 % 251).expect("below 251");
        }
        TokenSecret::from_random(&bytes)
    }

    #[test]
    fn token_reads_what_it_writes() {
        let token = sample();
        assert_eq!(token.expose().len(), 64);
        assert_eq!(TokenSecret::parse(token.expose()), Ok(token.clone()));
        assert!(token.expose().contains(token.id()));
    }

    #[test]
    fn mistyped_token_is_no_token() {
        let text = sample().expose().to_owned();
        let mistyped = text.replacen("csgn_0", "csgn_1", 1);
        for bad in ["", "csgn_", "csgn__", &mistyped, &text[..63], &format!("{text}0"), &text.to_uppercase()]
        {
            assert_eq!(TokenSecret::parse(bad), Err(BadToken), "{bad}");
        }
    }

    #[test]
    fn session_hash_covers_cookie_and_page_key() {
        let (one, other) = (PageKey::from_random(&[1; 40]), PageKey::from_random(&[2; 40]));
        let hashes = [sample().hash(), sample().bound_to(&one).hash(), sample().bound_to(&other).hash()];
        assert!(hashes[0] != hashes[1] && hashes[1] != hashes[2] && hashes[0] != hashes[2]);
        assert_eq!(
            sample().bound_to(&one).expose(),
            sample().expose(),
            "the cookie does not contain the key"
        );
        assert_eq!(PageKey::parse(one.expose()), Some(one));
        for bad in ["", "1", &"u".repeat(40), &"1".repeat(41)] {
            assert_eq!(PageKey::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn debug_text_omits_the_secret() {
        let token = sample();
        assert_eq!(format!("{token:?}"), format!("csgn_{}_…", token.id()));
        assert_eq!(format!("{:?}", PageKey::from_random(&[1; 40])), "PageKey");
    }
}
