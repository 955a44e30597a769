//! The paths in a command line: whether all of them stay inside of some folders, and which of them a path pattern names.
//!
//! A word may be a path in more ways than one (`--file=x`, `-fx`, `@x`, `HEAD:x`), so each of its parts counts. A word that
//! its program reads as plain text, such as the expression of `grep`, is no path.

use super::{
    file_access::PathAccess,
    line::CommandWord,
    script::{CommandOrigin, ParsedCommand, ParsedScript},
    word_path::WordPath,
};
use crate::{MatchAnswer, invisible::HOLE, path};

/// Commands that go to a folder which is not among their words.
const FOLDER_STACK: &[&str] = &["pushd", "popd"];

/// Folders, and the folder in which a command starts. All are absolute and in normal form.
#[derive(Debug, Clone, Copy)]
pub struct PathBounds<'a> {
    /// The folders in which all paths must be.
    pub roots: &'a [String],
    /// The folder in which the command starts.
    pub folder: &'a str,
}

/// A path in a command line that may be outside of the folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsidePath {
    /// The word that contains it, or the command, as written.
    pub word: String,
    /// What is known about it.
    pub kind: OutsideKind,
}

/// Why a path may be outside of the folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutsideKind {
    /// It is outside.
    Outside,
    /// The word contains a value that the line does not show.
    UnknownValue,
    /// The word is the address of another machine, which is in no folder.
    FarAddress,
    /// The command goes to a folder that the line does not show.
    UnshownFolder,
    /// The command gets paths from its input.
    UnshownArguments,
}

/// A word that may name a file.
pub(super) struct ReachedWord<'a> {
    pub(super) word: &'a CommandWord,
    pub(super) access: PathAccess,
    /// The command of which it is a word, and not the file of a redirection.
    pub(super) command: Option<&'a ParsedCommand>,
    /// Whether the command that contains it changes the folder.
    changes_folder: bool,
}

/// A part of a word that may be a path.
pub(super) struct PathPart<'a> {
    /// The part, with [`HOLE`] for what only the shell knows.
    pub(super) text: &'a str,
    /// Whether a hole may be anything, and not only the names in a folder.
    pub(super) is_open: bool,
}

impl PathBounds<'_> {
    /// The number of folders between the path and the outermost root that contains it. `None` outside of all roots.
    #[must_use]
    pub fn depth(&self, path: &str) -> Option<usize> {
        let below = self.roots.iter().filter_map(|root| {
            let rest = path.strip_prefix(root.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then(|| count_segments(rest))
        });
        below.max()
    }

    /// The path, absolute.
    #[must_use]
    pub fn resolve(&self, written: &str) -> String {
        if written.starts_with('/') { written.to_owned() } else { format!("{}/{written}", self.folder) }
    }

    /// Whether a path is inside of the folders, by its text: an absolute path, or a path below `folder`.
    #[must_use]
    pub fn contain(&self, written: &str) -> MatchAnswer {
        let full = self.resolve(written);
        let is_plain = !written.starts_with('~') && path::normalise(&written.replace("..", "x")).is_some();
        match path::normalise(&full).filter(|_| is_plain) {
            Some(normal) => MatchAnswer::from_bool(self.depth(&normal).is_some()),
            None => MatchAnswer::Unclear,
        }
    }
}

impl ParsedScript {
    /// Finds a path that may be outside of the folders. `None` if every path of the line is certainly inside: symbolic links
    /// are not followed.
    ///
    /// Whatever folders the line changes to, a path leaves a root only if all steps upwards in the line are together more
    /// than the folders between the place where they begin and that root.
    #[must_use]
    pub fn find_outside(&self, bounds: PathBounds<'_>) -> Option<OutsidePath> {
        let found = |word: &str, kind| Some(OutsidePath { word: word.to_owned(), kind });
        let outside = |word: &CommandWord| found(&word.raw, OutsideKind::Outside);
        let Some(mut depth) = bounds.depth(bounds.folder) else {
            return found(bounds.folder, OutsideKind::Outside);
        };
        let mut upwards = 0;
        let mut last_upwards = None;
        let mut changes_folder = false;
        for reached in self.reached_words() {
            if self.has_unknown_variable(reached.word) {
                return found(&reached.word.raw, OutsideKind::UnknownValue);
            }
            changes_folder |= reached.changes_folder;
            if is_far_address(&reached.word.text) {
                return found(&reached.word.raw, OutsideKind::FarAddress);
            }
            for part in parts_of(reached.word) {
                if part.text.starts_with('~') || is_file_address(part.text) {
                    return outside(reached.word);
                }
                if !part.text.starts_with('/') {
                    let steps = count_upwards(part.text);
                    upwards += steps;
                    last_upwards = Some(reached.word).filter(|_| steps > 0).or(last_upwards);
                    continue;
                }
                if is_null_device(part.text) {
                    continue;
                }
                match path::normalise(&part.text.replace(HOLE, "_")).and_then(|normal| bounds.depth(&normal))
                {
                    Some(below) if count_upwards(&part.text[1..]) == 0 || !part.text.contains(HOLE) => {
                        depth = depth.min(below);
                    }
                    _ => return outside(reached.word),
                }
            }
        }
        if let Some(command) = self.find_unshown_folder() {
            return found(&command, OutsideKind::UnshownFolder);
        }
        if let Some(command) = self.find_unshown_arguments() {
            return found(&command, OutsideKind::UnshownArguments);
        }
        let repeats = self.has_loop && changes_folder && upwards > 0;
        if upwards > depth || repeats { last_upwards.and_then(outside) } else { None }
    }

    /// The paths of the line, for rules that restrict. `folder` makes relative paths absolute.
    pub fn word_paths(&self, folder: Option<&str>) -> impl Iterator<Item = WordPath> {
        let shown = |reached: &ReachedWord<'_>| !self.is_loop_variable(reached.word);
        self.reached_words().filter(shown).flat_map(move |reached| {
            parts_of(reached.word)
                .into_iter()
                .map(move |part| WordPath::read(part.text, part.is_open, reached.access, folder))
        })
    }

    /// Everything in the line that may be a path, as written. A part that only the shell knows is `*`.
    pub fn named_paths(&self) -> impl Iterator<Item = String> {
        let parts = self.reached_words().flat_map(|reached| parts_of(reached.word));
        parts.map(|part| part.text.replace(HOLE, "*"))
    }

    /// The words that may name files.
    pub(super) fn reached_words(&self) -> impl Iterator<Item = ReachedWord<'_>> {
        let own = self.commands.iter().filter(|command| command.origin != CommandOrigin::Guessed);
        let files = self.files.iter().chain(self.commands.iter().flat_map(|command| &command.files));
        let files = files.map(|file| ReachedWord {
            word: &file.word,
            access: file.access,
            command: None,
            changes_folder: false,
        });
        let with = |access| move |word| ReachedWord { word, access, command: None, changes_folder: false };
        let inputs = self.commands.iter().filter_map(|command| command.input.as_ref());
        let loop_access = if self.commands.iter().all(|command| command.reading.only_reads) {
            PathAccess::Read
        } else {
            PathAccess::Unknown
        };
        let values = self.loop_words.iter().map(with(loop_access));
        own.flat_map(ParsedCommand::reached_words)
            .chain(files)
            .chain(inputs.map(with(PathAccess::Read)))
            .chain(values)
    }

    /// Whether the word is the variable of a loop, whose values are words of the line.
    pub(super) fn is_loop_variable(&self, word: &CommandWord) -> bool {
        let name = word.raw.trim_matches('"').strip_prefix('$').map(|name| name.trim_matches(['{', '}']));
        name.is_some_and(|name| self.loop_variables.iter().any(|known| known == name))
    }

    /// Whether the word contains a variable whose values the line does not show.
    fn has_unknown_variable(&self, word: &CommandWord) -> bool {
        let mut rest = word.raw.as_str();
        if word.is_literal() || !rest.contains(['$', '`']) {
            return false;
        }
        if rest.contains('`') {
            return true;
        }
        while let Some((_, after)) = rest.split_once('$') {
            let name = after.strip_prefix('{').unwrap_or(after);
            let end = name.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(name.len());
            let is_known = matches!(&name[..end], "PWD")
                || self.loop_variables.iter().any(|known| *known == name[..end]);
            let is_status = after.starts_with(['?', '#', '$']);
            if !is_known && !is_status {
                return true;
            }
            rest = after;
        }
        false
    }

    /// A command that goes to a folder which the line does not show.
    fn find_unshown_folder(&self) -> Option<String> {
        let is_unshown = |command: &&ParsedCommand| {
            let Some(name) = command.name() else { return false };
            let operands = || command.words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
            name == "cd" && operands().next().is_none() || FOLDER_STACK.contains(&name)
        };
        self.commands.iter().find(is_unshown).map(|command| command.shown.clone())
    }
}

impl ParsedScript {
    /// A command that gets arguments from its input, unless all that the line can write there are names of files in a folder
    /// that it shows: `echo /etc/passwd | xargs cat` shows the file as plain text.
    pub(super) fn find_unshown_arguments(&self) -> Option<String> {
        let appends =
            |command: &&ParsedCommand| command.reading.inner.is_some_and(|inner| inner.appends_input);
        let xargs = self.commands.iter().find(appends)?;
        let lists_names = |command: &ParsedCommand| {
            let words: Vec<_> = command.words.iter().map(|word| word.text.as_str()).collect();
            let is_lister = matches!(words.as_slice(), ["find" | "fd" | "ls", ..] | ["git", "ls-files", ..]);
            is_lister && words.iter().all(|word| !word.starts_with("-printf"))
        };
        let is_shown = |command: &ParsedCommand| {
            !command.has_document()
                && command.input.is_none()
                && (command.parent.is_some() || lists_names(command))
        };
        let others = self.commands.iter().filter(|command| !appends(command));
        let is_clear = others.into_iter().all(is_shown) && xargs.input.is_none() && !xargs.has_document();
        (!is_clear).then(|| xargs.shown.clone())
    }
}

impl ParsedCommand {
    /// Whether the word at `at` is the last one of the subcommand, and looks like nothing else.
    fn is_subcommand(&self, at: usize) -> bool {
        let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        at > 0 && at + 1 == self.reading.subcommand_end && is_plain(&self.words[at].text)
    }

    /// The words that may name files: all but the program, and those that the program reads as plain text.
    fn reached_words(&self) -> impl Iterator<Item = ReachedWord<'_>> {
        let changes_folder = self.name() == Some("cd")
            || self.words.iter().any(|word| word.text.starts_with("-C") || word.text.contains("dir"));
        let is_path = move |(at, _): &(usize, &CommandWord)| {
            !self.is_subcommand(*at) && !self.reading.texts.contains(at)
        };
        let words = self.words.iter().enumerate().skip(1).filter(is_path);
        let words = words.map(|(at, word)| (word, self.access_of(at)));
        let assigned = self.assignments.iter().map(|(_, value)| (value, PathAccess::Unknown));
        words.chain(assigned).map(move |(word, access)| ReachedWord {
            word,
            access,
            command: Some(self),
            changes_folder,
        })
    }
}

/// The parts of a word that may be paths.
pub(super) fn parts_of(word: &CommandWord) -> Vec<PathPart<'_>> {
    let is_open = word.raw.contains(['$', '`']);
    let mut parts = Vec::new();
    let mut add = |text| add_parts(text, is_open, &mut parts);
    add(word.text.as_str());
    if !word.is_literal() {
        // A list in braces is one hole in the text, and a home folder another.
        let starts = word.raw.match_indices(['{', ',']).map(|(at, _)| at + 1);
        for start in starts.chain([0]) {
            add(word.raw[start..]
                .split(['{', '}', ','])
                .next()
                .unwrap_or_default()
                .trim_matches(['"', '\'']));
        }
    }
    parts
}

fn add_parts<'a>(text: &'a str, is_open: bool, parts: &mut Vec<PathPart<'a>>) {
    if is_web_address(text) {
        return;
    }
    let mut add = |text: &'a str| {
        if !text.is_empty() {
            parts.push(PathPart { text, is_open });
        }
    };
    add(text);
    // The value of an option in the same word.
    if let (Some(value), true) = (text.get(2..), text.starts_with('-') && !text.starts_with("--")) {
        add(value);
        // After several letters, only what looks like a path begins a value.
        if let Some(at) = value.find(['.', '~', '/']).filter(|at| *at > 0) {
            add(&value[at..]);
        }
    }
    for (at, c) in text.char_indices() {
        if matches!(c, '=' | ':' | ',' | '@' | '<') {
            add(&text[at + 1..]);
            add(text[at + 1..].split([':', ',']).next().unwrap_or_default());
            add(&text[..at]);
        }
    }
}

/// The steps upwards of a relative path. With a hole, no step down counts.
fn count_upwards(text: &str) -> usize {
    let (mut lowest, mut depth) = (0_isize, 0_isize);
    for segment in text.split('/') {
        match segment {
            "" | "." => {}
            ".." => depth -= 1,
            // A name pattern such as `.*` also means the folder above.
            _ if segment.contains(HOLE) && segment.starts_with('.') => depth -= 1,
            _ if text.contains(HOLE) => {}
            _ => depth += 1,
        }
        lowest = lowest.min(depth);
    }
    lowest.unsigned_abs()
}

fn count_segments(path: &str) -> usize {
    path.split('/').filter(|segment| !segment.is_empty()).count()
}

fn is_web_address(text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    scheme.is_some_and(|scheme| ["http", "https", "ws", "wss", "git", "ssh"].contains(&scheme.as_str()))
}

/// Whether the word is the address of another machine, from which a program may load what it runs, or to which it may send.
fn is_far_address(text: &str) -> bool {
    let Some((_, rest)) = text.split_once("://").filter(|_| is_web_address(text)) else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.strip_prefix("[::1]").or_else(|| authority.strip_prefix("localhost"));
    let port = host.or_else(|| authority.strip_prefix("127.0.0.1"));
    !port.is_some_and(|port| {
        port.is_empty() || port.starts_with(':') && port[1..].bytes().all(|c| c.is_ascii_digit())
    })
}

fn is_file_address(text: &str) -> bool {
    text.to_ascii_lowercase().starts_with("file:")
}

fn is_null_device(text: &str) -> bool {
    matches!(text, "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr" | "/dev/tty")
}
