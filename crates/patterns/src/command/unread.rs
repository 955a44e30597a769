//! What a command line runs without showing it: code in other languages, and names that are not in the line.

use super::{
    file_access::PathAccess,
    line::CommandWord,
    programs::{InputUse, OptionEffect, WordRole, is_harmless_variable},
    script::{CommandOrigin, ParsedCommand, ParsedScript},
};
use crate::invisible::HOLE;

/// The options, and the subcommand, whose value is code for an interpreter.
const CODE_OPTIONS: &[&str] = &["-c", "-e", "-E", "-r", "-p", "-pe", "-ne", "--eval", "--print", "eval"];

/// Programs whose code is SQL. Whoever asks for the effects of a line reads it.
const DATABASE_CLIENTS: &[&str] =
    &["psql", "mysql", "mariadb", "sqlite3", "duckdb", "clickhouse-client", "sqlcmd"];

impl ParsedScript {
    /// The reason why the line may have effects that it does not show. `None` if all of its commands and their words are read.
    #[must_use]
    pub fn find_unread(&self) -> Option<String> {
        if self.unreadable || self.has_invisible {
            return Some("the command cannot be read".to_owned());
        }
        let mut commands = self.commands.iter().filter(|command| command.origin != CommandOrigin::Guessed);
        for command in &mut commands {
            if !command.is_named() {
                return Some(format!("`{}` is an unknown program", command.shown));
            }
            if command.reads_listed_names() {
                return Some(format!("`{}` takes names of files that are not shown", command.shown));
            }
            if let Some(name) = command.find_unread_variable() {
                return Some(format!("`{name}` may be a command that the program runs"));
            }
            if command.has_inline_code() && !DATABASE_CLIENTS.contains(&command.program_name()) {
                return Some(format!("the code in `{}` is not read", command.shown));
            }
        }
        if let Some(file) = self.find_written_script() {
            return Some(format!("`{file}` is written and run in one line"));
        }
        if self.has_hidden_effect || self.input.has_reading_shell && self.input.has_source {
            return Some("a part of the command is run unseen".to_owned());
        }
        self.find_unshown_arguments().map(|command| format!("`{command}` gets arguments that are not shown"))
    }

    /// A file that the line writes and that one of its commands may run.
    fn find_written_script(&self) -> Option<&str> {
        let commands = || self.commands.iter().filter(|command| command.origin != CommandOrigin::Guessed);
        let files = self.files.iter().chain(commands().flat_map(|command| &command.files));
        let mut written =
            files.filter(|file| file.access == PathAccess::Write).map(|file| file.word.text.as_str());
        let plain = |text: &str| text.trim_start_matches("./").to_owned();
        let runs = |file: &&str| {
            let names =
                |command: &ParsedCommand| command.words.iter().any(|word| plain(&word.text) == plain(file));
            commands().any(|command| command.may_run_file() && names(command))
        };
        written.find(runs)
    }
}

impl ParsedCommand {
    /// Whether it runs code in another language than the shell's, of which nothing is read: in one of its words, or on its input.
    fn has_inline_code(&self) -> bool {
        let runs = |role: &WordRole| role.effect() == Some(OptionEffect::Run);
        let end = self
            .reading
            .inner
            .map_or(self.reading.roles.len(), |inner| inner.at.min(self.reading.roles.len()));
        let is_code = |word: &CommandWord| {
            let text = word.text.as_str();
            // In other languages, `-c` only checks a script.
            if text == "-c" {
                return self.program_name().starts_with("py");
            }
            CODE_OPTIONS.contains(&text)
                || CODE_OPTIONS.iter().any(|option| {
                    text.strip_prefix(option).is_some_and(|code| code.starts_with(['=', ' ', '\'', '"']))
                })
        };
        let reads_input = self.has_input || self.has_document() || self.input.is_some();
        if reads_input && self.reading.input == InputUse::Code {
            return true;
        }
        if self.is_interpreter() {
            let has_script = self.words.iter().skip(1).any(|word| !word.text.starts_with('-'));
            return self.words.iter().any(is_code) || reads_input && !has_script;
        }
        // What a builder runs is the project's own code, and a program or a file that an option names is not in the line.
        let is_script = |at: usize| {
            self.words.get(at).is_some_and(|word| word.text.contains([' ', '\t', '\n', ';', '|', '&']))
        };
        let runs_script = |at: usize| runs(&self.reading.roles[at]) && (is_script(at) || is_script(at + 1));
        self.reading.inner.is_none() && !self.is_builder() && (0..end).any(runs_script)
    }

    /// A variable before the command whose value may be a command line that the program runs, such as `GIT_PAGER`.
    fn find_unread_variable(&self) -> Option<&str> {
        let may_run = |(name, value): &&(String, CommandWord)| {
            value.text.contains([' ', '\t', '\n', HOLE]) && !is_harmless_variable(name, value)
        };
        self.assignments
            .iter()
            .filter(|_| !self.words.is_empty())
            .find(may_run)
            .map(|(name, _)| name.as_str())
    }
}
