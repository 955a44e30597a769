//! Finds private keys in PEM blocks. A span covers the lines of the key and no text that a shell would run.

use regex::Regex;
use std::{ops::Range, sync::LazyLock};

static BEGIN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----").expect("a constant pattern"));

static END: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("^-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----").expect("a constant pattern"));

/// The header lines of an encrypted key.
static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("^(?:Proc-Type|DEK-Info|Comment|Version): [A-Za-z0-9,. -]*").expect("a constant pattern")
});

/// Base64 digits of a key outside the lines of the block, for example in the string literals of a program.
static DETACHED_DIGITS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("[A-Za-z0-9+/=]{40,}").expect("a constant pattern"));

/// A run of this many Base64 digits belongs to a key; English words are shorter.
const MIN_KEY_DIGITS: usize = 16;

/// Adds the spans of all private keys in `text` to `spans`.
pub(super) fn find_private_keys(text: &str, spans: &mut Vec<Range<usize>>) {
    let mut from = 0;
    for found in BEGIN.find_iter(text) {
        if found.start() < from {
            continue;
        }
        let (end, closed) = find_block_end(text, found.end());
        spans.push(found.start()..end);
        from = end;
        if !closed {
            let rest = &text[end..];
            let rest = &rest[..rest.find("-----").unwrap_or(rest.len())];
            spans.extend(
                DETACHED_DIGITS.find_iter(rest).map(|digits| end + digits.start()..end + digits.end()),
            );
            from = end + rest.len();
        }
    }
}

/// Returns the end of the block whose first line ends at `at`, and true if the block has an END line.
fn find_block_end(text: &str, mut at: usize) -> (usize, bool) {
    loop {
        let gap = gap_length(&text[at..]);
        let rest = &text[at + gap..];
        if let Some(end) = END.find(rest) {
            return (at + gap + end.end(), true);
        }
        let begins_line = text[at..at + gap].contains(['\n', '\\']);
        let header = HEADER.find(rest).filter(|_| begins_line).map_or(0, |header| header.end());
        let digits =
            rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+/=".contains(c)).unwrap_or(rest.len());
        let alone = begins_line && ends_line(&rest[digits..]);
        match (header, digits) {
            (0, 0) => return (at, false),
            (0, _) if alone || digits >= MIN_KEY_DIGITS => at += gap + digits,
            (0, _) => return (at, false),
            (header, _) => at += gap + header,
        }
    }
}

/// The length of the leading white space, including newlines that are written as `\n`.
fn gap_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        let escapes = bytes[at..].iter().take_while(|byte| **byte == b'\\').count();
        match bytes.get(at + escapes) {
            Some(b'n' | b'r' | b't') if escapes > 0 => at += escapes + 1,
            Some(byte) if escapes == 0 && byte.is_ascii_whitespace() => at += 1,
            _ => return at,
        }
    }
}

fn ends_line(rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', '\t', '\r']);
    rest.is_empty() || rest.starts_with(['\n', '\\', '"', '\'']) || rest.starts_with("-----END")
}
