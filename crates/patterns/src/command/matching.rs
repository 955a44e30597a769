//! Matches patterns against a whole command line.

use super::{
    pattern::CommandPattern,
    script::{CommandOrigin, ParsedScript},
};
use crate::MatchAnswer;

/// Matches for an `allow` rule: `Yes` if every simple command of the script matches one of the patterns and the script
/// has no other effect. A script outside of the grammar, or with a redirection, an assignment or an expansion that no
/// pattern can show, never gives `Yes`.
#[must_use]
pub fn match_every(patterns: &[CommandPattern], script: &ParsedScript) -> MatchAnswer {
    if script.has_invisible {
        return MatchAnswer::Unclear;
    }
    if script.has_hidden_effect {
        return MatchAnswer::No;
    }
    let mut answer = MatchAnswer::from_bool(written(script).next().is_some());
    for command in written(script) {
        match allow(patterns, script, command) {
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
pub fn find_allowed_commands(patterns: &[CommandPattern], script: &ParsedScript) -> Option<Vec<bool>> {
    if script.has_invisible || script.has_hidden_effect || script.unreadable {
        return None;
    }
    Some(written(script).map(|command| allow(patterns, script, command) == MatchAnswer::Yes).collect())
}

/// Indices of the script's own commands.
fn written(script: &ParsedScript) -> impl Iterator<Item = usize> + '_ {
    (0..script.commands.len()).filter(|index| script.commands[*index].origin == CommandOrigin::Written)
}

fn allow(patterns: &[CommandPattern], script: &ParsedScript, index: usize) -> MatchAnswer {
    if script.commands[index].has_hidden_effect {
        return MatchAnswer::No;
    }
    let mut answer = MatchAnswer::from_bool(false);
    for pattern in patterns {
        match pattern.allow(script, index) {
            MatchAnswer::Yes => return MatchAnswer::Yes,
            MatchAnswer::Unclear => answer = MatchAnswer::Unclear,
            MatchAnswer::No => {}
        }
    }
    answer
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
