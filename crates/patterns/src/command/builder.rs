//! Collects word parts.

use super::line::{CommandWord, LiteralPiece, WordExpansion};
use crate::invisible::HOLE;

/// A word that is being read.
#[derive(Debug)]
pub(super) struct WordBuilder {
    word: CommandWord,
    /// Whether something remains of the word when its variables are empty.
    remains: bool,
}

impl WordBuilder {
    pub(super) fn new(start: usize) -> Self {
        Self { word: CommandWord { span: start..start, ..CommandWord::default() }, remains: false }
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.remains && self.word.text.is_empty()
    }

    /// The last character read.
    pub(super) fn last(&self) -> Option<char> {
        self.word.text.chars().next_back()
    }

    /// Adds a character that starts at `at`.
    pub(super) fn push(&mut self, c: char, at: usize, quoted: bool) {
        self.word.text.push(c);
        self.remains = true;
        let end = at + c.len_utf8();
        match self.word.literals.last_mut().filter(|last| last.span.end == at && last.quoted == quoted) {
            Some(last) => last.span.end = end,
            None => self.word.literals.push(LiteralPiece { span: at..end, quoted }),
        }
    }

    /// Notes that the word contains quotes, so that it remains even if it is empty.
    pub(super) fn add_quotes(&mut self) {
        self.remains = true;
    }

    /// Adds a variable.
    pub(super) fn add_variable(&mut self, quoted: bool) {
        self.word.may_split |= !quoted;
        self.remains |= quoted;
        self.add_hole(WordExpansion::Plain);
    }

    /// Adds a home folder, a file name pattern or a list in braces.
    pub(super) fn add_file_pattern(&mut self) {
        self.remains = true;
        self.add_hole(WordExpansion::Plain);
    }

    /// Adds a part that only the shell knows.
    pub(super) fn add_unknown(&mut self) {
        self.remains = true;
        self.add_hole(WordExpansion::Unknown);
    }

    /// Adds a message of several lines at `start`.
    pub(super) fn add_message(&mut self, message: &str, start: usize) {
        self.remains = true;
        self.word.is_message = true;
        self.word.text.push_str(message);
        self.word.literals.push(LiteralPiece { span: start..start + message.len(), quoted: true });
    }

    fn add_hole(&mut self, expansion: WordExpansion) {
        self.word.text.push(HOLE);
        self.word.expansion = self.word.expansion.max(expansion);
    }

    /// Finishes the word, which is written as `raw`.
    pub(super) fn finish(mut self, raw: &str) -> CommandWord {
        self.word.span.end = self.word.span.start + raw.len();
        self.word.raw = raw.replace("\\\n", "");
        self.word.may_vanish = !self.remains;
        self.word
    }
}
