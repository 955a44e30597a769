//! Patterns over command lines, which are parsed as a shell parses them.
//!
//! A pattern describes one simple command: the program and its arguments, without quotes and with one space between
//! them. `ls*` matches every command that begins with `ls` (also `lsof`), `ls *` matches `ls` with arguments, and
//! `ls **` matches `ls` with or without arguments.

mod effect_options;
mod parse;
mod read;
mod redirect;
mod runners;
mod script;
mod shells;
mod suggest;
mod word;

#[cfg(test)]
mod tests;

use super::{Glob, MatchAnswer, PatternError};
pub use effect_options::OptionEffect;
pub use script::ParsedScript;
use script::{CommandOrigin, ParsedCommand};

/// Commands that change the meaning of other commands, or run code from elsewhere. A pattern allows one of them only
/// if it spells out the name.
const LITERAL_NAME_ONLY: &[&str] = &[
    ".",
    "alias",
    "bind",
    "builtin",
    "command",
    "complete",
    "coproc",
    "declare",
    "enable",
    "eval",
    "exec",
    "export",
    "fc",
    "hash",
    "local",
    "mapfile",
    "read",
    "readarray",
    "readonly",
    "set",
    "shopt",
    "source",
    "trap",
    "typeset",
    "unalias",
    "unset",
];

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

    /// True if the pattern matches the whole command, including its input file.
    fn matches_fully(&self, command: &ParsedCommand) -> bool {
        let Some(name) = command.name() else { return false };
        let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
        if effect_options::has_unnamed_effect(&self.text, &words) {
            return false;
        }
        let text = match &command.input {
            Some(input) if self.text.contains('<') => &format!("{} {input}", command.shown),
            Some(_) => return false,
            None => &command.shown,
        };
        if LITERAL_NAME_ONLY.contains(&name) {
            self.glob.is_match_with_literal_name(name, text)
        } else {
            self.glob.is_match(text)
        }
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
            command.with_holes.iter().chain(&command.without_options).any(|text| self.glob.could_match(text));
        if unknown { MatchAnswer::Unclear } else { MatchAnswer::No }
    }
}

/// Matches for an `allow` rule: `Yes` if every simple command of the script matches one of the patterns and the script
/// has no other effect. A script with an unknown expansion, or with a redirection, an assignment or a function that no
/// pattern can show, never gives `Yes`.
#[must_use]
pub fn match_every(patterns: &[CommandPattern], script: &ParsedScript) -> MatchAnswer {
    if script.has_invisible {
        return MatchAnswer::Unclear;
    }
    if script.has_hidden_effect {
        return MatchAnswer::No;
    }
    let mut answer = MatchAnswer::Yes;
    let mut commands =
        script.commands.iter().filter(|command| command.origin == CommandOrigin::Written).peekable();
    if commands.peek().is_none() {
        answer = MatchAnswer::No;
    }
    for command in commands {
        match command.match_fully(patterns) {
            MatchAnswer::No => return MatchAnswer::No,
            MatchAnswer::Unclear => answer = MatchAnswer::Unclear,
            MatchAnswer::Yes => {}
        }
    }
    if script.unreadable { MatchAnswer::Unclear } else { answer }
}

impl ParsedCommand {
    fn match_fully(&self, patterns: &[CommandPattern]) -> MatchAnswer {
        if self.has_hidden_effect {
            return MatchAnswer::No;
        }
        if !self.literal {
            // The known words can already rule out every pattern.
            let could_match = self.with_holes.is_empty()
                || patterns
                    .iter()
                    .any(|pattern| self.with_holes.iter().any(|text| pattern.glob.could_match(text)));
            return if could_match { MatchAnswer::Unclear } else { MatchAnswer::No };
        }
        MatchAnswer::from_bool(patterns.iter().any(|pattern| pattern.matches_fully(self)))
    }
}

/// Matches for a `block` rule: `Yes` if any simple command of the script matches a pattern. Also searches
/// substitutions, functions and the commands run by `bash -c`, `eval`, `xargs`, `sudo` and similar, and the text of the
/// whole script. `Unclear` if a part of the script cannot be parsed, or depends on an expansion.
#[must_use]
pub fn match_any(patterns: &[CommandPattern], script: &ParsedScript) -> MatchAnswer {
    let mut answer = MatchAnswer::from_bool(false);
    for pattern in patterns {
        if pattern.glob.is_match(&script.text) {
            return MatchAnswer::Yes;
        }
        for command in &script.commands {
            match pattern.match_spellings(command) {
                MatchAnswer::Yes if command.origin == CommandOrigin::Guessed => answer = MatchAnswer::Unclear,
                MatchAnswer::Yes => return MatchAnswer::Yes,
                MatchAnswer::Unclear => answer = MatchAnswer::Unclear,
                MatchAnswer::No => {}
            }
        }
    }
    let unclear =
        script.unreadable || script.has_invisible || script.commands.iter().any(|command| !command.is_named);
    if unclear && !patterns.is_empty() { MatchAnswer::Unclear } else { answer }
}
