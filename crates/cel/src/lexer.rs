//! Splits a condition into tokens.

use crate::{
    CelValue, ParseError,
    literal::{read_bytes, read_text},
};

/// A token, and the position of its first byte.
#[derive(Debug, Clone)]
pub(crate) struct LexerToken {
    pub(crate) at: usize,
    pub(crate) kind: TokenKind,
}

#[derive(Debug, Clone)]
pub(crate) enum TokenKind {
    /// A name or a keyword.
    Word(String),
    /// A name in backquotes, such as `` `content-type` ``.
    Backquoted(String),
    /// A string or a byte string.
    Quoted(CelValue),
    /// A number, as it is written. Its sign is not a part of it.
    Number(String),
    /// An operator or a delimiter.
    Symbol(&'static str),
    End,
}

/// Longer symbols come before their beginnings.
const SYMBOLS: &[&str] = &[
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "-", "+", "*", "/", "%", "?", ":", ".", ",", "(", ")",
    "[", "]", "{", "}",
];

/// Splits the source. The last token is [`TokenKind::End`].
pub(crate) fn split_tokens(source: &str) -> Result<Vec<LexerToken>, ParseError> {
    let mut tokens = Vec::new();
    let mut rest = source;
    loop {
        rest = skip_blanks(rest);
        let at = source.len() - rest.len();
        let Some(first) = rest.chars().next() else {
            tokens.push(LexerToken { at, kind: TokenKind::End });
            return Ok(tokens);
        };
        let (kind, after) = read_token(first, rest).map_err(|why| ParseError::Syntax {
            column: source[..at].chars().count() + 1,
            why: why.to_owned(),
        })?;
        tokens.push(LexerToken { at, kind });
        rest = after;
    }
}

/// Skips white space and comments.
fn skip_blanks(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', '\r', '\u{c}']);
        let Some(comment) = rest.strip_prefix("//") else { return rest };
        rest = comment.find('\n').map_or("", |end| &comment[end..]);
    }
}

/// Reads one token, and returns the text after it.
fn read_token(first: char, rest: &str) -> Result<(TokenKind, &str), &'static str> {
    if let Some(quote) = find_quote(rest) {
        let is_bytes = rest[..quote].contains(['b', 'B']);
        let is_raw = rest[..quote].contains(['r', 'R']);
        let (content, after) = split_quoted(&rest[quote..], is_raw)?;
        let value = if is_bytes { read_bytes(content, is_raw) } else { read_text(content, is_raw) };
        return Ok((TokenKind::Quoted(value?), after));
    }
    if let Some(quoted) = rest.strip_prefix('`') {
        let (name, after) = split_backquoted(quoted)?;
        return Ok((TokenKind::Backquoted(name.to_owned()), after));
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        return Ok((TokenKind::Word(rest[..end].to_owned()), &rest[end..]));
    }
    let starts_fraction = first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit());
    if first.is_ascii_digit() || starts_fraction {
        let end = number_length(rest);
        return Ok((TokenKind::Number(rest[..end].to_owned()), &rest[end..]));
    }
    let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol));
    let symbol = symbol.ok_or("no value or operator starts with this character")?;
    Ok((TokenKind::Symbol(symbol), &rest[symbol.len()..]))
}

/// The quote position, if the text starts with a string: after the prefix `r`, `b` or `br`.
fn find_quote(text: &str) -> Option<usize> {
    let mut prefix = text.strip_prefix(['b', 'B']).unwrap_or(text);
    prefix = prefix.strip_prefix(['r', 'R']).unwrap_or(prefix);
    prefix.starts_with(['"', '\'']).then(|| text.len() - prefix.len())
}

/// Splits a string into the content between its quotes and the text after it.
fn split_quoted(text: &str, is_raw: bool) -> Result<(&str, &str), &'static str> {
    let single = &text[..1];
    let triple = single.repeat(3);
    let quote = if text.starts_with(&triple) { &*triple } else { single };
    let content = &text[quote.len()..];
    let mut escaped = false;
    for (at, c) in content.char_indices() {
        if escaped {
            escaped = false;
        } else if content[at..].starts_with(quote) {
            return Ok((&content[..at], &content[at + quote.len()..]));
        } else if quote.len() == 1 && matches!(c, '\n' | '\r') {
            break;
        } else {
            escaped = c == '\\' && !is_raw;
        }
    }
    Err("the string has no end")
}

/// Splits a name from the text after its closing backquote.
fn split_backquoted(text: &str) -> Result<(&str, &str), &'static str> {
    let (name, after) = text.split_once('`').ok_or("the name in backquotes has no end")?;
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | ' ');
    if name.is_empty() || !name.chars().all(fits) {
        return Err(
            "a name in backquotes has only letters, digits, spaces and `_.-/`; write ['…'] for any other key",
        );
    }
    Ok((name, after))
}

/// The byte length of the leading number.
fn number_length(text: &str) -> usize {
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let mut end = if let Some(hex) = text.strip_prefix("0x") {
        text.len() - hex.trim_start_matches(|c: char| c.is_ascii_hexdigit()).len()
    } else {
        let mut end = digits(text);
        if let Some(fraction) = text[end..].strip_prefix('.').map(digits).filter(|count| *count > 0) {
            end += 1 + fraction;
        }
        if let Some(exponent) = text[end..].strip_prefix(['e', 'E']) {
            let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            let sign = exponent.len() - unsigned.len();
            end += if digits(unsigned) > 0 { 1 + sign + digits(unsigned) } else { 0 };
        }
        end
    };
    if text[end..].starts_with(['u', 'U']) {
        end += 1;
    }
    end
}
