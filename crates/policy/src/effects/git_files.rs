//! The files that Git takes up, moves or deletes without their names.
//!
//! `git add .` stages a file that no `.gitignore` leaves out, and a later push sends it; which files that are, the call does not show.
//! `git diff`, `git commit -a` and a plain `git stash` use files that are tracked already.

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
    let options = GitOptions::read(&arguments[at + 1..], "", "--pathspec-from-file --chmod --message");
    let access = match arguments[at].unwrap_or_default() {
        "add" | "stage" if !options.has("un", &["--update", "--dry-run"]) => PathAccess::Read,
        "stash" if options.has("ua", &["--include-untracked", "--all"]) => PathAccess::Write,
        "clean" if !options.has("n", &["--dry-run"]) => PathAccess::Delete,
        _ => return Vec::new(),
    };
    let is_add = access == PathAccess::Read;
    let named: Vec<_> =
        options.operands.iter().flatten().copied().filter(|word| !is_add || is_folder(word)).collect();
    let takes_all = !is_add || options.has("A", &["--all", "--no-ignore-removal"]);
    let places = if named.is_empty() && takes_all || !is_add { vec!["."] } else { named };
    let use_of = |place: &str| {
        FileUse::new(place, folders, access, false).doubtful().with_below(&FolderReach::everything())
    };
    places.into_iter().map(use_of).collect()
}

/// Whether an operand may be a folder: a name without an ending, or a pattern.
fn is_folder(word: &str) -> bool {
    let name = word.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    word.ends_with('/')
        || matches!(name, "." | "..")
        || !name.trim_start_matches('.').contains('.')
        || name.contains('*')
}
