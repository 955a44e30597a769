//! The command lines from the adversarial pattern tables.

use AdversarialCase as ShellCase;
use countersign_patterns::MatchAnswer;

#[path = "../../crates/patterns/src/adversarial/shell_characters.rs"]
mod shell_characters;
#[path = "../../crates/patterns/src/adversarial/shell_expansions.rs"]
mod shell_expansions;
#[path = "../../crates/patterns/src/adversarial/shell_indirection.rs"]
mod shell_indirection;
#[path = "../../crates/patterns/src/adversarial/shell_options.rs"]
mod shell_options;
#[path = "../../crates/patterns/src/adversarial/shell_redirections.rs"]
mod shell_redirections;
#[path = "../../crates/patterns/src/adversarial/shell_separators.rs"]
mod shell_separators;
#[path = "../../crates/patterns/src/adversarial/shell_stars.rs"]
mod shell_stars;
#[path = "../../crates/patterns/src/adversarial/shell_wrappers.rs"]
mod shell_wrappers;

const YES: MatchAnswer = MatchAnswer::Yes;
const NO: MatchAnswer = MatchAnswer::No;
const UNCLEAR: MatchAnswer = MatchAnswer::Unclear;

type AdversarialCase = (&'static str, &'static str, &'static str, &'static str, MatchAnswer, MatchAnswer);

/// The command lines of all tables.
pub(crate) fn lines() -> impl Iterator<Item = &'static str> {
    [
        shell_characters::CASES,
        shell_expansions::CASES,
        shell_indirection::CASES,
        shell_options::CASES,
        shell_redirections::CASES,
        shell_separators::CASES,
        shell_stars::CASES,
        shell_wrappers::CASES,
    ]
    .concat()
    .into_iter()
    .map(|case| case.3)
}
