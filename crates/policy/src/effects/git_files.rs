//! The files that Git takes up, moves or deletes without their names.
//!
//! `git add .` stages a file that no `.gitignore` leaves out, and a later push sends it; which files that are, the call does not show.
//! `git checkout .` and `git reset --hard` overwrite what was changed since the last commit. `git diff`, `git commit -a`, a plain
//! `git stash` and a change of the branch use files that are tracked already.

use super::git_options::GitOptions;
use countersign_patterns::{
    FileUse, FolderReach,
    command::{CommandWords, PathAccess, find_git_subcommand},
};

/// The folders whose files a command uses in this way, as uses that are not certain.
pub(super) fn uses_of_command(command: CommandWords<'_>, folders: &[String]) -> Vec<FileUse> {
    if command.program() != "git" {
        return Vec::new();
    }
    let arguments: Vec<_> = command.arguments().collect();
    let Some(at) = find_git_subcommand(arguments.iter().copied()) else { return Vec::new() };
    let options = GitOptions::read(&arguments[at + 1..], "", VALUE_OPTIONS);
    let Some((access, places)) = find_places(arguments[at].unwrap_or_default(), &options) else {
        return Vec::new();
    };
    let use_of = |place: &str| {
        // A pathspec with magic begins in any folder.
        let place = if place.starts_with(':') { "." } else { place };
        FileUse::new(place, folders, access, false).doubtful().with_below(&FolderReach::everything())
    };
    places.into_iter().map(use_of).collect()
}

/// The long options whose values follow as words.
const VALUE_OPTIONS: &str = "--pathspec-from-file --chmod --message --source --conflict";

/// What a subcommand does with the files of which folders.
fn find_places<'a>(subcommand: &str, options: &GitOptions<'a>) -> Option<(PathAccess, Vec<&'a str>)> {
    let folders = |is_folder: fn(&str) -> bool| -> Vec<&'a str> {
        options.operands.iter().flatten().copied().filter(|word| is_folder(word)).collect()
    };
    let all = |access| Some((access, vec!["."]));
    match subcommand {
        "add" | "stage" if !options.has("un", &["--update", "--dry-run"]) => {
            let named = folders(may_be_folder);
            let takes_all = options.has("A", &["--all", "--no-ignore-removal"]);
            Some((PathAccess::Read, if named.is_empty() && takes_all { vec!["."] } else { named }))
        }
        "stash" if options.has("ua", &["--include-untracked", "--all"]) => all(PathAccess::Write),
        "clean" if !options.has("n", &["--dry-run"]) => all(PathAccess::Delete),
        "rm" if options.has("r", &[]) && !options.has("n", &["--dry-run", "--cached"]) => {
            Some((PathAccess::Delete, folders(may_be_folder)))
        }
        // What has changed since the last commit is lost.
        "reset" if options.has("", &["--hard", "--merge", "--keep"]) => all(PathAccess::Write),
        "checkout" | "switch" if options.has("f", &["--force", "--discard-changes"]) => {
            all(PathAccess::Write)
        }
        // A name that is not clearly a folder is a branch.
        "checkout" => Some((PathAccess::Write, folders(is_folder))),
        "restore" if !options.has("S", &["--staged"]) || options.has("W", &["--worktree"]) => {
            Some((PathAccess::Write, folders(may_be_folder)))
        }
        _ => None,
    }
}

/// Whether an operand is clearly a folder or a pattern.
fn is_folder(word: &str) -> bool {
    word.ends_with(['/', '*', ':'])
        || matches!(word, "." | "..")
        || word.starts_with("./")
        || word.starts_with(":(")
}

/// Whether an operand may be a folder: a name without an ending, or a pattern.
fn may_be_folder(word: &str) -> bool {
    let name = word.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    is_folder(word) || name == ".." || !name.trim_start_matches('.').contains('.') || name.contains('*')
}
