//! The text of a token: `csgn_ID_SECRET`. The prefix lets secret scanners find it, the id names it in lists and events,
//! and six digits at the end are a check sum, so that a scanner recognises a token without asking a server.

use countersign_events::Sha256;
use std::fmt;

/// The prefix of every token.
pub const TOKEN_PREFIX: &str = "csgn_";

/// The digits of the id and the secret, and their numbers: 60 bits and 200 bits.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const ID_DIGITS: usize = 12;
const SECRET_DIGITS: usize = 40;
const CHECK_DIGITS: usize = 6;

/// The whole text of a token. `{:?}` omits the secret.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenSecret {
    text: String,
}

/// The text is not a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is not a token: a token begins with csgn_ and has 64 letters, digits and _")]
pub struct BadToken;

impl TokenSecret {
    /// The number of random bytes that a token is made from.
    pub const RANDOM_BYTES: usize = ID_DIGITS + SECRET_DIGITS;

    /// Makes a token from random bytes. Five bits of each byte are used.
    #[must_use]
    pub fn from_random(bytes: &[u8; Self::RANDOM_BYTES]) -> Self {
        let digits: String = bytes.iter().map(|byte| char::from(DIGITS[usize::from(byte % 32)])).collect();
        let (id, secret) = digits.split_at(ID_DIGITS);
        let body = format!("{TOKEN_PREFIX}{id}_{secret}");
        let check = check_digits(&body);
        Self { text: body + &check }
    }

    /// Reads a token. Fails if the form or the check sum is wrong.
    pub fn parse(text: &str) -> Result<Self, BadToken> {
        let rest = text.strip_prefix(TOKEN_PREFIX).ok_or(BadToken)?;
        let (id, secret) = rest.split_once('_').ok_or(BadToken)?;
        let is_digits = |part: &str| part.bytes().all(|byte| DIGITS.contains(&byte));
        let has_form = id.len() == ID_DIGITS && secret.len() == SECRET_DIGITS + CHECK_DIGITS;
        if !has_form || !is_digits(id) || !is_digits(secret) {
            return Err(BadToken);
        }
        let (body, check) = text.split_at(text.len() - CHECK_DIGITS);
        if check == check_digits(body) { Ok(Self { text: text.to_owned() }) } else { Err(BadToken) }
    }

    /// The public part, which names the token.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.text[TOKEN_PREFIX.len()..TOKEN_PREFIX.len() + ID_DIGITS]
    }

    /// The SHA-256 of the whole text, which the log keeps. A slow hash is not needed: the secret has 200 random bits.
    #[must_use]
    pub fn hash(&self) -> Sha256 {
        Sha256::digest(self.text.as_bytes())
    }

    /// The whole text, for the holder alone.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for TokenSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{TOKEN_PREFIX}{}_…", self.id())
    }
}

/// The first 30 bits of the SHA-256 of the text, in six digits.
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
    fn debug_text_omits_the_secret() {
        let token = sample();
        assert_eq!(format!("{token:?}"), format!("csgn_{}_…", token.id()));
    }
}
