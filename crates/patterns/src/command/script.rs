//! A parsed command line, and the simple commands that it runs.

use super::{
    canonical,
    file_access::PathAccess,
    line::{CommandWord, WordExpansion},
    programs::{CommandReading, InputUse},
};
use crate::invisible::HOLE;
use std::borrow::Cow;

/// The maximum nesting depth of command lines in command lines.
pub(super) const MAX_NESTING: usize = 12;
/// The maximum number of words searched for options. If there are more, the remaining words count as unknown.
const MAX_OPTION_WORDS: usize = 24;

/// A command line and the simple commands that it would run.
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact")]
#[derive(Debug, Clone, Default)]
pub struct ParsedScript {
    pub(super) text: String,
    /// The text without quotes and backslashes: all of it, and the parts between separators.
    pub(super) stripped: Vec<String>,
    pub(super) commands: Vec<ParsedCommand>,
    /// Whether a part of it cannot be parsed.
    pub(super) unreadable: bool,
    /// Whether it contains invisible characters.
    pub(super) has_invisible: bool,
    /// Whether it has an effect that no pattern over simple commands can show, such as defining a function.
    pub(super) has_hidden_effect: bool,
    /// The files of redirections on groups and loops.
    pub(super) files: Vec<RedirectedFile>,
    /// The words of `for name in words`.
    pub(super) loop_words: Vec<CommandWord>,
    /// The variables of `for` loops.
    pub(super) loop_variables: Vec<String>,
    /// Whether a command in it may run more than once.
    pub(super) has_loop: bool,
    pub(super) input: CommandInput,
    /// The work that reading took, in characters.
    pub(super) steps: usize,
}

/// Data flows in a script that are not part of a simple command. Both together let a shell run unknown commands.
#[derive(Debug, Clone, Default)]
pub(super) struct CommandInput {
    /// Whether the script contains a pipe, a here-document, a here-string or a process substitution.
    pub(super) has_source: bool,
    /// Whether a shell in the script reads commands from an input that is not given next to it.
    pub(super) has_reading_shell: bool,
}

/// One simple command.
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact")]
#[derive(Debug, Clone, Default)]
pub(super) struct ParsedCommand {
    /// The command as shown to an approver: words with special characters are quoted.
    pub(super) shown: String,
    /// The strings that a `block` pattern is matched against: without quotes, as shown, as written, and without the
    /// program's folder.
    pub(super) spellings: Vec<String>,
    /// The spellings that contain a [`HOLE`].
    pub(super) with_holes: Vec<String>,
    /// The possible spellings without the options before the first argument.
    pub(super) without_options: Vec<String>,
    /// The input redirection's file, as in `< file`.
    pub(super) input: Option<CommandWord>,
    pub(super) clarity: CommandClarity,
    /// What each word is to the program.
    pub(super) reading: CommandReading,
    /// The spellings with other names of its options, for `block` patterns.
    pub(super) synonyms: Vec<Vec<String>>,
    /// Whether it has an effect that no pattern can show.
    pub(super) has_hidden_effect: bool,
    /// The files of redirections that no pattern can show.
    pub(super) files: Vec<RedirectedFile>,
    /// What its here-documents and here-strings contain, which no pattern can show.
    pub(super) documents: Vec<String>,
    /// The assignments before the program.
    pub(super) assignments: Vec<(String, CommandWord)>,
    /// Whether it reads a pipe or a here-document.
    pub(super) has_input: bool,
    pub(super) origin: CommandOrigin,
    /// The index of the outer command whose arguments contain this one.
    pub(super) parent: Option<usize>,
    /// Whether a shell would read a word of it that looks like one command as several, or as none.
    pub(super) has_split_script: bool,
    /// Whether its own script contains it, and neither a message nor a reading that only some shells have.
    pub(super) is_written: bool,
    pub(super) words: Vec<CommandWord>,
    /// Whether the first word is a module that an interpreter runs.
    pub(super) is_module: bool,
    /// The words, if the program may run any of them: a `block` pattern is searched in them.
    pub(super) searched: Option<String>,
    /// The comment after it, which some interactive shells read as arguments.
    pub(super) comment: Option<String>,
}

/// The file of a redirection.
#[derive(Debug, Clone)]
pub(super) struct RedirectedFile {
    pub(super) word: CommandWord,
    pub(super) access: PathAccess,
}

/// How much of a command is known, from the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum CommandClarity {
    /// The first word, the program, is unknown.
    #[default]
    UnknownProgram,
    /// A word has a substitution or a control character, so that no pattern may allow the command.
    UnknownWord,
    /// A word has a plain expansion, or is a message.
    PlainExpansion,
    /// All words are known and of one line.
    Literal,
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
    /// A script for a shell whose grammar is not supported: no pattern allows it, and each restricting pattern is
    /// unclear or matches the text.
    #[must_use]
    pub fn of_other_shell(text: &str) -> Self {
        Self { text: text.to_owned(), unreadable: true, ..Self::default() }
    }

    /// The simple commands as shown to an approver, including nested ones.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.commands
            .iter()
            .filter(|command| command.origin != CommandOrigin::Guessed)
            .map(|command| command.shown.as_str())
    }

    /// The work that reading took, in characters.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// The commands inside command arguments.
    pub(super) fn inner_commands(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let is_inner =
            move |at: &usize| self.commands[*at].parent == Some(index) && self.commands[*at].is_written;
        (index + 1..self.commands.len()).filter(is_inner)
    }

    /// Whether the meaning of each word is known.
    pub(super) fn is_read_completely(&self) -> bool {
        !self.unreadable && !self.has_invisible && self.commands.iter().all(ParsedCommand::is_data)
    }

    /// Computes the command spellings and adds the command.
    pub(super) fn push(&mut self, mut command: ParsedCommand) {
        command.compute_spellings();
        self.commands.push(command);
    }
}

impl ParsedCommand {
    /// Returns true if the first word, the program, is known.
    pub(super) fn is_named(&self) -> bool {
        self.clarity > CommandClarity::UnknownProgram
    }

    /// The program's name, if it is known.
    pub(super) fn name(&self) -> Option<&str> {
        self.words
            .first()
            .filter(|word| self.is_named() && !word.text.is_empty())
            .map(|word| word.text.as_str())
    }

    /// Whether the command runs none of its words.
    pub(super) fn is_data(&self) -> bool {
        self.is_named()
            && self.searched.is_none()
            && self.reading.is_known()
            && self.reading.inner.is_none()
            && self.with_holes.is_empty()
    }

    /// Whether it reads a here-document or a here-string.
    pub(super) fn has_document(&self) -> bool {
        !self.documents.is_empty()
    }

    /// Whether it uses files or content that no pattern can show.
    pub(super) fn has_unshown_files(&self) -> bool {
        self.has_document() || !self.files.is_empty()
    }

    /// Whether the program reads no commands from its input.
    pub(super) fn reads_data(&self) -> bool {
        !self.has_input || self.reading.input == InputUse::Data
    }

    /// Lets a `block` pattern be searched in the words, if the program `may_run` them.
    pub(super) fn search_words(&mut self, may_run: bool) {
        if may_run {
            let text = |word: &CommandWord| word.text.clone();
            self.searched = Some(self.words.iter().map(text).collect::<Vec<_>>().join(" "));
        }
    }

    fn compute_spellings(&mut self) {
        let join = |text: fn(&CommandWord) -> Cow<'_, str>| {
            self.words.iter().map(text).collect::<Vec<_>>().join(" ")
        };
        let text = join(|word| Cow::Borrowed(&word.text));
        let raw = join(|word| Cow::Borrowed(&word.raw));
        self.shown = join(CommandWord::shown);
        // A non-ASCII letter can look like an ASCII one, so such a name may be a different program than it seems.
        let plain = |word: &CommandWord| {
            word.is_literal() && word.text.is_ascii() && !word.text.contains([' ', '\t', '\n', '!'])
        };
        let is_fit = |word: &CommandWord| {
            let has_control = !word.is_message && word.text.chars().any(char::is_control);
            word.expansion != WordExpansion::Unknown && !has_control
        };
        let is_open = |word: &CommandWord| word.is_message || !word.is_literal();
        self.clarity = match self.words.iter().any(is_open) {
            _ if !self.words.first().is_none_or(plain) => CommandClarity::UnknownProgram,
            _ if !self.words.iter().all(is_fit) => CommandClarity::UnknownWord,
            true => CommandClarity::PlainExpansion,
            false => CommandClarity::Literal,
        };
        self.synonyms = canonical::write_spellings(&self.words, &self.reading);
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

/// The text without quotes and backslashes: all of it, and the parts between separators.
pub(super) fn strip_quotes(text: &str) -> Vec<String> {
    let plain: String = text.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
    let normalise = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts = plain.split([';', '|', '&', '\n', '(', ')', '`', '{', '}', '<', '>']).map(normalise);
    let mut stripped: Vec<String> =
        parts.chain([normalise(&plain)]).filter(|part| !part.is_empty()).collect();
    stripped.sort_unstable();
    stripped.dedup();
    stripped
}

fn push_unique(spellings: &mut Vec<String>, spelling: String) {
    if !spellings.contains(&spelling) {
        spellings.push(spelling);
    }
}
