//! Matches patterns against a whole command line.

use super::{
    file_access::FileCover,
    line::CommandWord,
    pattern::CommandPattern,
    programs::{InnerKind, WordRole},
    script::{CommandOrigin, ParsedScript},
};
use crate::MatchAnswer;

/// Programs that run another one as it is: they only end it earlier, measure it, give it less of the processor, or shorten
/// its output. A pattern need not show them.
const WRAPPERS: &[&str] = &["ionice", "nice", "rtk", "time", "timeout"];

/// Matches for an `allow` rule that shows files by its patterns alone, see [`match_every_in`].
#[must_use]
pub fn match_every(patterns: &[CommandPattern], script: &ParsedScript) -> MatchAnswer {
    match_every_in(patterns, script, FileCover::Patterns)
}

/// Matches for an `allow` rule: `Yes` if every simple command of the script matches one of the patterns and the script
/// has no other effect. A script outside of the grammar, or with an assignment or an expansion that no pattern can show,
/// never gives `Yes`, nor does one with a file of a redirection that `files` does not cover.
#[must_use]
pub fn match_every_in(patterns: &[CommandPattern], script: &ParsedScript, files: FileCover) -> MatchAnswer {
    if script.has_invisible {
        return MatchAnswer::Unclear;
    }
    if has_unshown_effect(script, files) {
        return MatchAnswer::No;
    }
    let mut answer = MatchAnswer::from_bool(written(script).next().is_some());
    for command in written(script) {
        match allow(patterns, script, command, files) {
            MatchAnswer::No => return MatchAnswer::No,
            MatchAnswer::Unclear => answer = MatchAnswer::Unclear,
            MatchAnswer::Yes => {}
        }
    }
    if script.unreadable { MatchAnswer::Unclear } else { answer }
}

/// Finds the commands that the patterns allow: one value for each simple command that the script itself contains.
/// `None` if no patterns can allow the script, whatever its commands. Several rules allow a script together if each
/// command is allowed by one of them.
#[must_use]
pub fn find_allowed_commands(
    patterns: &[CommandPattern],
    script: &ParsedScript,
    files: FileCover,
) -> Option<Vec<bool>> {
    if script.has_invisible || has_unshown_effect(script, files) || script.unreadable {
        return None;
    }
    Some(written(script).map(|command| allow(patterns, script, command, files) == MatchAnswer::Yes).collect())
}

fn has_unshown_effect(script: &ParsedScript, files: FileCover) -> bool {
    script.has_hidden_effect || files == FileCover::Patterns && !script.files.is_empty()
}

/// Indices of the script's own commands.
pub(super) fn written(script: &ParsedScript) -> impl Iterator<Item = usize> + '_ {
    (0..script.commands.len()).filter(|index| script.commands[*index].origin == CommandOrigin::Written)
}

/// Whether the pattern allows the command of the script.
pub(super) fn is_allowed(
    pattern: &CommandPattern,
    script: &ParsedScript,
    index: usize,
    files: FileCover,
) -> bool {
    allow(std::slice::from_ref(pattern), script, index, files) == MatchAnswer::Yes
}

fn allow(patterns: &[CommandPattern], script: &ParsedScript, index: usize, files: FileCover) -> MatchAnswer {
    let command = &script.commands[index];
    if command.has_hidden_effect || files == FileCover::Patterns && command.has_unshown_files() {
        return MatchAnswer::No;
    }
    if runs_only_allowed(patterns, script, index, files) {
        return MatchAnswer::Yes;
    }
    let mut answer = MatchAnswer::from_bool(false);
    for pattern in patterns {
        match pattern.allow(script, index, files) {
            MatchAnswer::Yes => return MatchAnswer::Yes,
            MatchAnswer::Unclear => answer = MatchAnswer::Unclear,
            MatchAnswer::No => {}
        }
    }
    answer
}

/// Whether the command only runs another one, in the way of [`WRAPPERS`], and the patterns allow that.
fn runs_only_allowed(
    patterns: &[CommandPattern],
    script: &ParsedScript,
    index: usize,
    files: FileCover,
) -> bool {
    let command = &script.commands[index];
    let is_wrapper = command.name().is_some_and(|name| WRAPPERS.contains(&name));
    let Some(inner) = command.reading.inner.filter(|inner| is_wrapper && inner.kind == InnerKind::Words)
    else {
        return false;
    };
    let is_free = |(role, word): (&WordRole, &CommandWord)| *role == WordRole::Free && word.is_literal();
    // `time` is a keyword of some shells, for which `--` and `-p` begin the command.
    if command.name() == Some("time") && inner.at > 1 {
        return false;
    }
    let own = command.reading.roles.iter().zip(&command.words).take(inner.at).skip(1);
    let has_more = !command.assignments.is_empty() || command.input.is_some() || command.comment.is_some();
    let mut children = script.inner_commands(index).peekable();
    !has_more
        && own.into_iter().all(is_free)
        && children.peek().is_some()
        && children.all(|child| allow(patterns, script, child, files) == MatchAnswer::Yes)
}

/// Matches for a `block` rule: `Yes` if any simple command of the script matches a pattern. Also searches
/// substitutions, functions and the commands run by `bash -c`, `eval`, `xargs`, `sudo` and similar, and the whole
/// script text. `Unclear` if the script is outside the grammar, depends on an expansion, or if an unknown program's
/// arguments or the text without quotes and backslashes show what the pattern blocks.
#[must_use]
pub fn match_any(patterns: &[CommandPattern], script: &ParsedScript) -> MatchAnswer {
    let mut answer = MatchAnswer::from_bool(false);
    for pattern in patterns {
        match pattern.block(script) {
            MatchAnswer::Yes => return MatchAnswer::Yes,
            MatchAnswer::Unclear => answer = MatchAnswer::Unclear,
            MatchAnswer::No => {}
        }
    }
    let is_unclear = script.unreadable
        || script.has_invisible
        || script.commands.iter().any(|command| !command.is_named());
    if is_unclear && !patterns.is_empty() { MatchAnswer::Unclear } else { answer }
}
