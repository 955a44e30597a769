//! The Git branches that a call may change in another repository or by name.
//!
//! Commits, merges and rebases move the branch that is checked out, which no command line names, and which Git can bring back:
//! they are no effects here.

use super::word_list::has_word;
use countersign_patterns::command::CommandWords;

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
const HARMLESS: &str = "add am annotate apply archive bisect blame bundle cat-file check-ignore cherry cherry-pick clean clone \
    commit config count-objects describe diff diff-index diff-tree difftool for-each-ref format-patch fsck gc \
    grep help init log ls-files ls-remote ls-tree maintenance merge merge-base mergetool mv name-rev notes \
    pull range-diff rebase reflog remote reset restore rev-list rev-parse revert rm shortlog show show-branch \
    show-ref sparse-checkout stage stash status submodule tag var verify-commit version whatchanged worktree \
    write-tree";

/// Programs for hosted repositories, and other programs that change branches.
const OTHER_PROGRAMS: &str = "gh glab hub tea jj sl hg gt git-town lazygit tig";

/// The changes that a command makes.
pub(super) fn uses_of_command(command: CommandWords<'_>) -> Vec<GitUse> {
    let arguments: Vec<Option<&str>> = command.arguments().collect();
    if command.program() != "git" {
        return doubtful_uses(command, has_word(OTHER_PROGRAMS, command.program()));
    }
    let Some(at) = find_subcommand(&arguments) else {
        return if arguments.iter().all(Option::is_some) { Vec::new() } else { vec![unknown()] };
    };
    let has_alias = arguments[..at].iter().flatten().any(|word| word.starts_with("alias."));
    let (subcommand, rest) = (arguments[at].unwrap_or_default(), &arguments[at + 1..]);
    match subcommand {
        _ if has_alias => vec![unknown()],
        "push" | "send-pack" => uses_of_push(rest),
        "branch" => uses_of_branch(rest),
        "checkout" | "switch" => uses_of_checkout(rest),
        "fetch" => uses_of_fetch(rest),
        "update-ref" | "symbolic-ref" => {
            let named = rest.iter().flatten().filter(|word| !word.starts_with('-'));
            let named: Vec<_> = named.map(|word| GitUse::new(Some(short_name(word)), None)).collect();
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

/// The branches that the words of another program may name: all words of a program that changes branches, and full references
/// anywhere.
fn doubtful_uses(command: CommandWords<'_>, changes_branches: bool) -> Vec<GitUse> {
    let parts = command
        .texts()
        .skip(1)
        .flat_map(|text| text.split(|c: char| c.is_whitespace() || "=:,'\"".contains(c)));
    let named = parts.filter_map(|part| {
        let full = part.split_once("heads/").or_else(|| part.split_once("branches/")).map(|(_, name)| name);
        let name = full.or(changes_branches.then_some(part))?;
        Some(GitUse::new(Some(short_name(name)), None))
    });
    named.collect()
}

/// Subcommands after which the same branch is checked out.
const KEEPS_BRANCH: &str = "add annotate blame cat-file check-ignore cherry commit count-objects describe diff diff-index diff-tree fetch for-each-ref \
    format-patch fsck grep help log ls-files ls-remote ls-tree merge-base name-rev notes push range-diff reflog restore rev-list rev-parse rm mv \
    shortlog show show-branch show-ref status tag var verify-commit version whatchanged";

/// Whether the branch that is checked out where the call runs is the one that a later push of the same line would move: the command
/// changes neither the branch nor the repository nor what a push means.
pub(super) fn keeps_current_branch(command: CommandWords<'_>) -> bool {
    match command.program() {
        "cd" | "pushd" | "popd" | "env" | "export" | "hub" => false,
        "git" => command.arguments().next().flatten().is_some_and(|first| has_word(KEEPS_BRANCH, first)),
        program => !has_word(OTHER_PROGRAMS, program),
    }
}

/// The index of the subcommand, after the options of Git itself.
pub(super) fn find_subcommand(arguments: &[Option<&str>]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = arguments.get(at)? {
        match *word {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" | "--config-env" => {
                at += 2;
            }
            word if word.starts_with('-') => at += 1,
            _ => return Some(at),
        }
    }
    None
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
            "--delete" => change = GitChange::Delete,
            "--mirror" | "--prune" => (is_every, change) = (true, GitChange::Force),
            "--all" | "--branches" => is_every = true,
            long if long.starts_with("--force") => change = GitChange::Force,
            long if long.starts_with("--del") => change = GitChange::Delete,
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
        let is_unknown = matches!(target, "HEAD" | "@") || target.contains('*') || target.is_empty();
        let is_current = matches!(target, "HEAD" | "@");
        GitUse { is_current, ..GitUse::new((!is_unknown).then(|| short_name(target)), Some(change)) }
    };
    refspecs.into_iter().map(branch_of).collect()
}

fn uses_of_branch(words: &[Option<&str>]) -> Vec<GitUse> {
    let has = |letters: &str, long: &[&str]| {
        words.iter().flatten().any(|word| match word.strip_prefix("--") {
            Some(_) => long.contains(word),
            None => word.strip_prefix('-').is_some_and(|bundle| bundle.contains(|c| letters.contains(c))),
        })
    };
    let change = if has("dD", &["--delete"]) {
        GitChange::Delete
    } else if has("fMC", &["--force"]) || has("mc", &["--move", "--copy"]) {
        GitChange::Force
    } else {
        return if words.contains(&None) { vec![unknown()] } else { Vec::new() };
    };
    named_branches(words, change)
}

fn uses_of_checkout(words: &[Option<&str>]) -> Vec<GitUse> {
    let resets = |word: &&str| {
        let is_bundle = word.starts_with('-') && !word.starts_with("--") && word.contains(['B', 'C']);
        is_bundle || **word == *"--force-create"
    };
    if words.iter().flatten().any(resets) { named_branches(words, GitChange::Force) } else { Vec::new() }
}

/// A fetch changes a local branch that a refspec names.
fn uses_of_fetch(words: &[Option<&str>]) -> Vec<GitUse> {
    let targets = words.iter().flatten().filter(|word| !word.contains("://") && !word.contains('@'));
    let targets = targets.filter_map(|word| word.split_once(':').map(|(_, target)| target));
    targets.map(|target| GitUse::new(Some(short_name(target)), Some(GitChange::Force))).collect()
}

fn named_branches(words: &[Option<&str>], change: GitChange) -> Vec<GitUse> {
    let operands = words.iter().filter(|word| word.is_none_or(|word| !word.starts_with('-')));
    operands.map(|word| GitUse::new(word.map(short_name), Some(change))).collect()
}

/// The branch name without what a full reference begins with.
pub(super) fn short_name(reference: &str) -> String {
    let name = reference.strip_prefix("refs/").unwrap_or(reference);
    name.strip_prefix("heads/").unwrap_or(name).to_owned()
}
