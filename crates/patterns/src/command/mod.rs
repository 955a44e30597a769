//! Patterns over command lines, which are parsed as a shell parses them.
//!
//! A pattern speaks of one simple command: its program and its arguments, without quotes, one space between
//! them. `ls*` begins with the letters `ls` (and is also `lsof`), `ls *` is `ls` with arguments, `ls **` is
//! `ls` with or without.

mod parse;
mod read;
mod redirect;
mod script;
mod shells;
mod suggest;
mod within;
mod word;

#[cfg(test)]
mod tests;

use super::{Glob, MatchAnswer, PatternError};
pub use script::ParsedScript;
use script::{CommandOrigin, ParsedCommand};

/// Commands that change what the commands around them mean, or run what is no argument of theirs. A pattern that
/// allows them names them.
const NAMED_ONLY: &[&str] = &[
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
    /// A glob over the words of a simple command; ` **` at its end is any arguments or none.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        if text.starts_with(' ') || text.ends_with(' ') && !text.ends_with("\\ ") || text.contains("  ") {
            return Err(PatternError::new(
                text,
                "has a space too many: between words stands one, and none around them",
            ));
        }
        let glob =
            match text.strip_suffix(" **").filter(|before| !before.is_empty() && !before.ends_with('\\')) {
                Some(before) => Glob::new(&format!("{before}{{, *}}")),
                None => Glob::new(text),
            };
        let glob = glob.map_err(|error| PatternError::new(text, error.what))?;
        Ok(Self { text: text.to_owned(), glob })
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it has what stands between commands, outside of quotes: no simple command does.
    pub fn speaks_of_several(&self) -> bool {
        self.text
            .split('\'')
            .step_by(2)
            .any(|plain| plain.contains(['|', ';', '&', '`', '\n']) || plain.contains("$("))
    }

    /// Whether it shows the whole of this command.
    fn shows(&self, command: &ParsedCommand) -> bool {
        let Some(name) = command.name() else { return false };
        let text = match &command.input {
            Some(input) if self.text.contains('<') => &format!("{} {input}", command.shown),
            Some(_) => return false,
            None => &command.shown,
        };
        if NAMED_ONLY.contains(&name) {
            self.glob.is_match_naming(name, text)
        } else {
            self.glob.is_match(text)
        }
    }

    /// Whether it speaks of this command, however that is written.
    fn speaks_of(&self, command: &ParsedCommand) -> MatchAnswer {
        if command.spellings.iter().any(|spelling| self.glob.is_match(spelling)) {
            return MatchAnswer::Yes;
        }
        let unknown = command.open.iter().chain(&command.bare).any(|open| self.glob.could_match(open));
        if unknown { MatchAnswer::Unclear } else { MatchAnswer::No }
    }
}

/// Whether every simple command of the script is shown by one of the patterns, and nothing else happens: what an
/// `allow` asks. Yes only if nothing is left to the shell's expansions, and nothing is written, read or renamed
/// that no pattern shows.
#[must_use]
pub fn every(patterns: &[CommandPattern], script: &ParsedScript) -> MatchAnswer {
    if script.unseen {
        return MatchAnswer::Unclear;
    }
    if script.unshown {
        return MatchAnswer::No;
    }
    let mut answer = MatchAnswer::Yes;
    let mut commands =
        script.simple.iter().filter(|command| command.origin == CommandOrigin::Written).peekable();
    if commands.peek().is_none() {
        answer = MatchAnswer::No;
    }
    for command in commands {
        match command.shown_by(patterns) {
            MatchAnswer::No => return MatchAnswer::No,
            MatchAnswer::Unclear => answer = MatchAnswer::Unclear,
            MatchAnswer::Yes => {}
        }
    }
    if script.unreadable { MatchAnswer::Unclear } else { answer }
}

impl ParsedCommand {
    fn shown_by(&self, patterns: &[CommandPattern]) -> MatchAnswer {
        if self.unshown {
            return MatchAnswer::No;
        }
        if !self.literal {
            // Which command it is may be plain all the same, and then so is that no pattern shows it.
            let could = self.open.is_empty()
                || patterns.iter().any(|pattern| self.open.iter().any(|open| pattern.glob.could_match(open)));
            return if could { MatchAnswer::Unclear } else { MatchAnswer::No };
        }
        MatchAnswer::of(patterns.iter().any(|pattern| pattern.shows(self)))
    }
}

/// Whether any simple command of the script, wherever it hides, is one that a pattern speaks of: what a `block`
/// asks. Looks into substitutions, functions, `bash -c`, `eval`, `xargs`, `sudo` and their like, and at the whole
/// text as it is written. Unclear if something in it cannot be read, or depends on what only the shell knows.
#[must_use]
pub fn any(patterns: &[CommandPattern], script: &ParsedScript) -> MatchAnswer {
    let mut answer = MatchAnswer::of(false);
    for pattern in patterns {
        if pattern.glob.is_match(&script.text) {
            return MatchAnswer::Yes;
        }
        for command in &script.simple {
            match pattern.speaks_of(command) {
                MatchAnswer::Yes if command.origin == CommandOrigin::Supposed => {
                    answer = MatchAnswer::Unclear
                }
                MatchAnswer::Yes => return MatchAnswer::Yes,
                MatchAnswer::Unclear => answer = MatchAnswer::Unclear,
                MatchAnswer::No => {}
            }
        }
    }
    let unclear = script.unreadable || script.unseen || script.simple.iter().any(|command| !command.is_named);
    if unclear && !patterns.is_empty() { MatchAnswer::Unclear } else { answer }
}
