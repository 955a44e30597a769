//! Why no pattern covers a command.

use super::{
    CommandPattern, ReadBudget,
    file_access::FileCover,
    line::CommandLine,
    matching::{is_allowed, written},
    programs::{OptionEffect, WordRole},
    script::{CommandClarity, ParsedCommand, ParsedScript},
};
use std::cell::OnceCell;

/// The most words of a command that are compared one by one.
const MAX_WORDS: usize = 8;

/// A command of a line that no pattern allows.
#[derive(Debug)]
pub struct UncoveredCommand<'a> {
    script: &'a ParsedScript,
    index: usize,
    /// The script, as if each word of the command were harmless.
    relaxed: OnceCell<ParsedScript>,
}

/// A word that keeps patterns from allowing a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordHindrance {
    /// The word, as written.
    pub word: String,
    /// Why.
    pub why: HindranceKind,
}

/// Why a word keeps patterns from allowing a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HindranceKind {
    /// It has an effect that the patterns do not name.
    Effect(OptionEffect),
    /// It is no known option of the program, and the patterns do not name it.
    UnknownOption,
    /// Only the shell knows what it is.
    UnknownValue,
    /// The command reads a here-document, which no pattern can show.
    Document,
    /// It is the file of a redirection, which no pattern can show.
    RedirectedFile,
}

impl ParsedScript {
    /// Why no pattern allows the script, whatever its commands.
    #[must_use]
    pub fn explain_unreadable(&self) -> Option<&'static str> {
        let unclear = || CommandLine::read(&self.text, ReadBudget::COMMAND_LINE).unclear;
        match self {
            Self { has_invisible: true, .. } => Some("it has characters that people do not see"),
            Self { unreadable: true, .. } => Some(unclear().unwrap_or("it is unknown what its shell runs")),
            Self { has_hidden_effect: true, .. } => Some("it changes what later commands mean"),
            Self { .. } => None,
        }
    }

    /// The number of commands that the script itself contains, as [`find_allowed_commands`](super::find_allowed_commands) counts
    /// them.
    #[must_use]
    pub fn count_written(&self) -> usize {
        written(self).count()
    }

    /// The command with this number, which some patterns do not allow.
    #[must_use]
    pub fn uncovered_command(&self, number: usize) -> Option<UncoveredCommand<'_>> {
        let index = written(self).nth(number)?;
        Some(UncoveredCommand { script: self, index, relaxed: OnceCell::new() })
    }
}

impl UncoveredCommand<'_> {
    /// The command, as shown to an approver.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.command().shown
    }

    /// Whether the line has other commands.
    #[must_use]
    pub fn has_others(&self) -> bool {
        self.script.count_written() > 1
    }

    /// The word that alone keeps the patterns from allowing the command, if there is one.
    #[must_use]
    pub fn find_hindrance(&self, patterns: &[CommandPattern], files: FileCover) -> Option<WordHindrance> {
        let command = self.command();
        command
            .find_unknown_value()
            .or_else(|| self.find_fixed_word(patterns, files))
            .or_else(|| command.find_unshown_input())
    }

    fn command(&self) -> &ParsedCommand {
        &self.script.commands[self.index]
    }

    /// The first word that only a pattern which names it allows, if the patterns allow the command apart from such words.
    fn find_fixed_word(&self, patterns: &[CommandPattern], files: FileCover) -> Option<WordHindrance> {
        let (index, reading) = (self.index, &self.command().reading);
        let relaxed = self.relaxed.get_or_init(|| {
            let mut relaxed = self.script.clone();
            relaxed.commands[index].reading.roles.fill(WordRole::Free);
            relaxed
        });
        if !patterns.iter().any(|pattern| is_allowed(pattern, relaxed, index, files)) {
            return None;
        }
        let is_shown = |at: &usize| {
            let mut without = relaxed.clone();
            without.commands[index].reading.roles[*at] = reading.roles[*at];
            patterns.iter().any(|pattern| is_allowed(pattern, &without, index, files))
        };
        let is_fixed = |at: &usize| reading.roles[*at] != WordRole::Free;
        let at = (0..reading.roles.len()).filter(is_fixed).take(MAX_WORDS).find(|at| !is_shown(at))?;
        let why = match reading.roles[at] {
            WordRole::Free => return None,
            WordRole::Fixed { effect: Some(effect), .. } => HindranceKind::Effect(effect),
            WordRole::Fixed { effect: None, .. } => HindranceKind::UnknownOption,
        };
        Some(WordHindrance { word: self.command().words.get(at)?.raw.clone(), why })
    }
}

impl ParsedCommand {
    /// A word with a substitution, or a program whose name only the shell knows.
    fn find_unknown_value(&self) -> Option<WordHindrance> {
        if self.clarity >= CommandClarity::PlainExpansion {
            return None;
        }
        let word = if self.is_named() {
            self.words.iter().find(|word| !word.is_literal())
        } else {
            self.words.first()
        };
        Some(WordHindrance { word: word?.raw.clone(), why: HindranceKind::UnknownValue })
    }

    fn find_unshown_input(&self) -> Option<WordHindrance> {
        let document = self.words.first().filter(|_| self.has_document());
        let file = || Some((&self.files.first()?.word, HindranceKind::RedirectedFile));
        let (word, why) = document.map(|word| (word, HindranceKind::Document)).or_else(file)?;
        Some(WordHindrance { word: word.raw.clone(), why })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hindrance(pattern: &str, line: &str) -> Option<WordHindrance> {
        let pattern = CommandPattern::new(pattern).expect("valid");
        let script = ParsedScript::parse(line);
        let last = script.count_written() - 1;
        let command = script.uncovered_command(last).expect("a command");
        command.find_hindrance(&[pattern], FileCover::Patterns)
    }

    fn word(word: &str, why: HindranceKind) -> WordHindrance {
        WordHindrance { word: word.to_owned(), why }
    }

    #[test]
    fn word_that_alone_hinders_is_found() {
        for (pattern, line, expected) in [
            (
                "find **",
                "find . -name x -delete",
                Some(word("-delete", HindranceKind::Effect(OptionEffect::Delete))),
            ),
            (
                "git log **",
                "git log --output=x -3",
                Some(word("--output=x", HindranceKind::Effect(OptionEffect::Write))),
            ),
            ("ls **", "ls --new-option x", Some(word("--new-option", HindranceKind::UnknownOption))),
            ("ls **", "ls $(x)", Some(word("$(x)", HindranceKind::UnknownValue))),
            ("ls **", "$X y", Some(word("$X", HindranceKind::UnknownValue))),
            ("ls **", "ls > out", Some(word("out", HindranceKind::RedirectedFile))),
            ("cat **", "cat <<E\nx\nE", Some(word("cat", HindranceKind::Document))),
            ("ls **", "curl --new-option x", None),
            ("ls **", "cat x", None),
        ] {
            assert_eq!(hindrance(pattern, line), expected, "{line}");
        }
    }

    #[test]
    fn unreadable_line_is_explained() {
        for (line, expected) in [
            ("ls", None),
            ("diff <(a) <(b)", Some("a process substitution")),
            ("f() { ls; }", Some("a parenthesis after a word")),
            ("ls \u{200b}x", Some("it has characters that people do not see")),
        ] {
            assert_eq!(ParsedScript::parse(line).explain_unreadable(), expected, "{line}");
        }
    }

    #[test]
    fn command_is_named_among_others() {
        let script = ParsedScript::parse("ls | sort && make x");
        let found = script.uncovered_command(2).expect("the third");
        assert_eq!((found.shown(), found.has_others()), ("make x", true));
        assert!(script.uncovered_command(3).is_none());
    }
}
