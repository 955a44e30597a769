//! A reader of JSON tokens. The syntax was checked by whoever made the text a `Json`, so all that is left is to
//! tell the tokens apart: no number passes through a double, and no key is lost before it could be seen twice.

use super::MAX_DEPTH;
use std::borrow::Cow;

/// A place in a text that is JSON already (RFC 8259).
pub struct Tokens<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Tokens<'a> {
    /// A reader at the start of `text`.
    pub const fn new(text: &'a str) -> Self {
        Self { text, at: 0, depth: 0 }
    }

    /// Where the next token begins, in bytes, once [`Self::peek`] has looked at it.
    pub const fn at(&self) -> usize {
        self.at
    }

    /// The first byte of the next token; 0 at the end.
    pub fn peek(&mut self) -> u8 {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(self.at) {
            self.at += 1;
        }
        bytes.get(self.at).copied().unwrap_or(0)
    }

    /// Steps over the next token if it is that one.
    pub fn eat(&mut self, token: u8) -> bool {
        let here = self.peek() == token;
        self.at += usize::from(here);
        here
    }

    /// Steps into the object or array that begins here; `None` if it nests deeper than [`MAX_DEPTH`].
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self);
        self.depth -= 1;
        Some(value)
    }

    /// The string that begins here. The error says why it is no Unicode.
    pub fn string(&mut self) -> Result<Cow<'a, str>, serde_json::Error> {
        let (start, bytes) = (self.at, self.text.as_bytes());
        let (mut end, mut escaped) = (start + 1, false);
        while let Some(byte) = bytes.get(end) {
            match byte {
                b'"' => break,
                b'\\' => (end, escaped) = (end + 2, true),
                _ => end += 1,
            }
        }
        self.at = end + 1;
        match self.text.get(start + 1..end) {
            Some(plain) if !escaped => Ok(Cow::Borrowed(plain)),
            _ => serde_json::from_str(self.text.get(start..self.at).unwrap_or_default()).map(Cow::Owned),
        }
    }

    /// A number, `true`, `false` or `null`: all up to whatever must follow it.
    pub fn scalar(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(rest.len());
        self.at += end.max(1);
        &rest[..end]
    }
}
