//! Finds secrets in URLs and database addresses: `https://user:secret@host`, `user:secret@tcp(host)/name`, the
//! signature in a signed URL, and a path that is one random word.

use super::{
    keys::KeyJudgement,
    literal::{is_literal_byte, is_secret, looks_like_password, looks_random},
};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// The maximum number of bytes to search for the end of user information.
const MAX_USERINFO: usize = 512;

/// The signature or the one-time code in a query.
static SIGNATURE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i-u)[?&;](?:sig|signature|x-[a-z]{2,6}-(?:signature|security-token)|hmac|ticket|__token__|oauth_signature|oauth_verifier|assertion|client_assertion|samlresponse|id_token|token|auth|api[_-]?key|sid|sessionid)=([A-Za-z0-9%._~+/=:-]{6,})",
    )
    .expect("a constant pattern")
});

/// A user and a password before a database address that has no scheme.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?-u)\b[A-Za-z_][A-Za-z0-9_.-]*(?::([!#%*+,.0-9:=?A-Z^_a-z~-]{3,})@(?:(?:tcp|udp|unix)\(|[A-Za-z0-9.-]+(?::[0-9]{2,5})?/[A-Za-z0-9_-])|/([!#%*+,.0-9:=?A-Z^_a-z~-]{3,})@(?://)?[A-Za-z0-9.-]+:[0-9]{2,5}[/:])",
    )
    .expect("a constant pattern")
});

/// A line of `.pgpass`: host, port, database, user and password.
static PGPASS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?m-u)(?:^|["'])([A-Za-z0-9_.*/-]+):([0-9]{2,5}|\*):([A-Za-z0-9_.*-]+):([A-Za-z0-9_.*@-]+):([!#%*+,./0-9=?@A-Z^_a-z~-]{4,})(?:$|["'\\\r])"#)
        .expect("a constant pattern")
});

pub(crate) fn find_url_secrets(text: &str, spans: &mut Vec<Range<usize>>) {
    if text.contains('=') {
        let values = SIGNATURE.captures_iter(text).filter_map(|found| found.get(1));
        spans.extend(
            values.filter(|value| is_secret(KeyJudgement::Short, value.as_str())).map(|value| value.range()),
        );
    }
    if text.contains('@') {
        let found = ADDRESS.captures_iter(text).filter_map(|found| found.get(1).or_else(|| found.get(2)));
        spans.extend(
            found.filter(|value| is_secret(KeyJudgement::Short, value.as_str())).map(|value| value.range()),
        );
    }
    let has_fields = text.bytes().filter(|byte| *byte == b':').count() >= 4;
    for found in has_fields.then(|| PGPASS.captures_iter(text)).into_iter().flatten() {
        let (Some(database), Some(password)) = (found.get(3), found.get(5)) else { continue };
        let is_time = database.as_str().bytes().all(|byte| byte.is_ascii_digit());
        if !is_time && is_secret(KeyJudgement::Short, password.as_str()) {
            spans.push(password.range());
        }
    }
    for (at, _) in text.match_indices("://") {
        let scheme = text[..at].bytes().next_back().is_some_and(|byte| byte.is_ascii_alphanumeric());
        if scheme {
            spans.extend(userinfo_secret(text, at + 3));
            spans.extend(random_path(text, at + 3));
        }
    }
}

/// The secret part of the user information that starts at `start`. A user name without a password is a secret if it
/// looks random.
fn userinfo_secret(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = &text.as_bytes()[start..];
    let near = &rest[..rest.len().min(MAX_USERINFO)];
    let length = near.iter().position(|byte| !is_literal_byte(*byte)).unwrap_or(near.len());
    let word = &near[..length];
    let authority =
        &word[..word.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(length)];
    let end = authority.iter().rposition(|byte| *byte == b'@').or_else(|| unescaped_end(word, authority))?;
    let user = &word[..end];
    let colon = user.iter().position(|byte| *byte == b':');
    // Every range below ends at an ASCII byte of the word, so it is on character boundaries.
    let name = text.get(start..start + colon.unwrap_or(end))?;
    match colon {
        Some(colon) if colon + 1 < end && !looks_random(name) => Some(start + colon + 1..start + end),
        Some(colon) if colon + 1 < end => Some(start..start + end),
        _ if looks_random(name) => Some(start..start + name.len()),
        _ => None,
    }
}

/// The URL path, for a host that starts at `start`, if it is one random word, as in a webhook address. A UUID or a hash
/// is more often a name than a secret.
fn random_path(text: &str, start: usize) -> Option<Range<usize>> {
    let bytes = &text.as_bytes()[start..];
    let bytes = &bytes[..bytes.len().min(MAX_USERINFO)];
    let slash = bytes.iter().position(|byte| !is_literal_byte(*byte) || *byte == b'/')?;
    let path = bytes[slash..].strip_prefix(b"/")?;
    let length = path.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte)).count();
    let ends = path.get(length).is_none_or(|byte| !is_literal_byte(*byte) || *byte == b'?');
    let word = text.get(start + slash + 1..start + slash + 1 + length)?;
    let is_hex = word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let secret = ends && !is_hex && looks_random(word) && looks_like_password(word);
    secret.then(|| start + slash + 1..start + slash + 1 + length)
}

/// Where the user information ends if its password contains an unescaped `/`, `?` or `#`. The text after the colon is
/// then not a port.
fn unescaped_end(word: &[u8], authority: &[u8]) -> Option<usize> {
    let colon = authority.iter().position(|byte| *byte == b':')?;
    let port = &authority[colon + 1..];
    if colon == 0 || port.is_empty() || port.iter().all(u8::is_ascii_digit) {
        return None;
    }
    word.iter().rposition(|byte| *byte == b'@')
}
