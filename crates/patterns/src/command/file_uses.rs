//! The files that a command line uses, for protections. Unlike the patterns of a rule, a protection counts each word that may
//! name a file, in every folder to which the line may change.

use super::{
    file_access::PathAccess,
    line::CommandWord,
    reach::{PathPart, ReachedWord, parts_of},
    script::{CommandOrigin, ParsedCommand, ParsedScript, RedirectedFile},
};
use crate::{
    file_use::{FileUse, FolderReach, may_be_file},
    invisible::HOLE,
};

/// The most folders to which a line may change. If there are more, the folder is unknown.
const MAX_FOLDERS: usize = 6;

/// The folder to which `cd -` and `popd` go: one of those in which the shell was before.
const ANY_FOLDER: &str = "/\u{ffff}";

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

    /// The assignments before the program, as name and text.
    pub fn assignments(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.command.assignments.iter().map(|(name, value)| (name.as_str(), value.text.as_str()))
    }

    /// What its here-documents and here-strings contain.
    pub fn documents(self) -> impl Iterator<Item = &'a str> {
        self.command.documents.iter().map(String::as_str)
    }

    /// Whether it reads a pipe or a here-document.
    #[must_use]
    pub fn has_input(self) -> bool {
        self.command.has_input || self.command.input.is_some() || self.command.has_document()
    }
}

impl ParsedScript {
    /// The simple commands, including nested ones.
    pub fn command_words(&self) -> impl Iterator<Item = CommandWords<'_>> {
        let commands = self.commands.iter().filter(|command| command.origin != CommandOrigin::Guessed);
        commands.map(|command| CommandWords { command })
    }

    /// The files that the line uses, if it starts in one of the `folders`; without folders, it starts somewhere.
    #[must_use]
    pub fn file_uses(&self, folders: &[String]) -> Vec<FileUse> {
        let folders = self.folders_of(folders);
        let mut uses = Vec::new();
        let counts = |reached: &ReachedWord<'_>| {
            !self.is_loop_variable(reached.word) && !is_only_printed(reached) && reached.word.text != "{}"
        };
        for reached in self.reached_words().filter(counts) {
            for part in parts_of(reached.word) {
                uses.push(use_of_part(&part, &reached, &folders));
            }
        }
        if self.uses_its_text() {
            uses.extend(uses_in_text(&self.text, &folders));
        }
        for command in self.commands.iter().filter(|command| command.origin != CommandOrigin::Guessed) {
            command.add_unwritten_uses(&folders, &mut uses);
            self.add_found_files(command, &folders, &mut uses);
        }
        uses
    }

    /// Whether a program may take names of files, or code, from text in the line: from its input, or from a file that the line
    /// writes.
    fn uses_its_text(&self) -> bool {
        let commands = || self.commands.iter().filter(|command| command.origin != CommandOrigin::Guessed);
        let reads = |command: &ParsedCommand| command.has_input || command.has_document();
        let writes = |file: &RedirectedFile| file.access == PathAccess::Write;
        let writes_file =
            commands().any(|command| command.files.iter().any(writes) || command.program_name() == "tee");
        commands().any(|command| reads(command) && !command.is_filter())
            || (writes_file || self.files.iter().any(writes)) && commands().any(ParsedCommand::may_run_file)
    }

    /// The folders in which a command of the line may run.
    fn folders_of(&self, start: &[String]) -> Vec<String> {
        let mut folders = start.to_vec();
        let mut next_is_folder = false;
        for command in &self.commands {
            let changes = matches!(command.program_name(), "cd" | "pushd");
            let is_plain = |word: &CommandWord| word.text.starts_with('-') && word.text != "-";
            if changes && command.words.iter().skip(1).all(is_plain) {
                folders.push("~".to_owned());
            }
            let goes_back = changes && command.words.iter().any(|word| word.text == "-");
            if goes_back || command.program_name() == "popd" {
                folders.push(ANY_FOLDER.to_owned());
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
        if folders.iter().any(|folder| folder == ANY_FOLDER) {
            return vec![ANY_FOLDER.to_owned()];
        }
        let is_many = folders.len() > MAX_FOLDERS || folders.iter().any(|folder| folder.starts_with(HOLE));
        if is_many { Vec::new() } else { folders }
    }
}

/// Whether a command only prints the word.
fn is_only_printed(reached: &ReachedWord<'_>) -> bool {
    let prints = |command: &ParsedCommand| matches!(command.program_name(), "echo" | "printf");
    reached.command.is_some_and(prints)
}

/// What a word may be as a path. After a scheme, an address may name a file without a third slash, and `@` marks a file
/// in many prompts.
fn name_forms(word: &str) -> [Option<&str>; 4] {
    [Some(word), word.strip_prefix("//"), word.strip_prefix("//localhost"), word.strip_prefix('@')]
}

/// The words of a string that may name files.
#[must_use]
pub fn uses_in_text(text: &str, folders: &[String]) -> Vec<FileUse> {
    let is_part = |c: char| c.is_alphanumeric() || "._-~/@+%*\\".contains(c) || c == HOLE || !c.is_ascii();
    // Many programs read these as ends of lines, and others as parts of a path.
    let lines = text
        .contains('\\')
        .then(|| [r"\n", r"\t", r"\r"].iter().fold(text.to_owned(), |text, end| text.replace(end, " ")));
    let texts = std::iter::once(text).chain(lines.as_deref());
    let words = texts
        .flat_map(|text| text.split(|c: char| !is_part(c)))
        .map(|word| word.trim_end_matches(['.', ',']));
    let is_name = |word: &&str| word.len() > 1 && may_be_file(word) && word.contains(char::is_alphanumeric);
    let named = words.flat_map(name_forms).flatten().filter(is_name);
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
    if is_word || is_value { used } else { used.doubtful() }
}

/// The text with `~` in place of a variable for the home folder, and without one for the folder of the command.
pub(super) fn home_or_own(word: &CommandWord, text: &str) -> String {
    let raw = word.raw.trim_start_matches('"');
    let starts_with =
        |names: [&str; 2]| names.iter().any(|name| raw.starts_with(name)) && text.starts_with(HOLE);
    let rest = || text.trim_start_matches(HOLE).to_owned();
    if starts_with(["$HOME", "${HOME}"]) {
        return format!("~{}", rest());
    }
    if starts_with(["$PWD", "${PWD}"]) || starts_with(["$(pwd)", "`pwd`"]) {
        return format!(".{}", rest());
    }
    if word.raw.starts_with('~') && text.starts_with(HOLE) { format!("~{}", rest()) } else { text.to_owned() }
}
