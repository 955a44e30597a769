//! A command line that was read with a small grammar: its simple commands, with each word's byte range in the text.

use crate::invisible::HOLE;
use std::{borrow::Cow, ops::Range};

/// The simple commands of a command line, and whether the grammar covers the line completely.
///
/// The grammar consists of words, quotes, plain expansions (`$name`, `${name}`, `$(…)`), pipes, lists, plain
/// redirections, here-documents with a plain tag, subshells, groups, `if`, `for`, `while` and `until`. A line with
/// anything else is unclear: its commands are those that the reader recognised.
#[derive(Debug, Clone, Default)]
pub struct CommandLine {
    /// The simple commands, at any depth. A command in a substitution precedes the command that contains it.
    pub commands: Vec<SimpleCommand>,
    /// The reason why the line is unclear, if it is.
    pub unclear: Option<&'static str>,
    /// The scripts in backticks, without the backslashes that quote them.
    pub backtick_scripts: Vec<String>,
    /// The redirections of groups, loops and subshells.
    pub block_redirections: Vec<CommandRedirection>,
    /// The words of `for name in words`.
    pub loop_words: Vec<CommandWord>,
    /// The variables of `for` loops.
    pub loop_variables: Vec<String>,
    /// Whether it contains a loop, so that a command may run more than once.
    pub has_loop: bool,
    /// Whether a loop sets a variable that other commands may use.
    pub sets_variable: bool,
    /// Whether the line contains a pipe, a here-document, a here-string or a process substitution.
    pub(super) has_source: bool,
}

/// A program with its arguments.
#[derive(Debug, Clone, Default)]
pub struct SimpleCommand {
    /// The assignments before the program.
    pub assignments: Vec<CommandAssignment>,
    /// The program and its arguments.
    pub words: Vec<CommandWord>,
    /// The redirections, in order.
    pub redirections: Vec<CommandRedirection>,
    /// Whether it reads the output of another command.
    pub is_piped: bool,
    /// Whether only some shells run it.
    pub is_doubtful: bool,
    /// Whether it only prints a message that is part of another command.
    pub prints_message: bool,
    /// The comment after it, which some interactive shells read as arguments.
    pub comment: Option<String>,
}

/// An assignment before a program, as in `NAME=value program`.
#[derive(Debug, Clone)]
pub struct CommandAssignment {
    /// The name, with a `+` at the end if the value is appended.
    pub name: String,
    /// The word after the equals sign.
    pub value: CommandWord,
}

/// A redirection on a simple command or a block.
#[derive(Debug, Clone)]
pub struct CommandRedirection {
    /// The operator.
    pub kind: RedirectionKind,
    /// The file or descriptor. For a here-document, its content.
    pub target: CommandWord,
    /// The number of words of the command before it.
    pub words_before: usize,
}

/// The kinds of redirections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectionKind {
    /// `< file`
    Read,
    /// `> file`, `>> file`, `>| file` and `<> file`
    Write,
    /// `&> file` and `&>> file`, which some shells read as two commands.
    WriteAll,
    /// `>&1`, `<&0` and `>&-`
    Duplicate,
    /// `<<TAG`
    HereDocument,
    /// `<<< word`
    HereString,
}

/// A command word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandWord {
    /// The word's byte range in the text.
    pub span: Range<usize>,
    /// The word as written.
    pub raw: String,
    /// The word as the program receives it, with U+FFFF for each expansion.
    pub text: String,
    /// The word parts that the shell does not expand, in order.
    pub literals: Vec<LiteralPiece>,
    /// The least known part of the word.
    pub expansion: WordExpansion,
    /// Whether it is a message of several lines that `$(cat <<'TAG' … )` gives.
    pub is_message: bool,
    /// Whether it contains a variable without quotes, whose value the shell splits into words.
    pub may_split: bool,
    /// Whether the word may disappear, because it consists only of variables without quotes.
    pub may_vanish: bool,
}

/// A word part that the text contains exactly as the program receives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteralPiece {
    /// The byte range of the characters, without quotes.
    pub span: Range<usize>,
    /// Whether the characters are in quotes or follow a backslash.
    pub quoted: bool,
}

/// How much of a word only the shell knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum WordExpansion {
    /// All of it is known.
    #[default]
    None,
    /// It contains a home folder, a file name pattern, a list in braces or a plain variable.
    Plain,
    /// It contains a substitution or an expansion outside of the grammar.
    Unknown,
}

impl CommandLine {
    /// Marks the line as unclear. The first reason is kept.
    pub(super) fn mark_unclear(&mut self, reason: &'static str) {
        self.unclear.get_or_insert(reason);
    }

    /// Returns true if the grammar covers the line completely.
    #[must_use]
    pub fn is_clear(&self) -> bool {
        self.unclear.is_none()
    }
}

impl CommandWord {
    /// Makes a word without quotes or expansions.
    pub(super) fn from_literal(text: &str) -> Self {
        Self { raw: text.to_owned(), text: text.to_owned(), ..Self::default() }
    }

    /// Makes a word at `at` that only the shell knows.
    pub(super) fn unknown(at: usize) -> Self {
        let text = HOLE.to_string();
        Self { span: at..at, text, expansion: WordExpansion::Unknown, ..Self::default() }
    }

    /// The value in an assignment, after the equals sign.
    pub(super) fn after_equals(mut self) -> Self {
        let skipped = self.raw.find('=').map_or(0, |at| at + 1);
        let start = self.span.start + skipped;
        self.raw.drain(..skipped);
        self.text = self.text.split_once('=').map(|(_, value)| value.to_owned()).unwrap_or_default();
        self.literals.retain_mut(|piece| {
            piece.span.start = piece.span.start.max(start);
            piece.span.start < piece.span.end
        });
        self.span.start = start;
        self
    }

    /// The word as the program receives it, if it is known.
    #[must_use]
    pub fn value(&self) -> Option<&str> {
        self.is_literal().then_some(self.text.as_str())
    }

    /// Returns true if the shell expands nothing in the word.
    #[must_use]
    pub fn is_literal(&self) -> bool {
        self.expansion == WordExpansion::None
    }

    /// Returns true if an expansion in the word can result in an option.
    pub(super) fn may_be_option(&self) -> bool {
        let starts_open = self.text.starts_with(HOLE) && !self.raw.starts_with('~');
        !self.is_literal() && (self.may_split || starts_open || self.text.starts_with('-'))
    }

    /// The word as shown to an approver, quoted if it contains special characters.
    #[must_use]
    pub fn shown(&self) -> Cow<'_, str> {
        if !self.is_literal() {
            return Cow::Borrowed(&self.raw);
        }
        if !self.text.is_empty() && self.text.chars().all(is_plain)
            || matches!(self.text.as_str(), "[" | "]" | "{}")
        {
            return Cow::Borrowed(&self.text);
        }
        Cow::Owned(format!("'{}'", self.text.replace('\'', r"'\''")))
    }
}

/// Returns true if a character needs no quotes when a word is displayed.
pub(super) fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || "_-+=:,./@%^!".contains(c)
}

/// Where a command list ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListEnd {
    /// The end of the text.
    Text,
    /// The parenthesis that closes a substitution.
    Parenthesis,
}
