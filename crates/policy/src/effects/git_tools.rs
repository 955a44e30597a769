//! The branches that tools of Git servers may change.

use super::{
    git::{GitUse, short_name},
    tool_name::ToolNameWords,
    word_list::has_word,
};

const HOSTS: &str = "github gitlab gitea forgejo gogs bitbucket gerrit codecommit azuredevops ado devops";
/// Verbs of tools that only read, and of tools for the working copy.
const READING: &str = "get list read search find view show describe count compare status log diff blame browse check download \
    lookup whoami ls tree cat head help validate lint explain summarize fetch";
const LOCAL: &str = "add apply archive bisect checkout cherry clean clone commit commits config init merge mv pull remote restore rm shortlog stage \
    stash switch tag unstage worktree reflog set start";
/// What a server has beside branches.
const HARMLESS_NOUNS: &str = "issue issues comment comments label labels milestone milestones review reviews reviewer reviewers gist gists \
    star notification notifications discussion discussions reaction reactions note notes snippet snippets workitem workitems wiki wit \
    alert alerts assignee assignees copilot gitignore sub";
/// What makes another noun harmless no longer.
const CHANGING: &str = "merge accept complete push branch branches ref refs reference file files commit commits tree reset rebase revert sync delete graphql";
const NAMING_KEYS: &str =
    "branch branchname ref refname reference refspec targetbranch destinationbranch newbranch";

/// The changes that a tool for Git makes that is not known to be harmless, by its name and arguments.
pub(super) fn uses_of_tool(name: &ToolNameWords, texts: &[(String, &str)]) -> Vec<GitUse> {
    let names_branch = name.own.iter().any(|word| word.starts_with("branch"));
    let named = texts.iter().filter(|(key, _)| has_word(NAMING_KEYS, key) || names_branch && key == "name");
    let named: Vec<_> = named
        .map(|(_, text)| {
            let target = text.rsplit(':').next().unwrap_or(text).trim_start_matches('+');
            let is_known = !matches!(target, "" | "HEAD" | "@") && !target.contains('*');
            GitUse::new(is_known.then(|| short_name(target)), None)
        })
        .collect();
    if named.is_empty() { vec![GitUse::new(None, None)] } else { named }
}

/// Whether a Git server's tool changes no branch, so that the branches among its arguments do not count.
pub(super) fn is_harmless_tool(
    name: &ToolNameWords,
    texts: &[(String, &str)],
    says_it_changes: bool,
) -> bool {
    let is_hosted = name.server_has(HOSTS) || name.own.iter().any(|word| has_word(HOSTS, word));
    let has_own = |words: &str| name.own.iter().any(|word| has_word(words, word));
    let is_local = !is_hosted && (name.server_has("git") || has_own("git"));
    let verb = name.verb();
    if has_own("graphql") {
        return !texts.iter().any(|(_, text)| text.to_lowercase().contains("mutation"));
    }
    let ends_reading = name.own.last().is_some_and(|last| has_word("status log diff read", last));
    if !says_it_changes && (has_word(READING, verb) || ends_reading) {
        return !has_own("push merge delete");
    }
    let completes =
        texts.iter().any(|(key, _)| key.contains("complete") || key.contains("merge") || key == "status");
    // An update may complete the request on some servers.
    let completes = completes || verb == "update" && !name.server_has("github");
    let is_request = has_own("pr mr prs mrs") && !has_own(CHANGING) && !completes;
    is_request
        || has_own(HARMLESS_NOUNS) && !has_own(CHANGING)
        || is_local && has_word(LOCAL, verb) && !has_own("push")
}

/// Whether the tool is of Git or of a Git server.
pub(super) fn is_git_tool(name: &ToolNameWords) -> bool {
    let pushes = name.own.iter().any(|word| word == "push")
        && name.own.iter().any(|word| has_word("branch commit changes code git repo", word));
    let is_named = |word: &String| word == "git" || has_word(HOSTS, word);
    pushes || name.server_has("git") || name.server_has(HOSTS) || name.own.iter().any(is_named)
}
