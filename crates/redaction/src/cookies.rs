//! Finds cookie values in a cookie list: `sid=secret; theme=dark`.

use super::literal::is_literal_byte;
use std::ops::Range;

/// The largest number of cookies in a list that are read.
const MAX_COOKIES: usize = 100;

/// The attributes of `Set-Cookie`. They are not secret.
const ATTRIBUTES: &[&str] =
    &["path", "domain", "expires", "max-age", "samesite", "httponly", "secure", "partitioned", "priority"];

/// Adds the value spans in the list that starts at `start`. The list ends at the first string that is neither a cookie
/// nor an attribute.
pub(crate) fn find_cookies(text: &str, start: usize, spans: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let is_value = |byte: &u8| is_literal_byte(*byte) && *byte != b',';
    let is_name = |byte: &u8| is_value(byte) && *byte != b'=';
    let mut at = start + usize::from(matches!(bytes.get(start), Some(b'"' | b'\'')));
    for _ in 0..MAX_COOKIES {
        let name_end =
            at + bytes[at.min(bytes.len())..].iter().take(256).take_while(|byte| is_name(byte)).count();
        let Some(name) = text.get(at..name_end).filter(|name| !name.is_empty()) else { return };
        let attribute = ATTRIBUTES.iter().any(|known| known.eq_ignore_ascii_case(name));
        let mut end = name_end;
        if bytes.get(name_end) == Some(&b'=') {
            let value = name_end + 1;
            end = value + bytes[value..].iter().take(4096).take_while(|byte| is_value(byte)).count();
            if !attribute && end > value && text.is_char_boundary(end) {
                spans.push(value..end);
            }
        } else if !attribute {
            return;
        }
        if bytes.get(end) != Some(&b';') {
            return;
        }
        at = end + 1 + usize::from(bytes.get(end + 1) == Some(&b' '));
    }
}
