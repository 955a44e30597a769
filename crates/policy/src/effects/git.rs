//! The Git branches that a call may change in another repository or by name.
//!
//! Commits, merges and rebases move the branch that is checked out, which no command line names, and which Git can bring back:
//! they are no effects here. Nor is a new branch.

use super::{
    git_options::{GitOptions, is_option},
    word_list::has_word,
};
use countersign_patterns::command::{CommandWords, find_git_subcommand};

/// How a branch changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GitChange {
    /// It gets further commits.
    Update,
    /// It may lose commits.
    Force,
    /// It is deleted.
    Delete,
}

/// A change of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GitUse {
    /// The branch; `None` if the call does not name it.
    pub(crate) branch: Option<String>,
    /// The change; `None` if it is unknown.
    pub(crate) change: Option<GitChange>,
    /// Whether it is the branch that is checked out, which the call does not name.
    pub(crate) is_current: bool,
}

impl GitUse {
    pub(super) const fn new(branch: Option<String>, change: Option<GitChange>) -> Self {
        Self { branch, change, is_current: false }
    }
}

impl GitChange {
    pub(crate) const ALL: [Self; 3] = [Self::Update, Self::Force, Self::Delete];

    /// Its name in a policy.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Update => "update",
            Self::Force => "force",
            Self::Delete => "delete",
        }
    }
}

/// Subcommands that change no branch that they or their remote name.
const HARMLESS: &str = "add am annotate apply archive bisect blame bundle cat-file check-attr check-ignore check-ref-format cherry \
    cherry-pick cliff clean clone commit config count-objects delta describe diff diff-files diff-index diff-tree \
    difftool for-each-ref format-patch fsck gc grep hash-object help init interpret-trailers log ls-files \
    ls-remote ls-tree maintenance merge merge-base merge-tree mergetool mv name-rev notes range-diff reflog \
    remote restore rev-list rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stage stash \
    status stripspace submodule tag var verify-commit verify-tag version whatchanged write-tree";
/// Settings of one command that may lead it to other branches.
const BRANCH_SETTINGS: [&str; 6] = ["alias.", "branch.", "push.", "rebase.", "remote.", "url."];

/// The changes that a command makes.
pub(super) fn uses_of_command(command: CommandWords<'_>) -> Vec<GitUse> {
    let mut arguments: Vec<Option<&str>> = command.arguments().collect();
    match command.program().strip_prefix("git-") {
        Some(subcommand) => arguments.insert(0, Some(subcommand)),
        None if command.program() != "git" => return full_references(command),
        None => {}
    }
    let Some(at) = find_git_subcommand(arguments.iter().copied()) else {
        return if arguments.iter().all(Option::is_some) { Vec::new() } else { vec![unknown()] };
    };
    let is_set = |word: &&str| {
        let settings = word.strip_prefix("--config-env=").unwrap_or(word).to_lowercase();
        BRANCH_SETTINGS.iter().any(|start| settings.starts_with(start))
    };
    let is_redirected = arguments[..at].iter().flatten().any(is_set);
    let (subcommand, rest) = (arguments[at].unwrap_or_default(), &arguments[at + 1..]);
    let mut found = uses_of_subcommand(subcommand, rest);
    if is_redirected {
        found.push(unknown());
    }
    found
}

fn uses_of_subcommand(subcommand: &str, rest: &[Option<&str>]) -> Vec<GitUse> {
    match subcommand {
        "push" | "send-pack" => uses_of_push(rest),
        "branch" => uses_of_branch(rest),
        "checkout" => uses_of_reset(rest, 'B', "--"),
        "switch" => uses_of_reset(rest, 'C', "--force-create"),
        "worktree" if rest.first() == Some(&Some("add")) => uses_of_reset(rest, 'B', "--"),
        "worktree" => {
            if rest.first().is_none_or(Option::is_some) {
                Vec::new()
            } else {
                vec![unknown()]
            }
        }
        "fetch" | "pull" => uses_of_fetch(rest),
        "rebase" => uses_of_rebase(rest),
        "reset" => uses_of_hard_reset(rest),
        "update-ref" | "symbolic-ref" => {
            let named = rest.iter().flatten().filter(|word| !word.starts_with('-'));
            let named: Vec<_> = named.map(|word| GitUse::new(known_name(word), None)).collect();
            if named.is_empty() || rest.contains(&None) { vec![unknown()] } else { named }
        }
        _ if has_word(HARMLESS, subcommand) => Vec::new(),
        _ => vec![unknown()],
    }
}

/// The branches that an argument of another tool may name.
pub(super) fn use_of_argument(key: &str, text: &str) -> Option<GitUse> {
    const KEYS: [&str; 9] = [
        "branch",
        "ref",
        "base",
        "head",
        "target_branch",
        "source_branch",
        "targetBranch",
        "sourceBranch",
        "refs",
    ];
    let names = KEYS.contains(&key) || text.starts_with("refs/heads/");
    names.then(|| GitUse::new(Some(short_name(text)), None))
}

const fn unknown() -> GitUse {
    GitUse::new(None, None)
}

/// The branches of which another program has the full references.
pub(super) fn full_references(command: CommandWords<'_>) -> Vec<GitUse> {
    let parts = command
        .texts()
        .skip(1)
        .flat_map(|text| text.split(|c: char| c.is_whitespace() || "=:,'\"".contains(c)));
    let named = parts.filter_map(|part| {
        let (_, name) = part.split_once("heads/").or_else(|| part.split_once("branches/"))?;
        Some(GitUse::new(Some(short_name(name)), None))
    });
    named.collect()
}

fn uses_of_push(words: &[Option<&str>]) -> Vec<GitUse> {
    let mut change = GitChange::Update;
    let mut operands = Vec::new();
    let mut is_every = false;
    let mut skips = false;
    for word in words {
        let Some(word) = word else {
            // It may be an option.
            operands.push(None);
            continue;
        };
        if std::mem::take(&mut skips) {
            continue;
        }
        match *word {
            "-o" | "--push-option" | "--receive-pack" | "--exec" | "--repo" => skips = true,
            long if is_option(long, "--mirror") || is_option(long, "--prune") => {
                (is_every, change) = (true, GitChange::Force);
            }
            long if is_option(long, "--all") || is_option(long, "--branches") => is_every = true,
            long if long.starts_with("--for") => change = GitChange::Force,
            long if long.starts_with("--de") => change = GitChange::Delete,
            long if long.starts_with("--") => {}
            short if short.starts_with('-') && short.len() > 1 => {
                change = if short.contains('f') { GitChange::Force } else { change };
                change = if short.contains('d') { GitChange::Delete } else { change };
            }
            operand => operands.push(Some(operand)),
        }
    }
    if operands.contains(&None) {
        return vec![unknown()];
    }
    let refspecs: Vec<_> = operands.into_iter().flatten().skip(1).collect();
    if is_every || refspecs.is_empty() {
        return vec![GitUse { is_current: !is_every, ..GitUse::new(None, Some(change)) }];
    }
    let branch_of = |refspec: &str| {
        let (plus, plain) = refspec.strip_prefix('+').map_or((false, refspec), |plain| (true, plain));
        let (source, target) = plain.split_once(':').unwrap_or((plain, plain));
        let change = match change {
            _ if source.is_empty() => GitChange::Delete,
            _ if plus => GitChange::Force,
            other => other,
        };
        let is_current = matches!(target, "HEAD" | "@");
        GitUse { is_current, ..GitUse::new(known_name(target), Some(change)) }
    };
    refspecs.into_iter().map(branch_of).collect()
}

fn uses_of_branch(words: &[Option<&str>]) -> Vec<GitUse> {
    let options = GitOptions::read(words, "u", "--set-upstream-to --sort --format --points-at");
    let deletes = options.has("dD", &["--delete"]);
    let copies = options.has("cC", &["--copy"]);
    let moves = options.has("mM", &["--move"]);
    if !deletes && !copies && !moves && !options.has("f", &["--force"]) {
        return if words.contains(&None) { vec![unknown()] } else { Vec::new() };
    }
    let change = Some(if deletes { GitChange::Delete } else { GitChange::Force });
    let changed: Vec<_> = match options.operands.len() {
        // A copy changes only the second branch, and a new start only the first one.
        count if copies && count > 0 => options.operands[count - 1..].to_vec(),
        count if !deletes && !moves && count > 0 => options.operands[..1].to_vec(),
        _ => options.operands.clone(),
    };
    let is_unsure = changed.is_empty() || words.contains(&None);
    let named = changed.into_iter().map(|word| GitUse::new(word.map(short_name), change));
    named.chain(is_unsure.then(|| GitUse::new(None, change))).collect()
}

/// A branch that an option's value names, which gets another start.
fn uses_of_reset(words: &[Option<&str>], short: char, long: &str) -> Vec<GitUse> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some(word) = word else { continue };
        let next = || words.get(at + 1).copied().flatten();
        let (option, attached) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (*word, None),
        };
        let bundle = word.strip_prefix('-').filter(|bundle| !bundle.starts_with('-'));
        let branch = match bundle.and_then(|bundle| bundle.split_once(short)) {
            Some((_, "")) => next(),
            Some((_, value)) => Some(value),
            None if is_option(option, long) => attached.or_else(next),
            None => continue,
        };
        found.push(GitUse::new(branch.and_then(known_name), Some(GitChange::Force)));
    }
    found
}

/// A fetch, also that of a pull, changes a local branch that a refspec names.
fn uses_of_fetch(words: &[Option<&str>]) -> Vec<GitUse> {
    let operands = words.iter().filter(|word| word.is_none_or(|word| !word.starts_with('-')));
    let mut found = Vec::new();
    for (at, word) in operands.enumerate() {
        let target = match word {
            // The first one is the repository.
            None if at == 0 => continue,
            None => Some(""),
            Some(word) if word.contains("://") || word.contains('@') => None,
            Some(word) => word.split_once(':').map(|(_, target)| target),
        };
        let Some(target) = target else { continue };
        let is_other =
            target.starts_with("refs/") && !target.starts_with("refs/heads/") && target != "refs/*";
        if !is_other {
            found.push(GitUse::new(known_name(target), Some(GitChange::Force)));
        }
    }
    found
}

/// A rebase changes the branch after the base, if it names one.
fn uses_of_rebase(words: &[Option<&str>]) -> Vec<GitUse> {
    let values = "--onto --strategy --strategy-option --exec --whitespace --empty";
    let options = GitOptions::read(words, "sXxC", values);
    let mut found = Vec::new();
    if options.has("", &["--update-refs"]) {
        found.push(GitUse::new(None, Some(GitChange::Force)));
    }
    let at = usize::from(!options.has("", &["--root"]));
    if let Some(branch) = options.operands.get(at) {
        found.push(GitUse::new(branch.and_then(known_name), Some(GitChange::Force)));
    }
    found
}

/// A reset to another commit that also gives up the files that are checked out.
fn uses_of_hard_reset(words: &[Option<&str>]) -> Vec<GitUse> {
    let options = GitOptions::read(words, "", "--pathspec-from-file");
    let gives_up = options.has("", &["--hard", "--keep", "--merge"]);
    let is_current = |word: Option<&str>| matches!(word, Some("HEAD" | "@"));
    let moves = options.operands.first().is_some_and(|commit| !is_current(*commit));
    let used = GitUse { is_current: true, ..GitUse::new(None, Some(GitChange::Force)) };
    if gives_up && moves { vec![used] } else { Vec::new() }
}

/// The branch that a reference names; `None` if that is the one that is checked out, or several.
fn known_name(reference: &str) -> Option<String> {
    let is_unknown = matches!(reference, "" | "HEAD" | "@") || reference.contains('*');
    (!is_unknown).then(|| short_name(reference))
}

/// The branch name without what a full reference begins with.
pub(super) fn short_name(reference: &str) -> String {
    let name = reference.strip_prefix("refs/").unwrap_or(reference);
    name.strip_prefix("heads/").unwrap_or(name).to_owned()
}
