//! A pattern over simple commands.

use super::{
    allow_pattern::{AllowPattern, DeadWord},
    file_access::FileCover,
    line::CommandWord,
    option_tokens::OptionTokens,
    programs::{CommandReading, OptionEffect, OptionForm, OptionSource, ProgramTable},
    script::{CommandClarity, CommandOrigin, ParsedCommand, ParsedScript},
};
use crate::{Glob, MatchAnswer, PatternError};

/// A pattern over the simple commands of a script.
#[derive(Debug, Clone)]
pub struct CommandPattern {
    text: String,
    /// The pattern over a whole command, as `block` and `ask` rules read it.
    glob: Glob,
    /// The pattern over words, as `allow` rules read it.
    allow: AllowPattern,
    /// The options that the pattern names.
    options: OptionTokens,
}

impl CommandPattern {
    /// Compiles a glob over a simple command's words. ` **` at the end matches any arguments or none.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        if text.starts_with(' ') || text.ends_with(' ') && !text.ends_with("\\ ") || text.contains("  ") {
            return Err(PatternError::new(
                text,
                "has an extra space: write one space between words, and none at the start or the end",
            ));
        }
        let words = Glob::new(text)?;
        let open = text.strip_suffix(" **").filter(|before| !before.is_empty() && !before.ends_with('\\'));
        let glob = match open {
            Some(before) => Glob::new(&format!("{before}{{, *}}"))
                .map_err(|error| PatternError::new(text, error.fault))?,
            None => words.clone(),
        };
        Ok(Self {
            text: text.to_owned(),
            glob,
            allow: AllowPattern::new(&words, open.is_some()),
            options: OptionTokens::find_in(text),
        })
    }

    /// The text as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the pattern contains a command separator or a substitution outside of quotes. No simple command
    /// contains one, so such a pattern only matches whole scripts.
    #[must_use]
    pub fn has_command_separator(&self) -> bool {
        self.text
            .split('\'')
            .step_by(2)
            .any(|plain| plain.contains(['|', ';', '&', '`', '\n']) || plain.contains("$("))
    }

    /// A word of the pattern that no command has, so that it never allows one.
    #[must_use]
    pub fn find_dead_word(&self) -> Option<DeadWord> {
        self.allow.find_dead_word()
    }

    /// The options that have an effect and that the pattern allows with any value.
    #[must_use]
    pub fn open_options(&self) -> Vec<(String, OptionEffect)> {
        let words = self.literal_words();
        let reading = CommandReading::read(&words);
        let is_open_word = |at: usize| words.get(at).is_some_and(|word| has_wildcard(&word.text));
        let mut found: Vec<(String, OptionEffect)> = Vec::new();
        for used in &reading.uses {
            let OptionSource::Effect(effect) = used.option.source else { continue };
            let takes_value = used.option.takes_value();
            let is_open = match &used.form {
                OptionForm::Long(Some(value)) | OptionForm::Prefix(value) => has_wildcard(value),
                OptionForm::Short(_, value) if !value.is_empty() => has_wildcard(value),
                _ if takes_value => words[used.at].text.ends_with('*') || is_open_word(used.at + 1),
                OptionForm::Word => false,
                _ => has_wildcard(&self.text),
            };
            let written = used.written.trim_end_matches('*').to_owned();
            if is_open && !found.iter().any(|(listed, _)| *listed == written) {
                found.push((written, effect));
            }
        }
        found
    }

    /// Some options that a pattern such as `find **` does not cover, because they have an effect.
    #[must_use]
    pub fn uncovered_options(&self) -> Vec<&'static str> {
        let Some(program) = self.open_program() else { return Vec::new() };
        ProgramTable::shared().effect_options(program)
    }

    /// The program in a pattern such as `mytool **`, if the table does not list it. The pattern covers none of its
    /// options.
    #[must_use]
    pub fn unknown_program(&self) -> Option<&str> {
        self.open_program().filter(|program| ProgramTable::shared().find_program(program).is_empty())
    }

    /// The program in a pattern that seems to allow any arguments.
    fn open_program(&self) -> Option<&str> {
        let program = self.text.strip_suffix('*').map(|rest| rest.trim_end_matches('*').trim_end())?;
        (!program.is_empty() && !has_wildcard(program) && !program.contains([' ', '\\', '{']))
            .then_some(program)
    }

    /// The pattern's words, with wildcards as ordinary characters.
    fn literal_words(&self) -> Vec<CommandWord> {
        let mut is_quoted = false;
        let is_end = |c: char| {
            if c == '\'' {
                is_quoted = !is_quoted;
            }
            !is_quoted && c == ' '
        };
        self.text.split(is_end).map(|word| CommandWord::from_literal(&word.replace('\'', ""))).collect()
    }

    /// Matches for an `allow` rule: `Yes` if the pattern shows everything that the command runs, for every value of its
    /// expansions.
    pub(super) fn allow(&self, script: &ParsedScript, index: usize, files: FileCover) -> MatchAnswer {
        let command = &script.commands[index];
        if self.allow.covers(script, index, files) {
            return MatchAnswer::Yes;
        }
        if !command.assignments.is_empty() || command.input.is_some() {
            return MatchAnswer::No;
        }
        // The known words can rule the pattern out.
        let could_match = command.with_holes.iter().any(|text| self.glob.could_match(text))
            || command.clarity < CommandClarity::Literal && command.with_holes.is_empty();
        let is_near = self.glob.is_match(&command.shown) && self.allow.shows_name(command);
        if could_match || is_near { MatchAnswer::Unclear } else { MatchAnswer::No }
    }

    /// Matches for a `block` rule.
    pub(super) fn block(&self, script: &ParsedScript) -> MatchAnswer {
        // Where each word is known, an option that the pattern names is a word, and no part of a message.
        let is_exact = !self.options.is_empty() && script.is_read_completely();
        if !is_exact && self.glob.is_match(&script.text) {
            return MatchAnswer::Yes;
        }
        let mut answer = MatchAnswer::from_bool(false);
        for command in &script.commands {
            match self.match_spellings(command) {
                MatchAnswer::Yes if command.origin != CommandOrigin::Guessed => return MatchAnswer::Yes,
                MatchAnswer::Yes | MatchAnswer::Unclear => answer = MatchAnswer::Unclear,
                MatchAnswer::No => {}
            }
        }
        let is_shown = || script.stripped.iter().any(|text| self.glob.is_match(text));
        if answer == MatchAnswer::No && !is_exact && is_shown() { MatchAnswer::Unclear } else { answer }
    }

    /// Matches the pattern against every spelling of the command.
    fn match_spellings(&self, command: &ParsedCommand) -> MatchAnswer {
        let is_exact = !self.options.is_empty() && command.is_data();
        let has_options = |words: &mut dyn Iterator<Item = &str>| !is_exact || self.options.are_in(words);
        let texts = &mut command.words.iter().map(|word| word.text.as_str());
        if has_options(texts) && command.spellings.iter().any(|spelling| self.glob.is_match(spelling)) {
            return MatchAnswer::Yes;
        }
        let is_match = |words: &Vec<String>| {
            has_options(&mut words.iter().map(String::as_str)) && self.glob.is_match(&words.join(" "))
        };
        if command.synonyms.iter().any(is_match) {
            return MatchAnswer::Yes;
        }
        let unknown =
            command.with_holes.iter().chain(&command.without_options).any(|text| self.glob.could_match(text))
                || command.searched.as_ref().is_some_and(|words| self.glob.is_found_in(words));
        if unknown { MatchAnswer::Unclear } else { MatchAnswer::No }
    }
}

fn has_wildcard(text: &str) -> bool {
    text.contains(['*', '?', '['])
}
