//! Finds secrets in the user information of URLs: `https://user:secret@host`.

use super::literal::{is_literal_byte, looks_random};
use std::ops::Range;

/// The number of bytes that are searched for the end of the user information.
const MAX_USERINFO: usize = 512;

pub(crate) fn find_url_secrets(text: &str, spans: &mut Vec<Range<usize>>) {
    for (at, _) in text.match_indices("://") {
        let scheme = text[..at].bytes().next_back().is_some_and(|byte| byte.is_ascii_alphanumeric());
        if scheme {
            spans.extend(userinfo_secret(text, at + 3));
        }
    }
}

/// The secret part of the user information that begins at `start`. A user name without a password is a secret if it
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

/// The end of the user information if its password contains an unescaped `/`, `?` or `#`. The text after the colon is
/// then not a port.
fn unescaped_end(word: &[u8], authority: &[u8]) -> Option<usize> {
    let colon = authority.iter().position(|byte| *byte == b':')?;
    let port = &authority[colon + 1..];
    if colon == 0 || port.is_empty() || port.iter().all(u8::is_ascii_digit) {
        return None;
    }
    word.iter().rposition(|byte| *byte == b'@')
}
