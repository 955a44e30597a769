//! The branch that is checked out where a call runs.

use super::{hosting, word_list::has_word};
use countersign_patterns::command::CommandWords;

/// Subcommands after which the same branch is checked out.
const KEEPS_BRANCH: &str = "add annotate blame cat-file check-ignore cherry commit count-objects describe diff diff-index diff-tree fetch for-each-ref \
    format-patch fsck grep help log ls-files ls-remote ls-tree merge-base name-rev notes push range-diff reflog reset restore rev-list rev-parse rm mv \
    shortlog show show-branch show-ref status tag var verify-commit version whatchanged";

/// Whether the branch that is checked out where the call runs is the one that a later push of the same line would move: the command
/// changes neither the branch nor the repository nor what a push means.
pub(super) fn keeps_current_branch(command: CommandWords<'_>) -> bool {
    match command.program() {
        "cd" | "pushd" | "popd" | "env" | "export" => false,
        "git" => command.arguments().next().flatten().is_some_and(|first| has_word(KEEPS_BRANCH, first)),
        program => !program.starts_with("git-") && !hosting::is_hosting_program(program),
    }
}
