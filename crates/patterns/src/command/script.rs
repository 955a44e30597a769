//! A parsed command line, and the simple commands that it runs.

use super::{parse::MAX_COMMAND_LINE_BYTES, word::ShellWord};
use crate::invisible::HOLE;

/// The maximum nesting depth of command lines in command lines.
pub(super) const MAX_NESTING: usize = 12;
/// The maximum number of bytes read in total. The bytes of a nested command line count again on each level.
const MAX_BYTES_READ: usize = 8 * MAX_COMMAND_LINE_BYTES;
/// The maximum number of words searched for options. If there are more, the rest of the command counts as unknown.
const MAX_OPTION_WORDS: usize = 24;
/// The cost of a command in addition to its bytes.
const COMMAND_COST: usize = 64;

/// A command line and the simple commands that it would run.
#[derive(Debug, Clone, Default)]
pub struct ParsedScript {
    pub(super) text: String,
    pub(super) commands: Vec<ParsedCommand>,
    /// True if a part of it cannot be parsed.
    pub(super) unreadable: bool,
    /// True if it contains invisible characters.
    pub(super) has_invisible: bool,
    /// True if it has an effect that no pattern over simple commands can show, such as defining a function.
    pub(super) has_hidden_effect: bool,
    pub(super) input: CommandInput,
    /// The bytes read so far, compared with [`MAX_BYTES_READ`].
    pub(super) bytes_read: usize,
}

/// Data flows in a script that are not part of a simple command. Both together let a shell run unknown commands.
#[derive(Debug, Clone, Default)]
pub(super) struct CommandInput {
    /// True if the script contains a pipe, a here-document, a here-string or a process substitution.
    pub(super) has_source: bool,
    /// True if a shell in the script reads commands from an input that is not given next to it.
    pub(super) has_reading_shell: bool,
}

/// One simple command.
#[derive(Debug, Clone, Default)]
pub(super) struct ParsedCommand {
    /// The command as shown to an approver: words with special characters are quoted.
    pub(super) shown: String,
    /// The texts that a `block` pattern is matched against: without quotes, as shown, as written, and without the
    /// folder of the program.
    pub(super) spellings: Vec<String>,
    /// The spellings that contain a [`HOLE`].
    pub(super) with_holes: Vec<String>,
    /// The possible spellings without the options before the first argument.
    pub(super) without_options: Vec<String>,
    /// The input redirection, as in `< file`.
    pub(super) input: Option<String>,
    /// True if all words are known, without expansions.
    pub(super) literal: bool,
    /// True if the first word, the program, is known.
    pub(super) is_named: bool,
    /// True if it has a redirection or an assignment that no pattern can show.
    pub(super) has_hidden_effect: bool,
    pub(super) origin: CommandOrigin,
    pub(super) words: Vec<ShellWord>,
}

/// The way in which a script contains a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum CommandOrigin {
    /// The script itself contains the command.
    #[default]
    Written,
    /// Another command, such as `sudo`, runs the command.
    Nested,
    /// Another command may run the command, depending on how its arguments are read.
    Guessed,
}

impl ParsedScript {
    /// The simple commands as shown to an approver, including nested ones.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.commands
            .iter()
            .filter(|command| command.origin != CommandOrigin::Guessed)
            .map(|command| command.shown.as_str())
    }

    /// Counts the words towards the read limit. Returns false and marks the script unreadable if they exceed it.
    pub(super) fn reserve_words(&mut self, words: &[ShellWord]) -> bool {
        let bytes: usize = words.iter().map(|word| word.raw.len() + 1).sum();
        let fits = self.reserve(COMMAND_COST + bytes);
        self.unreadable |= !fits;
        fits
    }

    /// Computes the spellings of a command and adds it.
    pub(super) fn push(&mut self, mut command: ParsedCommand) {
        command.compute_spellings();
        self.commands.push(command);
    }

    /// Counts `bytes` towards the read limit. Returns false if they exceed it.
    pub(super) fn reserve(&mut self, bytes: usize) -> bool {
        self.bytes_read = self.bytes_read.saturating_add(bytes);
        self.bytes_read <= MAX_BYTES_READ
    }
}

impl ParsedCommand {
    /// The name of the program, if it is known.
    pub(super) fn name(&self) -> Option<&str> {
        self.words
            .first()
            .filter(|word| self.is_named && !word.text.is_empty())
            .map(|word| word.text.as_str())
    }

    fn compute_spellings(&mut self) {
        let join = |text: fn(&ShellWord) -> String| self.words.iter().map(text).collect::<Vec<_>>().join(" ");
        let text = join(|word| word.text.clone());
        self.shown = join(ShellWord::shown);
        let raw = join(|word| word.raw.clone());
        // A non-ASCII letter can look like an ASCII one, so such a name may be a different program than it seems.
        let plain = |word: &ShellWord| {
            word.literal && word.text.is_ascii() && !word.text.contains([' ', '\t', '\n', '!'])
        };
        self.is_named = self.words.first().is_none_or(plain);
        let one_line = |word: &ShellWord| word.literal && !word.text.chars().any(char::is_control);
        self.literal = self.is_named && self.words.iter().all(one_line);
        for spelling in [&text, &self.shown, &raw] {
            push_unique(&mut self.spellings, spelling.clone());
        }
        if let Some(after) = self.words.first().and_then(|word| word.text.rfind('/')) {
            push_unique(&mut self.spellings, text[after + 1..].to_owned());
        }
        if text.contains(HOLE) {
            self.with_holes =
                self.spellings.iter().filter(|spelling| spelling.contains(HOLE)).cloned().collect();
        }
        self.without_options = self.spellings_without_options();
    }

    /// Spellings without the options before the first argument: `git -C x push` is also `git push`. The options that take
    /// a value are unknown, so both readings are returned.
    fn spellings_without_options(&self) -> Vec<String> {
        let Some((program, arguments)) = self.words.split_first() else { return Vec::new() };
        let program = program.text.rsplit('/').next().unwrap_or_default();
        let mut begins = vec![false; arguments.len() + 2];
        begins[0] = true;
        let mut found = Vec::new();
        for (at, word) in arguments.iter().enumerate() {
            if !begins[at] {
                continue;
            }
            if at >= MAX_OPTION_WORDS {
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

fn push_unique(spellings: &mut Vec<String>, spelling: String) {
    if !spellings.contains(&spelling) {
        spellings.push(spelling);
    }
}
