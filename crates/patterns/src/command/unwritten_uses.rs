//! The files that a command uses without a word for each: what a search, a copy, a download or an archive reaches.

use super::{
    file_access::PathAccess,
    file_uses::{home_or_own, uses_in_text},
    line::CommandWord,
    script::{ParsedCommand, ParsedScript},
};
use crate::{
    file_use::{FileUse, FolderReach},
    invisible::HOLE,
};

/// Programs whose text operand is code that may name files.
const CODE_PROGRAMS: &[&str] = &["awk", "gawk", "mawk", "nawk", "sed", "gsed", "jq", "yq"];

impl ParsedScript {
    /// The files that `find` gives to the commands that it runs, and a lister to `xargs`.
    pub(super) fn add_found_files(
        &self,
        command: &ParsedCommand,
        folders: &[String],
        uses: &mut Vec<FileUse>,
    ) {
        let name = command.program_name();
        let is_finder = matches!(name, "find" | "fd" | "fdfind" | "ls") || name == "git";
        let hands_over = |other: &ParsedCommand| {
            other.reading.inner.is_some_and(|inner| inner.appends_input)
                || other.has_input && !other.is_filter()
                || other.words.iter().any(|word| word.text.contains("{}"))
        };
        let has = |options: &[&str]| command.words.iter().any(|word| options.contains(&word.text.as_str()));
        let deletes = name == "find" && has(&["-delete"]);
        let runs = name.starts_with("fd") && has(&["-x", "-X", "--exec", "--exec-batch"]);
        if !is_finder || !deletes && !runs && !self.commands.iter().any(hands_over) {
            return;
        }
        let is_option = |word: &&CommandWord| !word.text.starts_with(['-', '(', '!']);
        let operands: Vec<_> =
            command.words.iter().skip(1).take_while(is_option).map(|word| word.text.as_str()).collect();
        let places = if operands.is_empty() || name == "git" { vec!["."] } else { operands };
        let access = if deletes { PathAccess::Delete } else { PathAccess::Unknown };
        for place in places {
            let reach = FolderReach::of_names(&command.name_globs());
            let shows_hidden =
                command.has_option("aAHu", &["--all", "--almost-all", "--hidden", "--unrestricted"]);
            let reach = if matches!(name, "ls" | "fd" | "fdfind") && !shows_hidden {
                reach.without_hidden()
            } else {
                reach
            };
            uses.push(FileUse::new(place, folders, access, false).doubtful().with_below(&reach));
        }
    }
}

impl ParsedCommand {
    /// The files that a download is saved as, by the names in its addresses.
    fn add_saved_names(&self, folders: &[String], uses: &mut Vec<FileUse>) {
        let saves = match self.program_name() {
            "wget" | "aria2c" | "axel" => true,
            "curl" => self.has_option("OJ", &["--remote-name", "--remote-header-name"]),
            _ => false,
        };
        for word in self.words.iter().skip(1).filter(|word| saves && word.text.contains("://")) {
            let path = word.text.split(['?', '#']).next().unwrap_or_default();
            let name = path.rsplit('/').next().unwrap_or_default();
            uses.push(FileUse::new(name, folders, PathAccess::Write, false).doubtful());
        }
    }

    /// The files that a copy, a move or a link creates in a folder, under the names of its sources. A moved file is read under its
    /// new name.
    fn add_copies(&self, folders: &[String], uses: &mut Vec<FileUse>) {
        let name = self.program_name();
        if !matches!(name, "cp" | "mv" | "ln" | "install" | "rsync" | "scp") {
            return;
        }
        let operands: Vec<_> = self
            .words
            .iter()
            .skip(1)
            .map(|word| word.text.as_str())
            .filter(|text| !text.starts_with('-'))
            .collect();
        let Some((target, sources)) = operands.split_last() else { return };
        for source in sources {
            let own = source.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            let copy = format!("{}/{own}", target.trim_end_matches('/'));
            uses.push(FileUse::new(&copy, folders, PathAccess::Write, false).doubtful());
            if name == "mv" {
                uses.push(FileUse::new(source, folders, PathAccess::Read, false).doubtful());
            }
        }
    }

    /// The folder in which it searches without naming it, and the names of files in code.
    pub(super) fn add_unwritten_uses(&self, folders: &[String], uses: &mut Vec<FileUse>) {
        if self.searches_own_folder() {
            let reach = self.reach_below(".");
            uses.push(FileUse::new(".", folders, PathAccess::Read, false).with_below(&reach));
        }
        if let Some(access) = self.use_of_own_folder() {
            let everything = FolderReach::everything();
            uses.push(FileUse::new(".", folders, access, false).doubtful().with_below(&everything));
        }
        let globs = self.words.iter().filter(|word| word.is_literal() && word.text.contains(['{', '[']));
        for word in globs.filter(|_| self.program_name() == "curl") {
            uses.extend(uses_in_text(&with_holes(&word.text), folders));
        }
        self.add_saved_names(folders, uses);
        self.add_copies(folders, uses);
        let prints = matches!(self.program_name(), "echo" | "printf");
        for word in self.words.iter().skip(1).filter(|word| prints && is_name_pattern(word)) {
            uses.push(
                FileUse::new(&home_or_own(word, &word.text), folders, PathAccess::List, false)
                    .shown_as(&word.raw),
            );
        }
        let is_code = CODE_PROGRAMS.contains(&self.program_name());
        for (at, word) in self.words.iter().enumerate().skip(1) {
            let is_text = self.reading.texts.contains(&at);
            if is_text && is_code || !is_text && word.text.contains([' ', '(', '{', '"', '\'', ';']) {
                uses.extend(uses_in_text(&word.text, folders));
            }
        }
        for (_, value) in &self.assignments {
            uses.extend(uses_in_text(&value.text, folders));
        }
    }
}

/// Whether the shell replaces the word by names of files.
fn is_name_pattern(word: &CommandWord) -> bool {
    !word.is_literal() && word.raw.contains(['*', '?', '[', '{']) && !word.raw.contains(['$', '`', '"'])
}

/// The text with a hole for each set of characters in brackets.
fn with_holes(text: &str) -> String {
    let mut parts = text.split('[');
    let mut found = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        found.push(HOLE);
        found.push_str(part.split_once(']').map_or("", |(_, after)| after));
    }
    found
}
