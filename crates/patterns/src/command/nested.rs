//! Collects the commands that a command line runs, also through shells and other commands.

use super::{
    budget::{ReadBudget, WorkMeter},
    line::{CommandLine, CommandRedirection, CommandWord, RedirectionKind, SimpleCommand},
    runners,
    script::{CommandOrigin, MAX_NESTING, ParsedCommand, ParsedScript, strip_quotes},
    shells::{NestedRun, StandardInput, is_input_file},
};
use crate::invisible::is_invisible;

impl ParsedScript {
    /// Parses a command line. Never fails: a line that cannot be parsed matches no `allow` rule and every `ask` rule.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut script = Self {
            text: text.to_owned(),
            has_invisible: text.chars().any(|c| is_invisible(c) && c != '\n' && c != '\t'),
            ..Self::default()
        };
        let mut meter = WorkMeter::new(ReadBudget::COMMAND_LINE);
        CommandCollector { script: &mut script, meter: &mut meter }.read_text(
            text,
            0,
            CommandOrigin::Written,
        );
        // The input of a group, a loop or a descriptor can reach any shell in the script.
        script.unreadable |= script.input.has_source && script.input.has_reading_shell;
        script.unreadable |= meter.is_exhausted();
        script.steps = meter.steps();
        if !meter.is_exhausted() {
            script.stripped = strip_quotes(text);
        }
        script
    }
}

/// Adds the commands of texts to a script.
struct CommandCollector<'a> {
    script: &'a mut ParsedScript,
    meter: &'a mut WorkMeter,
}

impl CommandCollector<'_> {
    /// Reads a command line at nesting depth `depth` and adds its commands.
    fn read_text(&mut self, text: &str, depth: usize, origin: CommandOrigin) {
        if depth >= MAX_NESTING || self.meter.is_exhausted() {
            self.script.unreadable = true;
            return;
        }
        let line = CommandLine::read_with(text, self.meter);
        self.script.unreadable |= !line.is_clear();
        self.script.input.has_source |= line.has_source;
        let has_files = line.block_redirections.iter().any(|redirection| !is_harmless(redirection));
        self.script.has_hidden_effect |= has_files || line.sets_variable;
        for command in line.commands {
            self.add_simple(command, depth, origin);
        }
        for script in &line.backtick_scripts {
            self.read_text(script, depth + 1, origin);
        }
    }

    /// Reads a text that a program might run. Its faults say nothing about the line.
    fn read_possible_script(&mut self, text: &str, depth: usize) {
        let before = (self.script.unreadable, self.script.has_hidden_effect, self.script.input.clone());
        self.read_text(text, depth, CommandOrigin::Guessed);
        (self.script.unreadable, self.script.has_hidden_effect, self.script.input) = before;
    }

    fn add_simple(&mut self, simple: SimpleCommand, depth: usize, origin: CommandOrigin) {
        let own = match (simple.prints_message, simple.is_doubtful) {
            (_, true) => CommandOrigin::Guessed,
            (true, false) => CommandOrigin::Nested,
            (false, false) => CommandOrigin::Written,
        };
        let mut command = ParsedCommand { origin: origin.max(own), ..ParsedCommand::default() };
        command.has_hidden_effect = !simple.assignments.is_empty() || simple.words.is_empty();
        let mut input = if simple.is_piped { StandardInput::Unknown } else { StandardInput::Inherited };
        let mut second_start = None;
        for redirection in simple.redirections {
            if redirection.kind == RedirectionKind::WriteAll {
                second_start.get_or_insert(redirection.words_before);
            }
            add_redirection(redirection, &mut command, &mut input);
        }
        let second = second_start.and_then(|at| simple.words.get(at..)).unwrap_or_default().to_vec();
        command.has_hidden_effect |= !second.is_empty();
        (command.words, command.comment) = (simple.words, simple.comment);
        self.add(command, &input, depth);
        if !second.is_empty() {
            // A POSIX `sh` reads `ls &>f rm x` as `ls &` followed by `rm x`.
            self.add_words(second, CommandOrigin::Guessed, &input, depth + 1);
        }
    }

    /// Adds a command that another command runs.
    fn add_words(
        &mut self,
        words: Vec<CommandWord>,
        origin: CommandOrigin,
        input: &StandardInput,
        depth: usize,
    ) {
        self.add(ParsedCommand { origin, words, ..ParsedCommand::default() }, input, depth);
    }

    /// Adds the command and the commands that it runs.
    fn add(&mut self, mut command: ParsedCommand, input: &StandardInput, depth: usize) {
        let depth = depth + 1;
        self.script.unreadable |= depth > MAX_NESTING;
        let bytes: usize = command.words.iter().map(|word| word.raw.len() + 1).sum();
        if depth > MAX_NESTING || !self.meter.count_steps(bytes) {
            return;
        }
        let nested = runners::find_nested(&command.words, input);
        command.search_words(nested.runs_any_word);
        let scripts = if nested.runs_any_word { possible_scripts(&command.words) } else { Vec::new() };
        let origin = command.origin.max(CommandOrigin::Nested);
        self.script.push(command);
        self.add_nested(nested, origin, input, depth);
        for text in &scripts {
            self.read_possible_script(text, depth);
        }
    }

    fn add_nested(&mut self, nested: NestedRun, origin: CommandOrigin, input: &StandardInput, depth: usize) {
        self.script.unreadable |= nested.unknown;
        self.script.input.has_reading_shell |= nested.reads_inherited_input;
        for text in &nested.scripts {
            self.read_text(text, depth, origin);
        }
        for words in nested.commands {
            self.add_words(words, origin, input, depth);
        }
    }
}

/// The words that a program might pass to a shell.
fn possible_scripts(words: &[CommandWord]) -> Vec<String> {
    let text = |word: &CommandWord| {
        let value = word.text.split_once('=').filter(|_| word.text.starts_with('-')).map(|(_, value)| value);
        value.unwrap_or(&word.text).to_owned()
    };
    let is_script =
        |word: &&CommandWord| word.text.contains(|c: char| c.is_whitespace() || ";|&<>(`".contains(c));
    words.iter().skip(1).filter(is_script).map(text).collect()
}

/// Applies a redirection to the command. A pattern can show `< file`; every other file is a hidden effect.
fn add_redirection(redirection: CommandRedirection, command: &mut ParsedCommand, input: &mut StandardInput) {
    let is_harmless = is_harmless(&redirection);
    let target = redirection.target;
    match redirection.kind {
        RedirectionKind::HereDocument | RedirectionKind::HereString => {
            command.has_hidden_effect = true;
            *input = StandardInput::Text(target);
        }
        RedirectionKind::Read => {
            *input = if is_input_file(&target) { StandardInput::Unknown } else { StandardInput::File };
            if target.is_literal() && command.input.is_none() {
                command.input = Some(format!("< {}", target.shown())).filter(|_| !is_harmless);
            } else {
                command.has_hidden_effect = true;
            }
        }
        _ => command.has_hidden_effect |= !is_harmless,
    }
}

/// True if a redirection reads and writes no file.
fn is_harmless(redirection: &CommandRedirection) -> bool {
    match redirection.kind {
        RedirectionKind::Duplicate => redirection.target.is_literal(),
        _ => redirection.target.value() == Some("/dev/null"),
    }
}
