//! Finds the end of a value that follows its name in a free text.
//!
//! A mask must not hide other commands from an approver. An unquoted value therefore ends where a shell would end it,
//! and substitutions and the names of variables are not masked.

use std::ops::Range;

/// The quotes that are open at a position in a line.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OpenQuotes {
    pub(super) double: bool,
    pub(super) single: bool,
}

impl OpenQuotes {
    pub(super) const fn is_any_open(self) -> bool {
        self.double || self.single
    }

    const fn is_open(self, quote: u8) -> bool {
        (quote == b'"' && self.double) || (quote == b'\'' && self.single)
    }
}

/// The longest cookie, in bytes: browsers refuse longer ones.
const MAX_COOKIE: usize = 4096;

/// A value in quotes.
#[derive(Debug)]
pub(super) struct QuotedValue {
    pub(super) inner: Range<usize>,
    /// The position after the closing quote.
    end: usize,
    /// True if the value ends before its closing quote, because a shell would run the text after it.
    cut: bool,
}

/// The quoted value at `at`. Any number of backslashes may escape its quotes.
pub(super) fn quoted_value(text: &str, at: usize, open: OpenQuotes) -> Option<QuotedValue> {
    let bytes = text.as_bytes();
    let escapes = bytes.get(at..)?.iter().take_while(|byte| **byte == b'\\').count();
    let quote = *bytes.get(at + escapes).filter(|byte| matches!(byte, b'"' | b'\''))?;
    if escapes == 0 && open.is_open(quote) {
        return None;
    }
    let mut start = at + escapes + 1;
    if escapes == 0 && bytes.get(start..start + 2) == Some(&[quote, quote]) {
        start += 2;
    }
    let (mut here, mut run) = (start, 0);
    while let Some(byte) = bytes.get(here) {
        if *byte == quote && (run < escapes || run % (2 * (escapes + 1)) == escapes) {
            let closing = here - run.min(escapes);
            let shown = find_runnable(&bytes[start..closing], quote, escapes > 0 && !open.is_any_open());
            let end = shown.map_or(here + 1, |shown| start + shown);
            return Some(QuotedValue {
                inner: start..shown.map_or(closing, |_| end),
                end,
                cut: shown.is_some(),
            });
        }
        run = if *byte == b'\\' { run + 1 } else { 0 };
        here += 1;
    }
    // Without a closing quote, the value extends at least to the end of the line.
    let line = find_line_end(bytes, start);
    let shown = find_runnable(&bytes[start..line], quote, true);
    let end = shown.map_or(line, |shown| start + shown);
    Some(QuotedValue { inner: start..end, end, cut: shown.is_some() })
}

/// The position at which a quoted value must end early, because a shell would run the text after it. A quote of the
/// other kind may close an earlier one, so the value ends before that quote. If a shell sees no quotes here (`bare`),
/// the value ends before the first operator.
fn find_runnable(inner: &[u8], quote: u8, bare: bool) -> Option<usize> {
    let other = if quote == b'"' { b'\'' } else { b'"' };
    let other = if bare { 0 } else { inner.iter().position(|byte| *byte == other)? };
    let is_runnable =
        |at: usize| matches!(inner[at], b';' | b'|' | b'&' | b'\n') || starts_substitution(inner, at);
    let first = (other..inner.len()).find(|at| is_runnable(*at))?;
    Some(if bare { first } else { other })
}

/// The shell word at `at`. If one pair of quotes encloses all of it, the quotes are left out.
pub(super) fn shell_word(text: &str, at: usize, open: OpenQuotes) -> Range<usize> {
    let bytes = text.as_bytes();
    if let Some(QuotedValue { inner, end, cut }) = quoted_value(text, at, open)
        && (cut || end >= bytes.len() || ends_word(bytes, end) || !continues_word(bytes[end]))
    {
        let substitutes = bytes[inner.start - 1] == b'"';
        let cut =
            if substitutes { text[inner.clone()].find(['`', '$']).map(|n| inner.start + n) } else { None };
        let end = cut.filter(|cut| starts_substitution(bytes, *cut)).unwrap_or(inner.end);
        return inner.start..end;
    }
    let mut end = at;
    while end < bytes.len() && !ends_word(bytes, end) {
        match bytes[end] {
            b'"' | b'\'' => match quoted_value(text, end, open) {
                Some(QuotedValue { end: behind, cut: false, .. }) => end = behind,
                Some(QuotedValue { end: behind, .. }) => {
                    end = behind;
                    break;
                }
                None => break,
            },
            b'\\' if matches!(bytes.get(end + 1), Some(b'"' | b'\'')) => break,
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
    at..end.min(bytes.len())
}

const fn continues_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'"' | b'\'' | b'$' | b'_' | b'-' | b'.' | b'/' | b'\\')
        || byte >= 0x80
}

/// True if a shell word ends at `at`.
fn ends_word(bytes: &[u8], at: usize) -> bool {
    match bytes[at] {
        b';' | b'|' | b'&' | b'<' | b'>' | b')' => true,
        b',' => pair_follows(bytes, at + 1),
        byte => byte.is_ascii_whitespace() || starts_substitution(bytes, at),
    }
}

/// True if a command substitution starts at `at`.
fn starts_substitution(bytes: &[u8], at: usize) -> bool {
    bytes[at] == b'`' || (bytes[at] == b'$' && bytes.get(at + 1) == Some(&b'('))
}

/// True if another name with a value begins at `at`, as in `, user: ada`.
fn pair_follows(bytes: &[u8], at: usize) -> bool {
    let skip = |at: usize, what: fn(u8) -> bool| {
        let rest = bytes.get(at..).unwrap_or_default();
        at + rest.iter().take(64).take_while(|byte| what(**byte)).count()
    };
    let start = skip(at, |byte| matches!(byte, b' ' | b'"' | b'\'' | b'\n' | b'\t'));
    let end = skip(start, |byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    let sign = skip(end, |byte| matches!(byte, b' ' | b'"' | b'\''));
    end > start && matches!(bytes.get(sign), Some(b'=' | b':'))
}

/// The effect of shell operators on a value of several words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShellOperators {
    /// An operator ends the value if white space surrounds it and no cookie follows.
    Plain,
    /// An operator ends the value if white space surrounds it.
    Spaced,
    /// An operator always ends the value.
    End,
}

/// The part of the line from `at` on that belongs to the value.
pub(super) fn line_value(text: &str, at: usize, open: OpenQuotes, operators: ShellOperators) -> Range<usize> {
    let bytes = text.as_bytes();
    let mut end = at;
    while end < bytes.len() && !ends_line_value(bytes, end, open, operators) {
        end += 1;
    }
    at..at + text[at..end].trim_end().len()
}

/// True if a value of several words ends at `at`.
pub(super) fn ends_line_value(bytes: &[u8], at: usize, open: OpenQuotes, operators: ShellOperators) -> bool {
    match bytes[at] {
        b'\n' | b'\r' => true,
        b'\\' => matches!(bytes.get(at + 1), Some(b'"' | b'\'')),
        b',' => operators != ShellOperators::Plain && pair_follows(bytes, at + 1),
        sign @ (b';' | b'|' | b'&') => match operators {
            ShellOperators::Plain if sign == b';' && is_cookie(&bytes[at + 1..]) => false,
            ShellOperators::End => true,
            ShellOperators::Plain | ShellOperators::Spaced => {
                let space = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
                let operator = |byte: Option<&u8>| byte.is_some_and(|byte| b";|&".contains(byte));
                let next = bytes.get(at + 1);
                let before = at.checked_sub(1).and_then(|at| bytes.get(at));
                (space(next) || operator(next)) && (sign == b';' || space(before))
            }
        },
        byte => open.is_open(byte) || starts_substitution(bytes, at),
    }
}

/// True if the text up to the next semicolon is exactly one cookie or cookie attribute.
fn is_cookie(rest: &[u8]) -> bool {
    let ends = |byte: &u8| matches!(byte, b';' | b'"' | b'\'' | b'\n' | b'\r');
    let rest = rest.trim_ascii_start();
    let cookie = &rest[..rest.iter().take(MAX_COOKIE).position(ends).unwrap_or(rest.len().min(MAX_COOKIE))];
    let name = cookie.split(|byte| *byte == b'=').next().unwrap_or_default();
    let named = name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte));
    let alone =
        ["httponly", "secure", "partitioned"].iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()));
    named
        && (alone || name.len() < cookie.len())
        && !cookie.trim_ascii_end().iter().any(u8::is_ascii_whitespace)
}

/// True if a line below a name is a setting and cannot be a shell command with arguments.
fn is_setting(line: &str) -> bool {
    let first = line.split_ascii_whitespace().next().unwrap_or_default();
    let quiet = !line.contains([';', '|', '&', '`', '<', '>']) && !line.contains("$(");
    quiet && (first.len() == line.len() || first == "-" || first.ends_with(':'))
}

/// The block below a line that ends at `at`: the lines that are indented by more than `indent`.
pub(super) fn indented_block(text: &str, at: usize, indent: usize) -> Option<Range<usize>> {
    let below = at + text.get(at..)?.find('\n')? + 1;
    let mut range: Option<Range<usize>> = None;
    let mut line_at = below;
    for line in text[below..].split_inclusive('\n') {
        let (body, spaces) = (line.trim(), line.len() - line.trim_start().len());
        if !body.is_empty() && (spaces <= indent || !is_setting(body)) {
            break;
        }
        if !body.is_empty() {
            let start = range.map_or(line_at + spaces, |range| range.start);
            range = Some(start..line_at + spaces + body.len());
        }
        line_at += line.len();
    }
    range
}

fn find_line_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len())
}

/// True if the value is only a reference to a secret: `$TOKEN`, `${TOKEN}`, `{{ token }}`.
pub(super) fn is_reference(value: &str) -> bool {
    let name = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let inside = |start: &str, end: &str| value.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
    let dotted = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_. ".contains(&b))
    };
    let upper_case_name = |text: &str| name(text) && !text.bytes().any(|byte| byte.is_ascii_lowercase());
    value.strip_prefix('$').is_some_and(upper_case_name)
        || inside("${", "}").is_some_and(name)
        || inside("%", "%").is_some_and(upper_case_name)
        || inside("{{", "}}").is_some_and(dotted)
        || inside("${{", "}}").is_some_and(dotted)
        || inside("$(", ")").is_some()
}

/// True if the value is a boolean word or a word for null.
pub(super) fn is_switch(value: &str) -> bool {
    ["true", "false", "yes", "no", "on", "off", "null", "none", "nil"]
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word))
}
