//! A command line, parsed once to be matched often.

use super::{parse::LONGEST_COMMAND_LINE, word::ShellWord};
use crate::unseen::HOLE;

/// How often command lines may stand within command lines.
pub(super) const DEEPEST: usize = 12;
/// Letters that are looked at in all, those of command lines within others once more each time.
const MOST_READ: usize = 8 * LONGEST_COMMAND_LINE;
/// Words among which the options of a program are looked for. Behind more of them may be anything.
const MOST_OPTIONS: usize = 24;
/// What a command costs besides its letters.
const COMMAND: usize = 64;

/// A command line and the simple commands that running it would run.
#[derive(Debug, Clone, Default)]
pub struct ParsedScript {
    pub(super) text: String,
    pub(super) simple: Vec<ParsedCommand>,
    /// Something in it could not be read.
    pub(super) unreadable: bool,
    /// It holds characters that nobody sees.
    pub(super) unseen: bool,
    /// It does something that no pattern over simple commands shows, such as defining a function.
    pub(super) unshown: bool,
    pub(super) input: CommandInput,
    pub(super) read: usize,
}

/// Who gets what in a command line that nobody says beside them.
#[derive(Debug, Clone, Default)]
pub(super) struct CommandInput {
    /// Some command in it gets what another writes, or a text.
    pub(super) feeds: bool,
    /// Some shell in it reads commands from where nobody says by its side.
    pub(super) listens: bool,
}

/// One simple command.
#[derive(Debug, Clone, Default)]
pub(super) struct ParsedCommand {
    /// Its words as a person reads them, those with spaces in quotes.
    pub(super) shown: String,
    /// All that a pattern may mean when it speaks of this command: without quotes, as written, without the
    /// folder of its program.
    pub(super) spellings: Vec<String>,
    /// The same with holes, if it has any.
    pub(super) open: Vec<String>,
    /// What it may be for all that is known of its options.
    pub(super) bare: Vec<String>,
    /// What it reads its input from, as in `< file`.
    pub(super) input: Option<String>,
    /// Whether its words are known to the last letter.
    pub(super) literal: bool,
    /// Whether its program is.
    pub(super) is_named: bool,
    /// Whether it writes, sets or is fed what no pattern shows.
    pub(super) unshown: bool,
    pub(super) origin: CommandOrigin,
    pub(super) words: Vec<ShellWord>,
}

/// Where a command stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum CommandOrigin {
    /// It is written as a command.
    #[default]
    Written,
    /// It is handed to a command that runs it, such as `sudo`.
    Handed,
    /// It is one of the ways to read what is handed to one.
    Supposed,
}

impl ParsedScript {
    /// Its simple commands as a person reads them, those within others and those handed to others too.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.simple
            .iter()
            .filter(|command| command.origin != CommandOrigin::Supposed)
            .map(|command| command.shown.as_str())
    }

    /// Whether there is room for a command of these words.
    pub(super) fn has_room(&mut self, words: &[ShellWord]) -> bool {
        let letters: usize = words.iter().map(|word| word.raw.len() + 1).sum();
        let room = self.can_read(COMMAND + letters);
        self.unreadable |= !room;
        room
    }

    /// Keeps a command.
    pub(super) fn push(&mut self, mut command: ParsedCommand) {
        command.spell();
        self.simple.push(command);
    }

    pub(super) fn can_read(&mut self, letters: usize) -> bool {
        self.read = self.read.saturating_add(letters);
        self.read <= MOST_READ
    }
}

impl ParsedCommand {
    /// Its program, if it has one that is known.
    pub(super) fn name(&self) -> Option<&str> {
        self.words
            .first()
            .filter(|word| self.is_named && !word.text.is_empty())
            .map(|word| word.text.as_str())
    }

    fn spell(&mut self) {
        let join = |text: fn(&ShellWord) -> String| self.words.iter().map(text).collect::<Vec<_>>().join(" ");
        let text = join(|word| word.text.clone());
        self.shown = join(ShellWord::shown);
        let raw = join(|word| word.raw.clone());
        // Nobody sees from its look that a word of other letters is another program.
        let plain = |word: &ShellWord| {
            word.literal && word.text.is_ascii() && !word.text.contains([' ', '\t', '\n', '!'])
        };
        self.is_named = self.words.first().is_none_or(plain);
        let one_line = |word: &ShellWord| word.literal && !word.text.chars().any(char::is_control);
        self.literal = self.is_named && self.words.iter().all(one_line);
        for spelling in [&text, &self.shown, &raw] {
            keep(&mut self.spellings, spelling.clone());
        }
        if let Some(after) = self.words.first().and_then(|word| word.text.rfind('/')) {
            keep(&mut self.spellings, text[after + 1..].to_owned());
        }
        if text.contains(HOLE) {
            self.open = self.spellings.iter().filter(|spelling| spelling.contains(HOLE)).cloned().collect();
        }
        self.bare = self.without_options();
    }

    /// The command without the options before its first argument, as `git -C x push` is a `git push`. Nobody here
    /// knows which of them take a value, so it is one or the other.
    fn without_options(&self) -> Vec<String> {
        let Some((program, arguments)) = self.words.split_first() else { return Vec::new() };
        let program = program.text.rsplit('/').next().unwrap_or_default();
        let mut begins = vec![false; arguments.len() + 2];
        begins[0] = true;
        let mut found = Vec::new();
        for (at, word) in arguments.iter().enumerate() {
            if !begins[at] {
                continue;
            }
            if at >= MOST_OPTIONS {
                found.push(format!("{program} {HOLE}"));
                break;
            }
            if word.text.starts_with('-') {
                begins[at + 1] = true;
                begins[at + 2] = true;
            } else if at > 0 {
                let rest = arguments[at..].iter().map(|word| word.text.as_str());
                found.push(std::iter::once(program).chain(rest).collect::<Vec<_>>().join(" "));
            }
        }
        found
    }
}

fn keep(spellings: &mut Vec<String>, spelling: String) {
    if !spellings.contains(&spelling) {
        spellings.push(spelling);
    }
}
