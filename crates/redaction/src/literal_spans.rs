//! Finds where a literal starts and ends: a quoted string without operators, or one word. Masks cover nothing else.

use super::literal::is_literal_byte;
use std::ops::Range;

/// The maximum length of a literal, in bytes.
const MAX_LITERAL: usize = 1024;

/// The number of backslashes before a quote that are counted: a string within a string within a string has seven.
const MAX_ESCAPES: usize = 8;

/// The string content, for quotes, a prefix or backslashes that start at `start`: in one line that no shell would read
/// otherwise, without operators, parentheses, substitutions and other quotes.
pub(crate) fn quoted_at(text: &str, start: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let start = start + prefix_length(bytes.get(start..)?);
    let escapes = bytes[start..].iter().take(MAX_ESCAPES).take_while(|byte| **byte == b'\\').count();
    let quote = *bytes.get(start + escapes)?;
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let closes = |at: usize| {
        bytes.get(at..at + escapes).is_some_and(|before| before.iter().all(|byte| *byte == b'\\'))
            && bytes.get(at + escapes) == Some(&quote)
    };
    let mut start = start + escapes + 1;
    // A string in three quotes.
    let triple = escapes == 0 && closes(start) && closes(start + 1);
    start += usize::from(triple) * 2;
    let allowed = |byte: &u8| is_literal_byte(*byte) || matches!(byte, b' ' | b'$');
    let end = start + bytes.get(start..)?.iter().take(MAX_LITERAL).take_while(|byte| allowed(byte)).count();
    let is_complete = closes(end) && (!triple || closes(end + 1) && closes(end + 2));
    let inner = text.get(start..end)?;
    let one_value = !inner.starts_with(' ') && !inner.ends_with(' ') && !inner.contains("  ");
    (is_complete && one_value).then_some(start..end)
}

/// The number of letters before an opening quote: `b"…"`, `@"…"`, `N'…'`.
fn prefix_length(bytes: &[u8]) -> usize {
    let letters = bytes.iter().take(2).take_while(|byte| b"bBrRuUfFLN@".contains(byte)).count();
    let quoted = matches!(bytes.get(letters), Some(b'"' | b'\'' | b'\\'));
    if quoted { letters } else { 0 }
}

/// The word at `start`, unless it may be an expression: then a bracket, a substitution or an operator follows.
pub(crate) fn word_at(text: &str, start: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes().get(start..)?;
    let word = |byte: &u8| is_literal_byte(*byte) && *byte != b',';
    let end = start + bytes.iter().take(MAX_LITERAL).take_while(|byte| word(byte)).count();
    let value = text.get(start..end)?.trim_end_matches(['.', ':', '/']);
    let is_code = matches!(text.as_bytes().get(end), Some(b'(' | b'[' | b'{' | b'$' | b'`'));
    (!is_code && !value.is_empty()).then_some(start..start + value.len())
}

/// The string or the word at `start`.
pub(crate) fn literal_at(text: &str, start: usize) -> Option<Range<usize>> {
    quoted_at(text, start).or_else(|| word_at(text, start))
}
