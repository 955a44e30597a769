//! The branches that a call changes through a Git repository's own files.

use super::git::{GitChange, GitUse};
use countersign_patterns::{FileUse, command::PathAccess};

/// Files in the folder `.git` that hold no branch.
const OTHER_FILES: [&str; 16] = [
    "commit_editmsg",
    "config",
    "description",
    "fetch_head",
    "hooks",
    "info",
    "index",
    "lfs",
    "logs",
    "merge_head",
    "merge_msg",
    "merge_mode",
    "orig_head",
    "rebase-apply",
    "rebase-merge",
    "squash_msg",
];

/// What a file of a repository holds.
enum FileBranch {
    Named(String),
    /// It may hold any branch.
    Any,
}

/// The changes that uses of files make. `folders` are those in which the call runs.
pub(super) fn uses_of_files(files: &[FileUse], folders: &[String]) -> Vec<GitUse> {
    files.iter().filter_map(|used| use_of_file(used, folders)).collect()
}

fn use_of_file(used: &FileUse, folders: &[String]) -> Option<GitUse> {
    let change = match used.access {
        PathAccess::Read | PathAccess::List => return None,
        PathAccess::Delete => Some(GitChange::Delete),
        PathAccess::Write => Some(GitChange::Force),
        PathAccess::Unknown => None,
    };
    let removes_project = || {
        let is_above = |path: &str| {
            let path = path.trim_end_matches('/');
            folders.iter().any(|folder| {
                folder
                    .to_lowercase()
                    .strip_prefix(path)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        used.is_certain && used.reaches_below() && used.known_paths().any(is_above)
    };
    if used.access == PathAccess::Delete && removes_project() {
        return Some(GitUse::new(None, change));
    }
    let shown = used.shown.replace('\\', "/");
    [shown.as_str()]
        .into_iter()
        .chain(used.known_paths())
        .find_map(|path| branch_of_file(path, used.access))
        .map(|branch| {
            let is_known = used.access != PathAccess::Unknown;
            let name = match branch {
                FileBranch::Named(name) => Some(name),
                FileBranch::Any => None,
            };
            GitUse::new(name, change.filter(|_| is_known))
        })
}

/// The branch whose file a path is.
fn branch_of_file(path: &str, access: PathAccess) -> Option<FileBranch> {
    let changes = matches!(access, PathAccess::Write | PathAccess::Delete);
    if changes && let Some((_, name)) = path.split_once("/refs/heads/") {
        return Some(named(name.trim_matches(['"', '\''])));
    }
    let lower = path.to_lowercase();
    let segments: Vec<_> = path.split('/').filter(|segment| !segment.is_empty() && *segment != ".").collect();
    let at = segments.iter().position(|segment| *segment == "*" || segment.eq_ignore_ascii_case(".git"))?;
    let is_sure = segments[at] != "*";
    let mut below = &segments[at + 1..];
    if below.first().is_some_and(|first| first.eq_ignore_ascii_case("worktrees")) && below.len() > 2 {
        below = &below[2..];
    }
    match below {
        ["refs", "heads", name @ ..] => Some(named(&name.join("/"))),
        ["refs"] | ["packed-refs", ..] => Some(FileBranch::Any),
        [] => (is_sure && changes).then_some(FileBranch::Any),
        [first, ..] => {
            let is_other = OTHER_FILES.iter().any(|name| first.eq_ignore_ascii_case(name))
                || [".lock", ".lock\""].iter().any(|end| lower.strip_suffix(end).is_some())
                || *first == "refs";
            (is_sure && !is_other).then_some(FileBranch::Any)
        }
    }
}

fn named(name: &str) -> FileBranch {
    if name.is_empty() || name.contains('*') { FileBranch::Any } else { FileBranch::Named(name.to_owned()) }
}
