//! Private keys, as blocks of lines: all that belongs to the key, and nothing that a shell would run.

use regex::Regex;
use std::{ops::Range, sync::LazyLock};

static BEGIN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----").expect("a constant pattern"));

static END: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("^-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----").expect("a constant pattern"));

/// The headers of a key that is itself encrypted.
static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("^(?:Proc-Type|DEK-Info|Comment|Version): [A-Za-z0-9,. -]*").expect("a constant pattern")
});

/// Digits of a key that stand in no line of the block, as between the quotes of a program's text.
static APART: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("[A-Za-z0-9+/=]{40,}").expect("a constant pattern"));

/// A word of so many letters is no word.
const LONG: usize = 16;

pub(super) fn find(text: &str, spans: &mut Vec<Range<usize>>) {
    let mut from = 0;
    for found in BEGIN.find_iter(text) {
        if found.start() < from {
            continue;
        }
        let (end, closed) = block(text, found.end());
        spans.push(found.start()..end);
        from = end;
        if !closed {
            let rest = &text[end..];
            let rest = &rest[..rest.find("-----").unwrap_or(rest.len())];
            spans.extend(APART.find_iter(rest).map(|apart| end + apart.start()..end + apart.end()));
            from = end + rest.len();
        }
    }
}

/// Where the block ends whose first line ends at `at`, and whether it says so itself.
fn block(text: &str, mut at: usize) -> (usize, bool) {
    loop {
        let gap = gap(&text[at..]);
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
            (0, _) if alone || digits >= LONG => at += gap + digits,
            (0, _) => return (at, false),
            (header, _) => at += gap + header,
        }
    }
}

/// How long the space is that stands here, newlines that are written as `\n` included.
fn gap(text: &str) -> usize {
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
