//! A pattern as an `allow` rule reads it: word by word.
//!
//! A `*` inside a word stays in the word. As a whole word it is exactly one word that is not an option. ` **` is any number
//! of words. A wildcard covers only words that are known to be harmless (see [`super::programs`]).

use super::{
    budget::ReadBudget,
    file_access::FileCover,
    line::{CommandLine, CommandWord},
    programs::{CommandReading, InnerKind, OptionEffect, ProgramTable, WordRole, is_harmless_variable},
    script::{CommandClarity, ParsedCommand, ParsedScript},
    wildcard_word::WildcardWord,
};
use crate::glob::{Glob, GlobOutline, GlobToken, TextOutline};

/// A word of a pattern that no command has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadWord {
    /// The word, as the pattern has it.
    pub word: String,
    /// The word as commands are shown, if it is only written in another way.
    pub remedy: Option<String>,
}

/// The words of each alternative of a pattern.
#[derive(Debug, Clone)]
pub(super) struct AllowPattern {
    /// How what it covers begins. A policy has many patterns, and most differ there.
    begin: GlobOutline,
    /// Each alternative, and how what it covers begins.
    alternatives: Vec<(GlobOutline, WordPattern)>,
}

/// A pattern over words.
#[derive(Debug, Clone, Default)]
struct WordPattern {
    words: Vec<PatternWord>,
}

/// One word of a pattern.
#[derive(Debug, Clone)]
enum PatternWord {
    /// A word without wildcards, as shown to an approver.
    Literal(String),
    /// `*`
    One,
    /// `**` before other words: one word or more.
    Many,
    /// ` **` at the end: any number of words, or none.
    Rest,
    /// A word with wildcards in it.
    Wildcard(WildcardWord),
}

impl AllowPattern {
    /// With `is_open`, the pattern ends in ` **`.
    pub(super) fn new(glob: &Glob, is_open: bool) -> Self {
        let read = |tokens| {
            let mut pattern = WordPattern::from_tokens(tokens);
            if let (Some(last @ PatternWord::Many), true) = (pattern.words.last_mut(), is_open) {
                *last = PatternWord::Rest;
            }
            (pattern.begin(), pattern)
        };
        let alternatives: Vec<_> = glob.token_lists().map(read).collect();
        Self { begin: GlobOutline::common(alternatives.iter().map(|(begin, _)| *begin)), alternatives }
    }

    /// Whether the pattern shows everything that the command runs.
    pub(super) fn covers(&self, script: &ParsedScript, index: usize, files: FileCover) -> bool {
        let command = &script.commands[index];
        let shown = TextOutline::of_ends(&command.shown);
        let may_begin = |begin: &GlobOutline| !command.assignments.is_empty() || begin.admit(&shown);
        let covers = |(begin, pattern): &(GlobOutline, WordPattern)| {
            may_begin(begin) && pattern.covers(script, index, files)
        };
        may_begin(&self.begin) && self.alternatives.iter().any(covers)
    }

    /// A word that keeps every alternative from covering any command.
    pub(super) fn find_dead_word(&self) -> Option<DeadWord> {
        let words: Option<Vec<_>> =
            self.alternatives.iter().map(|(_, pattern)| pattern.find_dead_word()).collect();
        words?.into_iter().next()
    }

    /// Whether the pattern spells out a program that a wildcard does not cover.
    pub(super) fn shows_name(&self, command: &ParsedCommand) -> bool {
        self.alternatives.iter().any(|(_, pattern)| pattern.shows_name(command))
    }
}

impl WordPattern {
    fn from_tokens(tokens: &[GlobToken]) -> Self {
        let mut words: Vec<PatternWord> = split_words(tokens).map(PatternWord::from_tokens).collect();
        if is_open_name(&words) {
            words.push(PatternWord::Rest);
        }
        Self { words }
    }

    fn find_dead_word(&self) -> Option<DeadWord> {
        self.words
            .iter()
            .find_map(|word| if let PatternWord::Literal(text) = word { read_dead(text) } else { None })
    }

    fn covers(&self, script: &ParsedScript, index: usize, files: FileCover) -> bool {
        let command = &script.commands[index];
        if command.has_hidden_effect
            || files == FileCover::Patterns && command.has_unshown_files()
            || command.clarity < CommandClarity::PlainExpansion
            || !self.shows_name(command)
        {
            return false;
        }
        let Some(inner) = command.reading.inner else {
            return command.reads_data() && self.covers_words(command, files);
        };
        let end = inner.at.min(command.words.len());
        let Some(rest) = self.split_at(command, end, files) else { return false };
        let children: Vec<usize> = script.inner_commands(index).collect();
        let is_script = matches!(inner.kind, InnerKind::Joined | InnerKind::Script);
        let quoted = if is_script { rest.unquoted() } else { None };
        // Words that a shell joins must be one command, unless the pattern shows the whole script.
        let is_shown = quoted.is_some() || !command.has_split_script;
        // Words after a script are arguments that it may use in any way.
        let has_arguments = inner.kind == InnerKind::Script && command.words.len() > end + 1;
        let inner_pattern = quoted.unwrap_or(rest);
        let names_program = !inner.is_named || !inner_pattern.begins_open();
        let covers = |child: &usize| {
            let takes_input = inner.appends_input && !script.commands[*child].reading.is_inert;
            !takes_input && inner_pattern.covers(script, *child, files)
        };
        is_shown && !children.is_empty() && !has_arguments && names_program && children.iter().all(covers)
    }

    /// How a command without assignments that it covers is shown at its start.
    fn begin(&self) -> GlobOutline {
        // The quotes of a script, and an arrow before a file, are not shown as the pattern has them.
        let literal = |word: &PatternWord| match word {
            PatternWord::Literal(text) if text != "<" && !text.contains('\'') => Some(text.clone()),
            _ => None,
        };
        let words: Vec<String> = self.words.iter().map_while(literal).collect();
        match self.words.first() {
            Some(PatternWord::Wildcard(word)) if !word.prefix().contains('\'') => {
                GlobOutline::of_start(word.prefix())
            }
            _ => GlobOutline::of_start(&words.join(" ")),
        }
    }

    fn begins_open(&self) -> bool {
        matches!(self.words.first(), None | Some(PatternWord::One | PatternWord::Many | PatternWord::Rest))
    }

    /// Whether the pattern spells out a program that a wildcard does not cover.
    fn shows_name(&self, command: &ParsedCommand) -> bool {
        let Some(name) = command.name() else { return false };
        if !command.reading.is_named() {
            return true;
        }
        match self.words.first() {
            Some(PatternWord::Literal(text)) => text == name,
            // A one-letter name before a star does not count: `.*` is meant for hidden files, not for the command `.`.
            Some(PatternWord::Wildcard(word)) => name.len() > 1 && word.prefix() == name,
            _ => false,
        }
    }

    /// Whether the pattern covers all words, and the command's input, assignments and comment.
    fn covers_words(&self, command: &ParsedCommand, files: FileCover) -> bool {
        let shown = ShownWords::read(command, command.words.len(), files);
        let now = self.advance(&shown, &self.start());
        let is_match = now.last() == Some(&true);
        is_match
            && command.comment.as_ref().is_none_or(|comment| self.covers_comment(command, comment, files))
    }

    /// Some interactive shells read a comment as arguments.
    fn covers_comment(&self, command: &ParsedCommand, comment: &str, files: FileCover) -> bool {
        let mut words = command.words.clone();
        words.extend(comment.split_whitespace().map(CommandWord::from_literal));
        let longer = ParsedCommand {
            reading: CommandReading::read(&words),
            words,
            comment: None,
            input: command.input.clone(),
            assignments: command.assignments.clone(),
            ..ParsedCommand::default()
        };
        longer.reading.inner.is_none() && self.covers_words(&longer, files)
    }

    /// The remaining pattern for the words from `end` on, if the pattern covers those before.
    fn split_at(&self, command: &ParsedCommand, end: usize, files: FileCover) -> Option<Self> {
        if command.comment.is_some() || files == FileCover::Patterns && command.input.is_some() {
            return None;
        }
        let now = self.advance(&ShownWords::read(command, end, files), &self.start());
        // A `**` that has begun before continues.
        let at = now.iter().position(|on| *on)?;
        let rest = self.words[at..].to_vec();
        let is_open = matches!(rest.first(), Some(PatternWord::Many | PatternWord::Rest));
        (is_open || now.iter().filter(|on| **on).count() == 1).then_some(Self { words: rest })
    }

    /// A quoted script's inner pattern: `sh -c 'ls *'` allows what `ls *` does.
    fn unquoted(&self) -> Option<Self> {
        let tokens = match self.words.as_slice() {
            [PatternWord::Literal(text)] => text.chars().map(GlobToken::Char).collect(),
            [PatternWord::Wildcard(word)] => word.tokens().to_vec(),
            [PatternWord::One] => return Some(Self { words: vec![PatternWord::Rest] }),
            _ => return None,
        };
        let is_quote = |token: &GlobToken| *token == GlobToken::Char('\'');
        if tokens.first().is_none_or(|first| !is_quote(first)) {
            return None;
        }
        let inside: Vec<_> = tokens.into_iter().filter(|token| !is_quote(token)).collect();
        let mut inner = Self::from_tokens(&inside);
        if let [_, .., last @ PatternWord::Many] = inner.words.as_mut_slice() {
            *last = PatternWord::Rest;
        }
        Some(inner)
    }

    // ---- the automaton over words: each state is the number of pattern words that were met

    fn start(&self) -> Vec<bool> {
        let mut on = vec![false; self.words.len() + 1];
        on[0] = true;
        self.skip_rest(&mut on);
        on
    }

    fn advance(&self, shown: &ShownWords<'_>, from: &[bool]) -> Vec<bool> {
        let mut now = from.to_vec();
        let mut next = vec![false; now.len()];
        for ShownWord { word, role, is_optional } in &shown.words {
            if *is_optional {
                next.copy_from_slice(&now);
            } else {
                next.fill(false);
            }
            for (at, pattern) in self.words.iter().enumerate().filter(|(at, _)| now[*at]) {
                if matches!(pattern, PatternWord::Many | PatternWord::Rest) {
                    next[at] |= *role == WordRole::Free;
                    next[at + 1] |= *role == WordRole::Free;
                } else if pattern.covers(word, *role) {
                    next[at + 1] = true;
                }
            }
            self.skip_rest(&mut next);
            std::mem::swap(&mut now, &mut next);
        }
        now
    }

    fn skip_rest(&self, on: &mut [bool]) {
        for (at, word) in self.words.iter().enumerate() {
            if on[at] && matches!(word, PatternWord::Rest) {
                on[at + 1] = true;
            }
        }
    }
}

/// Command words with everything beside them, and the role of each word.
struct ShownWords<'a> {
    words: Vec<ShownWord<'a>>,
}

struct ShownWord<'a> {
    word: std::borrow::Cow<'a, CommandWord>,
    role: WordRole,
    /// Whether a pattern need not show it.
    is_optional: bool,
}

impl<'a> ShownWords<'a> {
    fn read(command: &'a ParsedCommand, end: usize, files: FileCover) -> Self {
        use std::borrow::Cow;
        let assigned = command.assignments.iter().map(|(name, value)| {
            let mut word = value.clone();
            word.text = format!("{name}={}", value.text);
            word.raw = format!("{name}={}", value.raw);
            let role = WordRole::Fixed { written: name.len() + 1, effect: None };
            ShownWord { word: Cow::Owned(word), role, is_optional: is_harmless_variable(name, value) }
        });
        let needed = |(word, role)| ShownWord { word, role, is_optional: false };
        let roles = command.reading.roles.iter().copied();
        let own = command.words[..end].iter().map(|word| {
            // The test of all paths covers a file that an operand has written.
            let is_tested = files == FileCover::PathTest && !word.text.starts_with('-');
            (word, is_tested)
        });
        let own = own.zip(roles).map(|((word, is_tested), role)| {
            let is_written = role.effect() == Some(OptionEffect::Write);
            needed((Cow::Borrowed(word), if is_tested && is_written { WordRole::Free } else { role }))
        });
        let input = command.input.iter().filter(|_| files == FileCover::Patterns).flat_map(|file| {
            let arrow = CommandWord::from_literal("<");
            let fixed = WordRole::Fixed { written: usize::MAX, effect: None };
            [(Cow::Owned(arrow), fixed), (Cow::Borrowed(file), WordRole::Free)].map(needed)
        });
        Self { words: assigned.chain(own).chain(input).collect() }
    }
}

impl PatternWord {
    fn from_tokens(tokens: &[GlobToken]) -> Self {
        match tokens {
            [GlobToken::Any] => return Self::One,
            [GlobToken::Any, GlobToken::Any] => return Self::Many,
            _ => {}
        }
        let literal = |token: &GlobToken| if let GlobToken::Char(c) = token { Some(*c) } else { None };
        match tokens.iter().map(literal).collect() {
            Some(text) => Self::Literal(text),
            None => Self::Wildcard(WildcardWord::new(tokens)),
        }
    }

    /// Whether the pattern word shows the word for every value of its expansions.
    fn covers(&self, word: &CommandWord, role: WordRole) -> bool {
        match self {
            Self::Literal(text) => {
                let is_same = word.shown() == *text || word.text == "<" && text == "<";
                word.is_literal() && !word.is_message && is_same
            }
            Self::One => role == WordRole::Free && !word.text.starts_with('-') && !word.may_split,
            Self::Wildcard(pattern) => pattern.covers(word, role),
            Self::Many | Self::Rest => role == WordRole::Free,
        }
    }
}

/// Whether the last word names a program or a subcommand and ends in a star, so that arguments may follow: `ls*` and
/// `git status*` allow what `ls **` and `git status **` do, and longer names.
fn is_open_name(words: &[PatternWord]) -> bool {
    let Some((last, before)) = words.split_last() else { return false };
    let stem = match last {
        PatternWord::One if before.is_empty() => return true,
        PatternWord::Wildcard(word) => word.stem_before_star(),
        _ => None,
    };
    let Some(stem) = stem else { return false };
    if before.is_empty() {
        return true;
    }
    let literal =
        |word: &PatternWord| if let PatternWord::Literal(text) = word { Some(text.clone()) } else { None };
    let Some(names) = before.iter().map(literal).collect::<Option<Vec<_>>>() else { return false };
    ProgramTable::shared().has_subcommand_prefix(&names, &stem)
}

/// The literal word of a pattern, if no word is shown so: one with special characters is in quotes, and one without is not.
fn read_dead(literal: &str) -> Option<DeadWord> {
    // The file of an input redirection follows this word.
    if literal == "<" {
        return None;
    }
    let line = CommandLine::read(literal, ReadBudget::COMMAND_LINE);
    let read = match line.commands.as_slice() {
        [command] if line.is_clear() => command.words.first().filter(|_| command.words.len() == 1),
        _ => None,
    };
    let remedy = match read {
        Some(word) if word.is_literal() => word.shown().into_owned(),
        // The shell expands it, so a command with it as a literal word has it in quotes.
        Some(_) if literal.contains(['$', '`']) => {
            return Some(DeadWord { word: literal.to_owned(), remedy: None });
        }
        _ => CommandWord::from_literal(literal).shown().into_owned(),
    };
    (remedy != literal).then(|| DeadWord { word: literal.to_owned(), remedy: Some(remedy) })
}

/// Splits tokens at spaces outside of quotes.
pub(super) fn split_words(tokens: &[GlobToken]) -> impl Iterator<Item = &[GlobToken]> {
    let mut is_quoted = false;
    tokens.split(move |token| {
        if *token == GlobToken::Char('\'') {
            is_quoted = !is_quoted;
        }
        !is_quoted && *token == GlobToken::Char(' ')
    })
}
