//! A pattern over simple commands.

use super::{
    code_words::CodeReason,
    effect_options::{self, OptionEffect},
    line::CommandWord,
    script::{CommandClarity, CommandOrigin, ParsedCommand, ParsedScript},
};
use crate::{Glob, MatchAnswer, PatternError};

/// A pattern over the simple commands of a script.
#[derive(Debug, Clone)]
pub struct CommandPattern {
    text: String,
    glob: Glob,
}

impl CommandPattern {
    /// Compiles a glob over the words of a simple command. ` **` at the end matches any arguments or none.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        if text.starts_with(' ') || text.ends_with(' ') && !text.ends_with("\\ ") || text.contains("  ") {
            return Err(PatternError::new(
                text,
                "has an extra space: write one space between words, and none at the start or the end",
            ));
        }
        let glob =
            match text.strip_suffix(" **").filter(|before| !before.is_empty() && !before.ends_with('\\')) {
                Some(before) => Glob::new(&format!("{before}{{, *}}")),
                None => Glob::new(text),
            };
        let glob = glob.map_err(|error| PatternError::new(text, error.fault))?;
        Ok(Self { text: text.to_owned(), glob })
    }

    /// The text as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// True if the pattern contains a command separator or a substitution outside of quotes. No simple command
    /// contains one, so such a pattern only matches whole scripts.
    #[must_use]
    pub fn has_command_separator(&self) -> bool {
        self.text
            .split('\'')
            .step_by(2)
            .any(|plain| plain.contains(['|', ';', '&', '`', '\n']) || plain.contains("$("))
    }

    /// The options that write, delete or run something and that the pattern allows with any value.
    #[must_use]
    pub fn open_options(&self) -> Vec<(String, OptionEffect)> {
        effect_options::find_open_options(&self.text)
    }

    /// Some options that a pattern such as `find **` does not cover, because they write, delete or run something.
    #[must_use]
    pub fn uncovered_options(&self) -> Vec<&'static str> {
        effect_options::find_uncovered_options(&self.text)
    }

    /// Matches for an `allow` rule: `Yes` if the pattern covers the command for every value of its expansions, and
    /// shows the way in which the command runs its arguments, if it does.
    pub(super) fn allow(&self, command: &ParsedCommand) -> MatchAnswer {
        let text = match &command.input {
            // A pattern that also matches without the input does not show it.
            Some(input) if self.text.contains('<') && !self.glob.is_match(&command.shown) => {
                &format!("{} {input}", command.shown)
            }
            Some(_) => return MatchAnswer::No,
            None => &command.shown,
        };
        let shows_comment = || {
            command.comment.as_ref().is_none_or(|comment| self.covers(command, &format!("{text} {comment}")))
        };
        if command.clarity >= CommandClarity::PlainExpansion
            && command.name().is_some()
            && self.covers(command, text)
        {
            let shows_code = command.code.as_ref().is_none_or(|code| code.is_shown_in(&self.text));
            let shows_all = shows_code && shows_comment() && self.names_effects(command);
            return if shows_all { MatchAnswer::Yes } else { MatchAnswer::Unclear };
        }
        // The known words can already rule the pattern out.
        let could_match = command.with_holes.is_empty()
            || command.with_holes.iter().any(|text| self.glob.could_match(text));
        if command.clarity < CommandClarity::Literal && could_match {
            MatchAnswer::Unclear
        } else {
            MatchAnswer::No
        }
    }

    /// True if the pattern names each option with which the command writes, deletes or runs something. An expansion may
    /// result in such an option.
    fn names_effects(&self, command: &ParsedCommand) -> bool {
        let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
        let may_have_option = command.words.iter().any(CommandWord::may_be_option);
        let may_have_effect = may_have_option && effect_options::has_table(&words);
        !may_have_effect && !effect_options::has_unnamed_effect(&self.text, &words)
    }

    /// True if the pattern matches the command, shown as `text`, for every value of its expansions.
    fn covers(&self, command: &ParsedCommand, text: &str) -> bool {
        let name = command.name().filter(|_| command.code == Some(CodeReason::Program));
        let is_match = |text: &str| match name {
            Some(name) => self.glob.is_match_with_literal_name(name, text),
            None => self.glob.is_match(text),
        };
        match &command.known_start {
            Some(_) if command.input.is_some() => false,
            // The expansions may result in no words at all.
            Some(start) if start.may_end && !is_match(start.text.trim_end_matches(' ')) => false,
            Some(start) => self.glob.covers(name, &start.text),
            None => is_match(text),
        }
    }

    /// Matches for a `block` rule.
    pub(super) fn block(&self, script: &ParsedScript) -> MatchAnswer {
        if self.glob.is_match(&script.text) {
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
        if answer == MatchAnswer::No && is_shown() { MatchAnswer::Unclear } else { answer }
    }

    /// Matches the pattern against every spelling of the command.
    fn match_spellings(&self, command: &ParsedCommand) -> MatchAnswer {
        if command.spellings.iter().any(|spelling| self.glob.is_match(spelling)) {
            return MatchAnswer::Yes;
        }
        let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
        let synonyms = effect_options::canonical_spellings(&words);
        if synonyms.iter().any(|words| self.glob.is_match(&words.join(" "))) {
            return MatchAnswer::Yes;
        }
        let unknown =
            command.with_holes.iter().chain(&command.without_options).any(|text| self.glob.could_match(text))
                || command.searched.as_ref().is_some_and(|words| self.glob.is_found_in(words));
        if unknown { MatchAnswer::Unclear } else { MatchAnswer::No }
    }
}
