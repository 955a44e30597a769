//! Collects the commands that a command line runs, also through shells and other commands.

use super::{
    budget::{ReadBudget, WorkMeter},
    file_access::PathAccess,
    line::{CommandLine, CommandRedirection, CommandWord, RedirectionKind, SimpleCommand},
    programs::{CommandReading, InnerKind},
    runners,
    script::{CommandOrigin, MAX_NESTING, ParsedCommand, ParsedScript, RedirectedFile, strip_quotes},
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
            CommandSource { origin: CommandOrigin::Written, parent: None },
        );
        // Input to a group, a loop or a descriptor can reach any shell in the script.
        script.unreadable |= script.input.has_source && script.input.has_reading_shell;
        script.unreadable |= meter.is_exhausted();
        script.steps = meter.steps();
        if !meter.is_exhausted() {
            script.stripped = strip_quotes(text);
        }
        script
    }
}

/// Where a command comes from.
#[derive(Debug, Clone, Copy)]
struct CommandSource {
    origin: CommandOrigin,
    /// Index in the script: the command whose arguments contain it.
    parent: Option<usize>,
}

/// Adds the commands in nested strings to a script.
struct CommandCollector<'a> {
    script: &'a mut ParsedScript,
    meter: &'a mut WorkMeter,
}

impl CommandCollector<'_> {
    /// Reads a command line at nesting depth `depth` and adds its commands.
    fn read_text(&mut self, text: &str, depth: usize, source: CommandSource) {
        if depth >= MAX_NESTING || self.meter.is_exhausted() {
            self.script.unreadable = true;
            return;
        }
        let line = CommandLine::read_with(text, self.meter);
        self.script.unreadable |= !line.is_clear();
        self.script.input.has_source |= line.has_source;
        self.script.has_hidden_effect |= line.sets_variable;
        self.script.has_loop |= line.has_loop;
        self.script.loop_words.extend(line.loop_words);
        if depth == 0 {
            self.script.loop_variables.extend(line.loop_variables);
        }
        for redirection in line.block_redirections.into_iter().filter(|one| !is_harmless(one)) {
            match redirected_file(redirection) {
                Some(file) => self.script.files.push(file),
                None => self.script.has_hidden_effect = true,
            }
        }
        for command in line.commands {
            self.add_simple(command, depth, source);
        }
        for script in &line.backtick_scripts {
            self.read_text(script, depth + 1, source);
        }
    }

    /// Reads a string that a program might run. Its faults say nothing about the line.
    fn read_possible_script(&mut self, text: &str, depth: usize) {
        let script = &mut *self.script;
        let before = (script.unreadable, script.has_hidden_effect, script.input.clone(), script.files.len());
        self.read_text(text, depth, CommandSource { origin: CommandOrigin::Guessed, parent: None });
        let script = &mut *self.script;
        (script.unreadable, script.has_hidden_effect, script.input) = (before.0, before.1, before.2);
        script.files.truncate(before.3);
    }

    fn add_simple(&mut self, simple: SimpleCommand, depth: usize, source: CommandSource) {
        let own = match (simple.prints_message, simple.is_doubtful) {
            (_, true) => CommandOrigin::Guessed,
            (true, false) => CommandOrigin::Nested,
            (false, false) => CommandOrigin::Written,
        };
        let mut command = ParsedCommand {
            origin: source.origin.max(own),
            parent: source.parent,
            is_written: own == CommandOrigin::Written,
            has_hidden_effect: simple.words.is_empty(),
            assignments: simple.assignments.into_iter().map(|set| (set.name, set.value)).collect(),
            ..ParsedCommand::default()
        };
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
            let source = CommandSource { origin: CommandOrigin::Guessed, parent: None };
            self.add_words(second, source, &input, depth + 1);
        }
    }

    /// Adds a command that another command runs.
    fn add_words(
        &mut self,
        words: Vec<CommandWord>,
        source: CommandSource,
        input: &StandardInput,
        depth: usize,
    ) {
        let CommandSource { origin, parent } = source;
        let command = ParsedCommand { origin, parent, is_written: true, words, ..ParsedCommand::default() };
        self.add(command, input, depth);
    }

    /// Adds the command and the commands that it runs.
    fn add(&mut self, mut command: ParsedCommand, input: &StandardInput, depth: usize) {
        let depth = depth + 1;
        self.script.unreadable |= depth > MAX_NESTING;
        let bytes: usize = command.words.iter().map(|word| word.raw.len() + 1).sum();
        if depth > MAX_NESTING || !self.meter.count_steps(bytes) {
            return;
        }
        let read = if command.is_module { CommandReading::read_module } else { CommandReading::read };
        command.reading = read(&command.words);
        self.script.unreadable |= command.words.first().is_some_and(is_windows_path);
        command.has_input = matches!(input, StandardInput::Unknown | StandardInput::Text(_));
        let nested = runners::find_nested(&command.words, &command.reading, input);
        command.search_words(nested.runs_any_word);
        let scripts = if nested.runs_any_word { possible_scripts(&command.words) } else { Vec::new() };
        let origin = command.origin.max(CommandOrigin::Nested);
        let source = CommandSource { origin, parent: Some(self.script.commands.len()) };
        self.script.push(command);
        self.add_nested(nested, source, input, depth);
        for text in &scripts {
            self.read_possible_script(text, depth);
        }
    }

    fn add_nested(&mut self, nested: NestedRun, source: CommandSource, input: &StandardInput, depth: usize) {
        self.script.unreadable |= nested.unknown;
        self.script.input.has_reading_shell |= nested.reads_inherited_input;
        for text in &nested.scripts {
            let first = self.script.commands.len();
            self.read_text(text, depth, source);
            let is_child = |command: &&ParsedCommand| command.parent == source.parent && command.is_written;
            let is_one = self.script.commands[first..].iter().filter(is_child).count() == 1;
            if let Some(parent) = source.parent.and_then(|parent| self.script.commands.get_mut(parent)) {
                parent.has_split_script |= !is_one;
            }
        }
        for words in nested.commands {
            let CommandSource { origin, parent } = source;
            let command = ParsedCommand {
                origin,
                parent,
                is_written: nested.kind != Some(InnerKind::Joined),
                is_module: nested.kind == Some(InnerKind::Module),
                words,
                ..ParsedCommand::default()
            };
            self.add(command, input, depth);
        }
    }
}

/// Whether the word is a Windows program path. The Windows shell reads the line in another way.
fn is_windows_path(word: &CommandWord) -> bool {
    let mut start = word.raw.trim_start_matches(['"', '\'']).chars();
    let drive = [start.next(), start.next(), start.next()];
    matches!(drive, [Some(letter), Some(':'), Some('\\' | '/')] if letter.is_ascii_alphabetic())
        || word.raw.starts_with("\\\\\\\\")
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

/// Applies a redirection to the command. A pattern can show `< file`, and no other file.
fn add_redirection(redirection: CommandRedirection, command: &mut ParsedCommand, input: &mut StandardInput) {
    let is_harmless = is_harmless(&redirection);
    match redirection.kind {
        RedirectionKind::HereDocument | RedirectionKind::HereString => {
            command.documents.push(redirection.target.text.clone());
            *input = StandardInput::Text(redirection.target);
        }
        RedirectionKind::Read => {
            let target = redirection.target;
            *input = if is_input_file(&target) { StandardInput::Unknown } else { StandardInput::File };
            if target.is_literal() && command.input.is_none() {
                command.input = Some(target).filter(|_| !is_harmless);
            } else {
                command.files.push(RedirectedFile { word: target, access: PathAccess::Read });
            }
        }
        _ if is_harmless => {}
        _ => match redirected_file(redirection) {
            Some(file) => command.files.push(file),
            None => command.has_hidden_effect = true,
        },
    }
}

/// The file that a redirection opens. `None` if it opens none, or an unknown one.
fn redirected_file(redirection: CommandRedirection) -> Option<RedirectedFile> {
    let access = match redirection.kind {
        RedirectionKind::Read => PathAccess::Read,
        RedirectionKind::Write | RedirectionKind::WriteAll => PathAccess::Write,
        RedirectionKind::Duplicate | RedirectionKind::HereDocument | RedirectionKind::HereString => {
            return None;
        }
    };
    Some(RedirectedFile { word: redirection.target, access })
}

/// Returns true if a redirection reads and writes no file.
fn is_harmless(redirection: &CommandRedirection) -> bool {
    match redirection.kind {
        RedirectionKind::Duplicate => redirection.target.is_literal(),
        _ => redirection.target.value() == Some("/dev/null"),
    }
}
