//! Commands and words, as the command reader of the `patterns` crate finds them.

use super::literal::is_literal_byte;
use countersign_patterns::command::{CommandLine, CommandWord, ReadBudget, RedirectionKind, SimpleCommand};
use std::ops::Range;

/// A command word.
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
    /// Whether `|` follows, so that the next command reads what this one writes.
    pub(crate) piped: bool,
    /// The here-string word.
    pub(crate) here_string: Option<SpannedWord>,
    /// The span of here-document content.
    pub(crate) document: Option<Range<usize>>,
    /// The files that it writes, if their names are literals.
    pub(crate) writes: Vec<String>,
}

/// How far the words can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadingTrust {
    /// The reader understood the text.
    Full,
    /// The reader did not understand this line. A word in quotes is a literal only if no shell would split it otherwise.
    Line,
    /// A line before was not understood, so quotes may have another meaning.
    Rest,
}

/// Splits text into commands. If the reader does not understand the whole text, it reads each line by itself. In a line
/// that it does not understand, and after it, quotes may have another meaning: fewer words with quotes are literals.
pub(crate) fn split_commands(text: &str) -> Vec<WordList> {
    let mut found = Vec::new();
    let whole = CommandLine::read(text, ReadBudget::COMMAND_LINE);
    if whole.is_clear() {
        add_commands(&whole, 0, ReadingTrust::Full, &mut found);
        return found;
    }
    let (mut start, mut trust) = (0, ReadingTrust::Full);
    for line in text.split_inclusive('\n') {
        let read = CommandLine::read(line, ReadBudget::COMMAND_LINE);
        if read.is_clear() {
            add_commands(&read, start, trust, &mut found);
        } else {
            let own = if trust == ReadingTrust::Full { ReadingTrust::Line } else { trust };
            add_commands(&read, start, own, &mut found);
            trust = ReadingTrust::Rest;
        }
        start += line.len();
    }
    found
}

fn add_commands(line: &CommandLine, start: usize, trust: ReadingTrust, found: &mut Vec<WordList>) {
    for command in &line.commands {
        if let Some(before) = found.last_mut().filter(|_| command.is_piped) {
            before.piped = true;
        }
        found.push(read_command(command, start, trust));
    }
}

fn read_command(command: &SimpleCommand, start: usize, trust: ReadingTrust) -> WordList {
    let mut list = WordList {
        words: command.words.iter().map(|word| read_word(word, start, trust)).collect(),
        ..WordList::default()
    };
    for redirection in &command.redirections {
        let target = &redirection.target;
        match redirection.kind {
            RedirectionKind::HereString => list.here_string = Some(read_word(target, start, trust)),
            RedirectionKind::HereDocument if trust == ReadingTrust::Full => {
                list.document = Some(start + target.span.start..start + target.span.end);
            }
            RedirectionKind::Write => list.writes.push(target.raw.trim_matches(['"', '\'']).to_owned()),
            _ => {}
        }
    }
    list
}

fn read_word(word: &CommandWord, start: usize, trust: ReadingTrust) -> SpannedWord {
    let quoted = word.raw.contains(['"', '\'']);
    let trusted = |value: &&str| match trust {
        ReadingTrust::Full => true,
        ReadingTrust::Line => !quoted || is_plain_value(value),
        ReadingTrust::Rest => !quoted,
    };
    let value = word.value().filter(|value| is_literal(value)).filter(trusted);
    SpannedWord { span: start + word.span.start..start + word.span.end, text: value.map(str::to_owned) }
}

/// Returns true for words with single blanks between them and without operators, which are arguments of one command in
/// every reading.
fn is_plain_value(value: &str) -> bool {
    value.bytes().all(|byte| is_literal_byte(byte) || byte == b' ')
        && !value.starts_with(' ')
        && !value.ends_with(' ')
        && !value.contains("  ")
}

/// Returns true if the value is a literal, even if a shell reads it within other double quotes.
fn is_literal(value: &str) -> bool {
    !value.contains(['`', '\n']) && !value.contains("$(") && !value.contains("${")
}
