//! A position in a command line. It joins continued lines as a shell does, before anything else reads the text.

use super::budget::WorkMeter;
use std::ops::Range;

/// A backslash before a line break. Shells remove both.
const CONTINUATION: &str = "\\\n";

/// A position in a string.
#[derive(Debug)]
pub(super) struct TextCursor<'a> {
    text: &'a str,
    position: usize,
    end: usize,
    pub(super) meter: &'a mut WorkMeter,
}

impl<'a> TextCursor<'a> {
    pub(super) fn new(text: &'a str, meter: &'a mut WorkMeter) -> Self {
        meter.check_bytes(text.len());
        Self { text, position: 0, end: text.len(), meter }
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// The text from here to the end.
    pub(super) fn rest(&self) -> &'a str {
        if self.meter.is_exhausted() { "" } else { &self.text[self.position..self.end] }
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &'a str {
        &self.text[range]
    }

    /// The next character after any continuations.
    pub(super) fn peek(&mut self) -> Option<char> {
        self.skip_continuations();
        self.rest().chars().next()
    }

    /// The character after the next one.
    pub(super) fn peek_second(&mut self) -> Option<char> {
        self.skip_continuations();
        let mut rest = self.rest().chars();
        rest.next();
        let mut rest = rest.as_str();
        while let Some(after) = rest.strip_prefix(CONTINUATION) {
            rest = after;
        }
        rest.chars().next()
    }

    /// Reads the next character after any continuations.
    pub(super) fn next(&mut self) -> Option<char> {
        self.skip_continuations();
        self.next_raw()
    }

    /// Reads the next character as written, as in single quotes.
    pub(super) fn next_raw(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.advance(c.len_utf8());
        Some(c)
    }

    /// Reads the next character if it is `c`.
    pub(super) fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.next_raw();
        }
        found
    }

    /// Moves past blanks between words.
    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.next_raw();
        }
    }

    pub(super) fn skip_continuations(&mut self) {
        while self.rest().starts_with(CONTINUATION) {
            self.advance(CONTINUATION.len());
        }
    }

    /// Moves past `bytes` bytes.
    pub(super) fn advance(&mut self, bytes: usize) {
        self.position = self.end.min(self.position + bytes);
        self.meter.count_steps(bytes);
    }

    /// Limits the text to `range` and moves to its start. Returns the position for [`Self::leave`].
    pub(super) fn enter(&mut self, range: Range<usize>) -> Range<usize> {
        let before = self.position..self.end;
        (self.position, self.end) = (range.start, range.end);
        before
    }

    pub(super) fn leave(&mut self, before: Range<usize>) {
        (self.position, self.end) = (before.start, before.end);
    }
}
