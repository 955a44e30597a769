//! Splits a text into commands and words. It understands plain words, `'…'`, `"…"`, comments and operators. A line
//! with anything else yields no words.

use std::ops::Range;

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandWord<'a> {
    /// The word in the text, with its quotes.
    pub(crate) span: Range<usize>,
    /// The value, if the word is a literal: without expansions, and in one line.
    pub(crate) text: Option<std::borrow::Cow<'a, str>>,
}

/// A simple command.
#[derive(Debug, Default)]
pub(crate) struct WordList<'a> {
    pub(crate) words: Vec<CommandWord<'a>>,
    /// True if `|` follows, so that the next command reads what this one writes.
    pub(crate) piped: bool,
}

/// The limit for the words of a text. Later words are not read.
const MAX_WORDS: usize = 200_000;

/// Splits `text`. After a line that is not understood, quotes may have another meaning, so only words without quotes
/// are returned.
pub(crate) fn split_commands(text: &str) -> Vec<WordList<'_>> {
    let commands = vec![WordList::default()];
    let mut splitter = WordSplitter { text, at: 0, commands, words: 0, doubtful: false };
    while splitter.at < text.len() && splitter.words < MAX_WORDS {
        if splitter.read_part().is_none() {
            splitter.skip_line();
        }
    }
    splitter.commands
}

struct WordSplitter<'a> {
    text: &'a str,
    at: usize,
    commands: Vec<WordList<'a>>,
    words: usize,
    doubtful: bool,
}

impl<'a> WordSplitter<'a> {
    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(b'\n')
    }

    fn read_part(&mut self) -> Option<()> {
        match self.byte(self.at) {
            b' ' | b'\t' | b'\r' | b'<' | b'>' => self.at += 1,
            b'\\' if self.byte(self.at + 1) == b'\n' => self.at += 2,
            b'\n' | b';' | b'&' | b'(' | b')' | b'|' => {
                let next = self.byte(self.at + 1);
                let piped = self.byte(self.at) == b'|' && next != b'|';
                self.at += if self.byte(self.at) == b'|' && next == b'|' { 2 } else { 1 };
                self.end_command(piped);
            }
            b'#' => self.at += self.text[self.at..].find('\n').unwrap_or(self.text.len() - self.at),
            _ => {
                let word = self.read_word()?;
                self.words += 1;
                if let Some(command) = self.commands.last_mut() {
                    command.words.push(word);
                }
            }
        }
        Some(())
    }

    fn end_command(&mut self, piped: bool) {
        if let Some(command) = self.commands.last_mut().filter(|command| !command.words.is_empty()) {
            command.piped = piped;
            self.commands.push(WordList::default());
        }
    }

    fn skip_line(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        self.doubtful = true;
        if let Some(command) = self.commands.last_mut() {
            command.words.clear();
        }
    }

    /// Reads the word at the current position. Returns `None` if it is not understood.
    fn read_word(&mut self) -> Option<CommandWord<'a>> {
        let (start, mut value, mut literal, mut quoted) = (self.at, String::new(), true, false);
        loop {
            let here = self.at;
            match self.byte(here) {
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' => break,
                quote @ (b'"' | b'\'') => {
                    let inner = self.read_quoted(quote)?;
                    literal &= is_literal(inner, quote);
                    quoted = true;
                    value.push_str(inner);
                }
                b'\\' => return None,
                b'$' if matches!(self.byte(here + 1), b'\'' | b'"') => return None,
                b'$' if self.byte(here + 1) == b'(' => return None,
                b'$' if self.byte(here + 1) == b'{' => {
                    let name = self.text.as_bytes()[here + 2..].iter().take(64);
                    let end = here
                        + 2
                        + name.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
                    if self.byte(end) != b'}' {
                        return None;
                    }
                    literal = false;
                    self.at = end + 1;
                }
                byte => {
                    literal &= !matches!(byte, b'$' | b'`' | b'*' | b'?' | b'[' | b'{' | b'~');
                    let length = self.text[here..].chars().next().map_or(1, char::len_utf8);
                    value.push_str(&self.text[here..here + length]);
                    self.at += length;
                }
            }
        }
        let text = (literal && !(quoted && self.doubtful)).then(|| value.into());
        Some(CommandWord { span: start..self.at, text })
    }

    fn read_quoted(&mut self, quote: u8) -> Option<&'a str> {
        let start = self.at + 1;
        let mut end = start;
        loop {
            match self.text.as_bytes().get(end)? {
                byte if *byte == quote => break,
                b'\\' if quote == b'"' => end += 2,
                _ => end += 1,
            }
        }
        self.at = end + 1;
        self.text.get(start..end)
    }
}

/// True if the text in quotes is a literal, also if a shell reads it within other double quotes.
fn is_literal(inner: &str, quote: u8) -> bool {
    let expands = if quote == b'"' {
        inner.contains(['$', '\\'])
    } else {
        inner.contains("$(") || inner.contains("${")
    };
    !expands && !inner.contains(['`', '\n'])
}
