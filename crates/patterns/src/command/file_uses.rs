//! The files that a command line uses, for protections. Unlike the patterns of a rule, a protection counts each word that may
//! name a file, in every folder to which the line may change.

use super::{
    file_access::PathAccess,
    line::CommandWord,
    programs::{InputUse, OptionEffect, WordRole},
    reach::{PathPart, ReachedWord, parts_of},
    script::{CommandOrigin, ParsedCommand, ParsedScript},
};
use crate::{
    file_use::{FileUse, FolderReach},
    invisible::HOLE,
};

/// The most folders to which a line may change. If there are more, the folder is unknown.
const MAX_FOLDERS: usize = 6;

/// Programs whose text operand is code that may name files.
const CODE_PROGRAMS: &[&str] = &["awk", "gawk", "mawk", "nawk", "sed", "gsed", "jq", "yq"];

/// The options, and the subcommand, whose value is code for an interpreter.
const CODE_OPTIONS: &[&str] = &["-c", "-e", "-E", "-r", "-p", "-pe", "-ne", "--eval", "--print", "eval"];

/// Programs whose code is SQL. Whoever asks for the effects of a line reads it.
const DATABASE_CLIENTS: &[&str] =
    &["psql", "mysql", "mariadb", "sqlite3", "duckdb", "clickhouse-client", "sqlcmd"];

/// A simple command, as its program receives it.
#[derive(Debug, Clone, Copy)]
pub struct CommandWords<'a> {
    command: &'a ParsedCommand,
}

impl<'a> CommandWords<'a> {
    /// The program's name without its folder. Empty if it is unknown.
    #[must_use]
    pub fn program(self) -> &'a str {
        self.command.program_name()
    }

    /// The words after the program. `None` stands for a word of which only the shell knows a part.
    pub fn arguments(self) -> impl Iterator<Item = Option<&'a str>> {
        self.command.words.iter().skip(1).map(|word| word.value())
    }

    /// All words as text, where U+FFFF stands for what only the shell knows.
    pub fn texts(self) -> impl Iterator<Item = &'a str> {
        self.command.words.iter().map(|word| word.text.as_str())
    }

    /// Whether it reads a pipe or a here-document.
    #[must_use]
    pub fn has_input(self) -> bool {
        self.command.has_input || self.command.input.is_some() || self.command.has_document
    }
}

impl ParsedScript {
    /// The simple commands, including nested ones.
    pub fn command_words(&self) -> impl Iterator<Item = CommandWords<'_>> {
        let commands = self.commands.iter().filter(|command| command.origin != CommandOrigin::Guessed);
        commands.map(|command| CommandWords { command })
    }

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
            if command.has_inline_code() && !DATABASE_CLIENTS.contains(&command.program_name()) {
                return Some(format!("the code in `{}` is not read", command.shown));
            }
        }
        if self.has_hidden_effect || self.input.has_reading_shell && self.input.has_source {
            return Some("a part of the command is run unseen".to_owned());
        }
        self.find_unshown_arguments().map(|command| format!("`{command}` gets arguments that are not shown"))
    }

    /// The files that the line uses, if it starts in one of the `folders`; without folders, it starts somewhere.
    #[must_use]
    pub fn file_uses(&self, folders: &[String]) -> Vec<FileUse> {
        let folders = self.folders_of(folders);
        let mut uses = Vec::new();
        for reached in self.reached_words().filter(|reached| !self.is_loop_variable(reached.word)) {
            for part in parts_of(reached.word) {
                uses.push(use_of_part(&part, &reached, &folders));
            }
        }
        for command in self.commands.iter().filter(|command| command.origin != CommandOrigin::Guessed) {
            command.add_unwritten_uses(&folders, &mut uses);
            self.add_found_files(command, &folders, &mut uses);
        }
        uses
    }

    /// The folders in which a command of the line may run.
    fn folders_of(&self, start: &[String]) -> Vec<String> {
        let mut folders = start.to_vec();
        let mut next_is_folder = false;
        for command in &self.commands {
            let changes = matches!(command.program_name(), "cd" | "pushd");
            if changes && command.words.len() == 1 {
                folders.push("~".to_owned());
            }
            for word in command.words.iter().skip(1) {
                let text = word.text.as_str();
                let option = ["-C", "--cwd=", "--prefix=", "--directory=", "--git-dir=", "--work-tree="];
                let attached = option
                    .iter()
                    .find_map(|option| text.strip_prefix(option))
                    .filter(|text| !text.is_empty());
                let named =
                    attached.or((next_is_folder || changes && !text.starts_with('-')).then_some(text));
                next_is_folder =
                    matches!(text, "-C" | "--cwd" | "--prefix" | "--directory" | "--git-dir" | "--work-tree");
                let Some(named) = named else { continue };
                let named = home_or_own(word, named);
                let added: Vec<_> = if named.starts_with(['/', '~', HOLE]) {
                    vec![named]
                } else {
                    folders.iter().map(|folder| format!("{folder}/{named}")).collect()
                };
                folders.extend(added.into_iter().filter(|folder| folder != "."));
                folders.dedup();
            }
        }
        let is_many = folders.len() > MAX_FOLDERS || folders.iter().any(|folder| folder.starts_with(HOLE));
        if is_many { Vec::new() } else { folders }
    }

    /// The files that `find` gives to the commands that it runs, and a lister to `xargs`.
    fn add_found_files(&self, command: &ParsedCommand, folders: &[String], uses: &mut Vec<FileUse>) {
        let name = command.program_name();
        let is_finder = matches!(name, "find" | "fd" | "fdfind" | "ls") || name == "git";
        let hands_over = |other: &ParsedCommand| {
            other.reading.inner.is_some_and(|inner| inner.appends_input)
                || other.words.iter().any(|word| word.text.contains("{}"))
        };
        let deletes = name == "find" && command.words.iter().any(|word| word.text == "-delete");
        if !is_finder || !deletes && !self.commands.iter().any(hands_over) {
            return;
        }
        let is_option = |word: &&CommandWord| !word.text.starts_with(['-', '(', '!']);
        let operands: Vec<_> =
            command.words.iter().skip(1).take_while(is_option).map(|word| word.text.as_str()).collect();
        let places = if operands.is_empty() || name == "git" { vec!["."] } else { operands };
        let access = if deletes { PathAccess::Delete } else { PathAccess::Unknown };
        for place in places {
            let reach = FolderReach::of_names(&command.name_globs());
            let reach = if matches!(name, "ls" | "fd" | "fdfind") { reach.without_hidden() } else { reach };
            uses.push(FileUse::new(place, folders, access, false).doubtful().with_below(&reach));
        }
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
        let reads_input = self.has_input || self.has_document || self.input.is_some();
        if reads_input && self.reading.input == InputUse::Code {
            return true;
        }
        if self.is_interpreter() {
            let has_script = self.words.iter().skip(1).any(|word| !word.text.starts_with('-'));
            return self.words.iter().any(is_code) || reads_input && !has_script;
        }
        // What a builder runs is the project's own code.
        self.reading.inner.is_none() && !self.is_builder() && self.reading.roles[..end].iter().any(runs)
    }

    /// The folder in which it searches without naming it, and the names of files in code.
    fn add_unwritten_uses(&self, folders: &[String], uses: &mut Vec<FileUse>) {
        if self.searches_own_folder() {
            let reach = self.reach_below(".");
            uses.push(FileUse::new(".", folders, PathAccess::Read, false).with_below(&reach));
        }
        let is_code = CODE_PROGRAMS.contains(&self.program_name());
        for (at, word) in self.words.iter().enumerate().skip(1) {
            let is_text = self.reading.texts.contains(&at);
            if is_text && is_code || !is_text && word.text.contains([' ', '(', '"', '\'', ';']) {
                uses.extend(uses_in_text(&word.text, folders));
            }
        }
    }
}

/// The words of a text that may name files.
#[must_use]
pub fn uses_in_text(text: &str, folders: &[String]) -> Vec<FileUse> {
    let is_part = |c: char| c.is_alphanumeric() || "._-~/@+%*\\".contains(c) || c == HOLE || !c.is_ascii();
    let words = text.split(|c: char| !is_part(c)).map(|word| word.trim_end_matches(['.', ',']));
    let is_name = |word: &&str| word.len() > 1 && word.contains(char::is_alphanumeric);
    // After a scheme, an address may name a file without a third slash.
    let named = words.flat_map(|word| [Some(word), word.strip_prefix("//")]).flatten().filter(is_name);
    named
        .map(|word| {
            FileUse::new(&word.replace('*', &HOLE.to_string()), folders, PathAccess::Unknown, false)
                .doubtful()
        })
        .collect()
}

fn use_of_part(part: &PathPart<'_>, reached: &ReachedWord<'_>, folders: &[String]) -> FileUse {
    let text = home_or_own(reached.word, part.text);
    let is_word = part.text == reached.word.text && !part.text.starts_with('-');
    let used = FileUse::new(&text, folders, reached.access, part.is_open);
    let below = match (is_word, reached.command) {
        (true, Some(command)) => command.reach_below(&text),
        _ => FolderReach::itself(),
    };
    let used = used.with_below(&below).shown_as(&reached.word.raw);
    let before = reached.word.text.strip_suffix(part.text).unwrap_or_default();
    let is_git = reached.command.is_some_and(|command| command.program_name() == "git");
    let is_value = before.ends_with('=') || is_git && before.ends_with(':');
    // These only print their words.
    let prints = |command: &ParsedCommand| matches!(command.program_name(), "echo" | "printf");
    let is_printed = reached.command.is_some_and(prints);
    if (is_word || is_value) && !is_printed { used } else { used.doubtful() }
}

/// The text with `~` in place of a variable for the home folder, and without one for the folder of the command.
fn home_or_own(word: &CommandWord, text: &str) -> String {
    let raw = word.raw.trim_start_matches('"');
    let starts_with =
        |names: [&str; 2]| names.iter().any(|name| raw.starts_with(name)) && text.starts_with(HOLE);
    let rest = || text.trim_start_matches(HOLE).to_owned();
    if starts_with(["$HOME", "${HOME}"]) {
        return format!("~{}", rest());
    }
    if starts_with(["$PWD", "${PWD}"]) {
        return format!(".{}", rest());
    }
    if word.raw.starts_with('~') && text.starts_with(HOLE) { format!("~{}", rest()) } else { text.to_owned() }
}
