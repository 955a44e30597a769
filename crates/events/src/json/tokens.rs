//! The JSON tokenizer. Its input is already valid JSON, so it only splits tokens. Numbers stay text, and a repeated
//! key stays visible to the caller.

use super::bad_json::MAX_DEPTH;
use std::borrow::Cow;

/// A position in valid JSON (RFC 8259).
pub struct JsonTokens<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> JsonTokens<'a> {
    /// Starts at the first byte of `text`.
    #[must_use]
    pub const fn new(text: &'a str) -> Self {
        Self { text, at: 0, depth: 0 }
    }

    /// The byte offset of the next token, after a call of [`Self::peek`].
    #[must_use]
    pub const fn at(&self) -> usize {
        self.at
    }

    /// The next token's first byte; 0 at the end.
    pub fn peek(&mut self) -> u8 {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(self.at) {
            self.at += 1;
        }
        bytes.get(self.at).copied().unwrap_or(0)
    }

    /// Consumes the next token and returns true if it is `token`, which must be a bracket, a comma or a colon.
    pub fn eat(&mut self, token: u8) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    /// Reads the object or array at this position with `read`; `None` if it nests deeper than [`MAX_DEPTH`].
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

    /// Reads the string at this position. The error states why it is not Unicode.
    pub fn string(&mut self) -> Result<Cow<'a, str>, serde_json::Error> {
        let start = self.at;
        self.at = self.end_of_string();
        unquote(&self.text[start..self.at])
    }

    /// Reads a number, `true`, `false` or `null`.
    pub fn scalar(&mut self) -> &'a str {
        let start = self.at;
        self.at = self.end_of_scalar();
        &self.text[start..self.at]
    }

    fn end_of_string(&self) -> usize {
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        while let Some(byte) = bytes.get(end) {
            match byte {
                b'"' => return end + 1,
                b'\\' => end += 2,
                _ => end += 1,
            }
        }
        bytes.len()
    }

    fn end_of_scalar(&self) -> usize {
        let ends = |byte: &u8| matches!(byte, b',' | b':' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r');
        let rest = &self.text.as_bytes()[self.at..];
        rest.iter().position(ends).map_or(self.text.len(), |length| self.at + length)
    }
}

/// Yields the text of every token with its byte offset. Memory use does not grow with the depth.
impl<'a> Iterator for JsonTokens<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let first = self.peek();
        let start = self.at;
        if start >= self.text.len() {
            return None;
        }
        self.at = match first {
            b'"' => self.end_of_string(),
            b'{' | b'}' | b'[' | b']' | b',' | b':' => start + 1,
            _ => self.end_of_scalar(),
        };
        Some((start, &self.text[start..self.at]))
    }
}

/// Decodes a JSON string that includes its quotes. The error states why it is not Unicode.
pub fn unquote(quoted: &str) -> Result<Cow<'_, str>, serde_json::Error> {
    match quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(plain) if !plain.contains('\\') => Ok(Cow::Borrowed(plain)),
        _ => serde_json::from_str(quoted).map(Cow::Owned),
    }
}
