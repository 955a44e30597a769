//! The commands and words of a text, as the command reader of the patterns finds them.

use countersign_patterns::command::{CommandLine, ReadBudget, SimpleCommand};
use std::ops::Range;

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SpannedWord {
    /// The word in the text, with its quotes.
    pub(crate) span: Range<usize>,
    /// The value, if the word is a literal: without expansions, and in one line.
    pub(crate) text: Option<String>,
}

/// A simple command.
#[derive(Debug, Default)]
pub(crate) struct WordList {
    pub(crate) words: Vec<SpannedWord>,
    /// True if `|` follows, so that the next command reads what this one writes.
    pub(crate) piped: bool,
}

/// Splits a text into commands. If the reader does not understand the text as a whole, it reads each line by itself, and
/// a line that it does not understand has no words. After such a line, quotes may have another meaning, so only words
/// without quotes are returned.
pub(crate) fn split_commands(text: &str) -> Vec<WordList> {
    let mut found = Vec::new();
    let whole = CommandLine::read(text, ReadBudget::COMMAND_LINE);
    if whole.is_clear() {
        add_commands(&whole, 0, false, &mut found);
        return found;
    }
    let (mut start, mut is_doubtful) = (0, false);
    for line in text.split_inclusive('\n') {
        let read = CommandLine::read(line, ReadBudget::COMMAND_LINE);
        if read.is_clear() {
            add_commands(&read, start, is_doubtful, &mut found);
        } else {
            is_doubtful = true;
        }
        start += line.len();
    }
    found
}

fn add_commands(line: &CommandLine, start: usize, is_doubtful: bool, found: &mut Vec<WordList>) {
    for command in &line.commands {
        if let Some(before) = found.last_mut().filter(|_| command.is_piped) {
            before.piped = true;
        }
        found.push(WordList { words: read_words(command, start, is_doubtful), piped: false });
    }
}

fn read_words(command: &SimpleCommand, start: usize, is_doubtful: bool) -> Vec<SpannedWord> {
    let words = command.words.iter().map(|word| {
        let value = word.value().filter(|value| is_literal(value));
        let value = value.filter(|_| !(is_doubtful && word.raw.contains(['"', '\''])));
        SpannedWord { span: start + word.span.start..start + word.span.end, text: value.map(str::to_owned) }
    });
    words.collect()
}

/// True if the value is a literal, also if a shell reads it within other double quotes.
fn is_literal(value: &str) -> bool {
    !value.contains(['`', '\n']) && !value.contains("$(") && !value.contains("${")
}
